package holdfast

import (
	"crypto/rand"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Clocks drift: a number is used again this much later than the lease of the last one ends.
const drift = time.Second

// use is one reservation, from when it is wanted until it has ended.
type use struct {
	requester string
	// 1: the requester itself; 2: <requester>#2. 0: the caller chose the requester.
	number int
	keys   []string
	tokens []ReleaseToken
	// The time of the monotonic clock by which it has ended, even if nobody says so.
	endsBy func() time.Duration
}

type place struct {
	number int
	key    string
}

// requesters finds who reserves. A client's own requester is unique. Reservations that one client makes at the same
// time exclude each other too: while one of the same name is wanted or held, the next one is made by <requester>#2, and
// so on.
type requesters struct {
	base     string
	isChosen bool
	clocks   clocks

	mu       sync.Mutex
	uses     map[place]*use
	byToken  map[ReleaseToken]*use
	sessions int
	sweepAt  int
}

// newRequesters takes the requester that the user chose, or "".
func newRequesters(chosen string, c clocks) *requesters {
	r := &requesters{base: chosen, isChosen: chosen != "", clocks: c, sweepAt: 1024}
	r.uses, r.byToken = map[place]*use{}, map[ReleaseToken]*use{}
	if !r.isChosen {
		r.base = uniqueRequester()
	}
	return r
}

// begin finds the requester for a reservation of some names. chosen: the one that the user chose for the call, or "".
// above: only with higher numbers than this.
func (r *requesters) begin(keys []string, chosen string, above int) *use {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	u := &use{requester: chosen, keys: keys, endsBy: never}
	if chosen == "" {
		u.requester = r.base
	}
	if chosen != "" || r.isChosen {
		return u
	}
	for u.number = above + 1; !r.areFree(keys, u.number); u.number++ {
	}
	if u.number > 1 {
		u.requester += "#" + strconv.Itoa(u.number)
	}
	for _, key := range keys {
		r.uses[place{u.number, key}] = u
	}
	return u
}

// made tells that the reservation was made. endsBy: the latest end of its lease, by the monotonic clock.
func (r *requesters) made(u *use, tokens []ReleaseToken, endsBy func() time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.tokens, u.endsBy = tokens, endsBy
	for _, token := range tokens {
		r.byToken[token] = u
	}
}

// end tells that it was not made, or has been released.
func (r *requesters) end(u *use) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(u)
}

func (r *requesters) forget(u *use) {
	for _, token := range u.tokens {
		if r.byToken[token] == u {
			delete(r.byToken, token)
		}
	}
	for _, key := range u.keys {
		if at := (place{u.number, key}); r.uses[at] == u {
			delete(r.uses, at)
		}
	}
}

// isHeld returns whether a reservation that this client made, and that may be in force, has this release token.
func (r *requesters) isHeld(token ReleaseToken) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.byToken[token]
	return u != nil && !r.isOver(u)
}

// waitingFor returns all requesters that may wait for a name now: the client's own, and its numbers.
func (r *requesters) waitingFor(key string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := []string{r.base}
	for at, u := range r.uses {
		if at.key == key && u.requester != r.base {
			found = append(found, u.requester)
		}
	}
	return found
}

// forSession returns a requester for a session: sessions of one client exclude each other too.
func (r *requesters) forSession(chosen string) string {
	if chosen != "" || r.isChosen {
		if chosen == "" {
			return r.base
		}
		return chosen
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions++
	return r.base + "/session-" + strconv.Itoa(r.sessions)
}

func (r *requesters) isOver(u *use) bool { return later(u.endsBy(), drift) < r.clocks.monotonic() }

func (r *requesters) areFree(keys []string, number int) bool {
	for _, key := range keys {
		if u := r.uses[place{number, key}]; u != nil && !r.isOver(u) {
			return false
		}
	}
	return true
}

// sweep forgets reservations that were never released, whose leases have ended.
func (r *requesters) sweep() {
	if len(r.byToken) < r.sweepAt {
		return
	}
	for _, u := range r.byToken {
		if r.isOver(u) {
			r.forget(u)
		}
	}
	r.sweepAt = 2 * len(r.byToken)
	if r.sweepAt < 1024 {
		r.sweepAt = 1024
	}
}

func never() time.Duration { return Forever }

// uniqueRequester returns <host>-<pid>-<random>.
func uniqueRequester() string {
	host, _ := os.Hostname()
	if len(host) > 64 {
		host = host[:64]
	}
	name := strings.Join([]string{host, strconv.Itoa(os.Getpid()), randomText(8)}, "-")
	return strings.TrimPrefix(name, "-")
}

const letters = "abcdefghijkmnpqrstuvwxyz23456789"

// randomText returns random letters and digits, 5 bits each.
func randomText(length int) string {
	text := make([]byte, length)
	_, _ = rand.Read(text)
	for i := range text {
		text[i] = letters[int(text[i])%len(letters)]
	}
	return string(text)
}
