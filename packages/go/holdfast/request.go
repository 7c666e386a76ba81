package holdfast

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	defaultTTL = 30 * time.Second
	longestTTL = math.MaxInt64 / time.Second * time.Second
	maxWait    = 24 * time.Hour
)

// Request says what to reserve, and how. It has a Resource, Resources or a Match.
type Request struct {
	// Resource is a name. That of a pool takes a free slot of it.
	Resource string
	// Resources are several names, which are taken together or not at all.
	Resources []string
	// Match has the labels of a resource: any that fits. Beside names: of one more.
	Match Match
	// Quantity is the number of resources with the Match, all or none. 0: one.
	Quantity int
	// TTL is the lease, rounded up to whole seconds. 0: 30 s. Forever: it ends only when it is released.
	TTL time.Duration
	// MinTTL is how much of TTL will do, if a booking of somebody else begins before its end. 0: all of it.
	MinTTL time.Duration
	// Wait is the longest time to wait for its turn, at most 24 h, rounded up to whole seconds. 0: not at all.
	Wait time.Duration
	// Priority is from -100 to 100. Higher is served first.
	Priority int
	// Count is the number of slots of a pool to take together. 0: one.
	Count int
	// Mode is Shared to hold it together with other readers. "": Exclusive.
	Mode Mode
	// Condition is Dirty or Out for those who clean or repair a slot. "": one that is ready.
	Condition Condition
	// Note says why, for people.
	Note string
	// Requester says who reserves. "": the client's, which is unique. See WithRequester.
	Requester string
	// OnWaiting is called with its place in the queue and who is in the way, while it waits: at once, then every 5 s,
	// sooner with a short TTL. It must not block.
	OnWaiting func(Waiting)
	// OnEndFixed is called when a booking of somebody else fixes the end of the lease, and each time that this end
	// changes. It must not block.
	OnEndFixed func(end time.Time)
}

// plan is a request that was read.
type plan struct {
	// The resources that it takes, for messages.
	title string
	// The names that it takes, and the text of its match.
	keys      []string
	items     []reserveItem
	ttl, wait time.Duration
	priority  int
	requester string
	onWaiting func(Waiting)
	// Nil: nobody is told.
	onEndFixed func(time.Time)
}

// planOf reads a request. session: the session that its reservations belong to, instead of a lease of their own, or "".
func planOf(r Request, session string) (*plan, error) {
	names, err := namesOf(r)
	if err != nil {
		return nil, err
	}
	ttl, err := ttlOf(r.TTL)
	if err != nil {
		return nil, err
	}
	minTTL, err := wholeSeconds(r.MinTTL, "MinTTL")
	if err != nil {
		return nil, err
	}
	wait, err := waitOf(r.Wait)
	if err != nil {
		return nil, err
	}
	if session != "" && (r.TTL != 0 || r.Requester != "") {
		return nil, invalid("the session has TTL and Requester")
	}
	if wait > 0 && ttl == Forever && session == "" {
		return nil, invalid(waitNeedsTTL)
	}
	if err := checkRanges(r); err != nil {
		return nil, err
	}
	common := reserveItem{Session: session, Note: r.Note, Count: r.Count, Mode: r.Mode, Condition: r.Condition}
	if ttl != Forever && session == "" {
		common.TTLSeconds, common.MinTTLSeconds = int64(ttl/time.Second), int64(minTTL/time.Second)
	}
	p := &plan{ttl: ttl, wait: wait, priority: r.Priority, requester: r.Requester}
	p.onWaiting, p.onEndFixed = r.OnWaiting, r.OnEndFixed
	p.keys = append(p.keys, names...)
	// A match does not pick what its requester has: so names come first.
	for _, name := range names {
		item := common
		item.Resource = name
		p.items = append(p.items, item)
	}
	titles := append([]string(nil), names...)
	if r.Match != nil {
		text := r.Match.text()
		copies := atLeastOne(r.Quantity)
		for i := 0; i < copies; i++ {
			item := common
			item.Match = r.Match
			p.items = append(p.items, item)
			p.keys = append(p.keys, text)
		}
		if copies > 1 {
			text = strconv.Itoa(copies) + " × " + text
		}
		titles = append(titles, text)
	}
	p.title = strings.Join(titles, ", ")
	return p, nil
}

// waitNeedsTTL: otherwise a grant to a caller that has died unnoticed would never end.
const waitNeedsTTL = "a request that waits needs a TTL that ends, not Forever"

func namesOf(r Request) ([]string, error) {
	if r.Resource != "" && r.Resources != nil {
		return nil, invalid("Resource and Resources are both set")
	}
	names := r.Resources
	if r.Resource != "" {
		names = []string{r.Resource}
	}
	if len(names) == 0 && len(r.Match) == 0 {
		return nil, invalid("the request needs a Resource, Resources or a Match")
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return nil, invalid("a name is there twice")
		}
		seen[name] = true
	}
	return names, nil
}

func checkRanges(r Request) error {
	if r.Quantity < 0 || (r.Quantity > 0 && r.Match == nil) {
		return invalid(fmt.Sprintf("Quantity is a number of resources with a Match, not %d", r.Quantity))
	}
	return checkPriority(r.Priority)
}

func checkPriority(priority int) error {
	if priority < -100 || priority > 100 {
		return invalid(fmt.Sprintf("Priority is from -100 to 100, not %d", priority))
	}
	return nil
}

// ttlOf returns a lease in whole seconds, or Forever.
func ttlOf(ttl time.Duration) (time.Duration, error) {
	if ttl == 0 {
		return defaultTTL, nil
	}
	return wholeSeconds(ttl, "TTL")
}

func waitOf(wait time.Duration) (time.Duration, error) {
	if wait > maxWait {
		return 0, invalid("Wait is at most 24 h")
	}
	return wholeSeconds(wait, "Wait")
}

// wholeSeconds rounds a duration up. One below a millisecond is refused: nearly always seconds are meant by it.
func wholeSeconds(d time.Duration, name string) (time.Duration, error) {
	if d < 0 {
		return 0, invalid(fmt.Sprintf("%s is not negative, as %v", name, d))
	}
	if d > 0 && d < time.Millisecond {
		return 0, invalid(fmt.Sprintf("%s: %d is %v; write %d * time.Second", name, int64(d), d, int64(d)))
	}
	if d > longestTTL {
		return Forever, nil
	}
	return (d + time.Second - 1) / time.Second * time.Second, nil
}

func atLeastOne(n int) int {
	if n < 1 {
		return 1
	}
	return n
}

const maxText = 200

// text is that of the service for a match (docs/specification.md#any-resource-that-fits). It cancels its ticket.
func (m Match) text() string {
	seen := map[string]bool{}
	var lines []string
	for key, values := range m {
		sign := "="
		if values.not {
			sign = "!="
		}
		for _, value := range values.values {
			if line := key + sign + value; !seen[line] {
				seen[line] = true
				lines = append(lines, line)
			}
		}
	}
	sort.Strings(lines)
	text := strings.Join(lines, ",")
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText-1]) + "…"
}
