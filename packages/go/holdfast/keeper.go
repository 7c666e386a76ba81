package holdfast

import (
	"errors"
	"sync"
	"time"
)

const (
	// lookEvery is the longest time between two looks at the clocks: after a sleep of the machine, timers are late.
	lookEvery = time.Second
	// Renewals of holds that are due so soon travel along: a share of the lease.
	renewTogether = 12
	// The pause after a failed renewal: a share of the time left, at least some time.
	pauseShare = 20
	minPause   = 50 * time.Millisecond
)

// renewer begins a renewal in the background, and calls done once it has ended. It returns calls to submit, if it has
// not sent them itself.
type renewer func(done func(error)) []*renewCall

// kept is a lease that is watched, and renewed each time a third of it has passed.
type kept struct {
	// Nil: it is only watched.
	renew      renewer
	isRenewing bool
	pauseUntil time.Duration
}

// keeper renews the leases of a client in joined requests, and tells when they are over. It is one goroutine, while
// there is something to keep.
type keeper struct {
	clocks clocks
	api    *api

	mu        sync.Mutex
	kept      map[*lease]*kept
	isRunning bool
	isClosed  bool
	// The time of the monotonic clock of the next look.
	next time.Duration
	wake chan struct{}
}

func newKeeper(a *api, c clocks) *keeper {
	return &keeper{clocks: c, api: a, kept: map[*lease]*kept{}, wake: make(chan struct{}, 1)}
}

// keep renews a lease until it is dropped, or lost. It returns false if the client was closed.
func (k *keeper) keep(l *lease, renew renewer) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.isClosed {
		return false
	}
	k.kept[l] = &kept{renew: renew}
	k.start(l)
	return true
}

// watch tells when a lease is over, without renewing it.
func (k *keeper) watch(l *lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept[l] == nil && !l.isOver() {
		k.kept[l] = &kept{}
		k.start(l)
	}
}

// start makes sure that the goroutine looks at a lease in time.
func (k *keeper) start(l *lease) {
	if !k.isRunning {
		k.isRunning = true
		go k.run()
	} else if later(k.clocks.monotonic(), min(l.renewIn(), l.remaining())) < k.next {
		k.rouse()
	}
}

// touch tells that a lease has changed.
func (k *keeper) touch(l *lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept[l] != nil {
		k.start(l)
	}
}

func (k *keeper) drop(l *lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, l)
}

// close ends all renewals. Leases are still watched.
func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.isClosed = true
	for _, one := range k.kept {
		one.renew = nil
	}
}

func (k *keeper) rouse() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *keeper) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-k.wake:
			if !timer.Stop() {
				select {
				case <-timer.C:
				default:
				}
			}
		}
		due, wait, isEmpty := k.look()
		var calls []*renewCall
		for l, renew := range due {
			calls = append(calls, renew(k.settled(l))...)
		}
		if len(calls) > 0 {
			k.api.renews.submit(calls...)
		}
		if isEmpty {
			return
		}
		timer.Reset(wait)
	}
}

// look forgets what is over, and returns what is to be renewed now, and the time until the next look.
func (k *keeper) look() (due map[*lease]renewer, wait time.Duration, isEmpty bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	due, wait = map[*lease]renewer{}, lookEvery
	now := k.clocks.monotonic()
	isDue := false
	for l, one := range k.kept {
		if l.isOver() {
			delete(k.kept, l)
			continue
		}
		wait = min(wait, l.remaining())
		if one.isWaiting(now) {
			in := l.renewIn()
			isDue = isDue || in <= 0
			wait = min(wait, in)
		} else if one.renew != nil && !one.isRenewing {
			wait = min(wait, one.pauseUntil-now)
		}
	}
	if isDue {
		wait = lookEvery
		for l, one := range k.kept {
			wait = min(wait, l.remaining())
			if !one.isWaiting(now) {
				continue
			}
			if in := l.renewIn(); in > l.length()/renewTogether {
				wait = min(wait, in)
				continue
			}
			one.isRenewing = true
			due[l] = one.renew
		}
	}
	wait = max(wait, time.Millisecond)
	k.next = now + wait
	k.isRunning = len(k.kept) > 0
	return due, wait, !k.isRunning
}

// isWaiting returns whether it is waiting for its next renewal.
func (one *kept) isWaiting(now time.Duration) bool {
	return one.renew != nil && !one.isRenewing && one.pauseUntil <= now
}

// settled returns what is called once a renewal has ended.
func (k *keeper) settled(l *lease) func(error) {
	return func(err error) {
		k.mu.Lock()
		defer k.mu.Unlock()
		one := k.kept[l]
		if one == nil {
			return
		}
		one.isRenewing = false
		if err != nil {
			l.failed(err)
			if errors.Is(err, ErrNotAvailable) {
				one.renew = nil // A booking begins within seconds: the lease ends before.
			}
			one.pauseUntil = k.clocks.monotonic() + max(minPause, l.remaining()/pauseShare)
		}
		k.rouse()
	}
}
