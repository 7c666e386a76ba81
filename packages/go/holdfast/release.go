package holdfast

import (
	"context"
	"sync"
	"time"
)

// release is the release of a hold. Those who call it again wait for it.
type release struct {
	done    chan struct{}
	wasHeld bool
	err     error
}

// Release releases all of it. If the service cannot be reached, it tries until the lease has ended by itself, or ctx
// ends. A second call gets the result of the first, unless that failed. It returns whether it was held until now.
// False: the lease had ended before, or somebody released it.
func (h *Hold) Release(ctx context.Context) (bool, error) { return h.ReleaseAs(ctx, "", "") }

// ReleaseAs is Release with the condition of its slots from now on, and why. Within Using, call it as the last step of
// the work.
func (h *Hold) ReleaseAs(ctx context.Context, condition Condition, reason string) (bool, error) {
	h.mu.Lock()
	r, isFirst := h.release, h.release == nil
	var renewing *renewal
	if isFirst {
		r = &release{done: make(chan struct{})}
		h.release = r
		renewing, h.renewal = h.renewal, nil
	}
	h.mu.Unlock()
	if !isFirst {
		select {
		case <-r.done:
			return r.wasHeld, r.err
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	if renewing != nil {
		renewing.giveUp(h.hasBeenReleased())
	}
	if h.session == nil {
		h.lease.finish()
		h.reserver.keeper.drop(h.lease)
	}
	r.wasHeld, r.err = h.sendRelease(ctx, condition, reason)
	if r.err != nil {
		h.mu.Lock()
		h.release = nil
		h.mu.Unlock()
	}
	close(r.done)
	return r.wasHeld, r.err
}

func (h *Hold) sendRelease(ctx context.Context, condition Condition, reason string) (bool, error) {
	deadline := finite(h.lease.end())
	var wait sync.WaitGroup
	answers := make([]answer[Result], len(h.reservations))
	errs := make([]error, len(h.reservations))
	for i := 1; i < len(h.reservations); i++ {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			answers[i], errs[i] = h.releaseOne(ctx, i, deadline, condition, reason)
		}(i)
	}
	answers[0], errs[0] = h.releaseOne(ctx, 0, deadline, condition, reason)
	wait.Wait()
	wasHeld, isSure := true, true
	for i, err := range errs {
		if err != nil && (deadline == 0 || ctx.Err() != nil || !endsByItself(err)) {
			return false, err
		}
		a := &answers[i]
		isSure = isSure && err == nil
		wasHeld = wasHeld && (err != nil || a.result.Status == "RELINQUISHED" || a.repeated)
	}
	if isSure {
		h.reserver.requesters.end(h.use)
	}
	return wasHeld, nil
}

func (h *Hold) releaseOne(
	ctx context.Context, i int, deadline time.Duration, condition Condition, reason string,
) (answer[Result], error) {
	item := unreserveItem{ReservationKey: h.reservations[i].ReservationKey, Condition: condition, Reason: reason}
	return h.reserver.api.unreserves.call(ctx, item, callOptions{deadline: deadline})
}

// releaseSoon releases a hold that nobody wants any more.
func (h *Hold) releaseSoon() {
	go func() { _, _ = h.Release(context.Background()) }()
}
