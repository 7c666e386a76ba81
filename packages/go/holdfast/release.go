package holdfast

import (
	"context"
	"sync"
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
	return h.releaseOnce(ctx, h.Reservations(), condition, reason)
}

// Leave ends the work: it releases the hold, but for what is booked. That stays its requester's until the booking ends.
// It returns what Release does.
func (h *Hold) Leave(ctx context.Context) (bool, error) {
	var left []Reservation
	for _, one := range h.Reservations() {
		if one.Booking == "" {
			left = append(left, one)
		}
	}
	return h.releaseOnce(ctx, left, "", "")
}

func (h *Hold) releaseOnce(
	ctx context.Context, reservations []Reservation, condition Condition, reason string,
) (bool, error) {
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
	r.wasHeld, r.err = h.sendRelease(ctx, reservations, condition, reason)
	if r.err != nil {
		h.mu.Lock()
		h.release = nil
		h.mu.Unlock()
	}
	close(r.done)
	return r.wasHeld, r.err
}

func (h *Hold) sendRelease(
	ctx context.Context, reservations []Reservation, condition Condition, reason string,
) (bool, error) {
	options := callOptions{deadline: finite(h.lease.end())}
	var wait sync.WaitGroup
	answers := make([]answer[Result], len(reservations))
	errs := make([]error, len(reservations))
	for i := range reservations {
		item := unreserveItem{ReservationKey: reservations[i].ReservationKey, Condition: condition, Reason: reason}
		if i == len(reservations)-1 {
			answers[i], errs[i] = h.reserver.api.unreserves.call(ctx, item, options)
			break
		}
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			answers[i], errs[i] = h.reserver.api.unreserves.call(ctx, item, options)
		}(i)
	}
	wait.Wait()
	wasHeld, isSure := true, true
	for i, err := range errs {
		if err != nil && (options.deadline == 0 || ctx.Err() != nil || !endsByItself(err)) {
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

// leaveSoon leaves a hold that nobody wants any more.
func (h *Hold) leaveSoon() {
	go func() { _, _ = h.Leave(context.Background()) }()
}
