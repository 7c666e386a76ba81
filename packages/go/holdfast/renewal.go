package holdfast

import (
	"context"
	"time"
)

// renewCall is a call that waits for its batch of renewals.
type renewCall = entry[renewItem, Result]

// renewal is one renewal of a hold: a call for each reservation.
type renewal struct {
	hold   *Hold
	ttl    time.Duration
	offset time.Duration
	calls  []*renewCall
	// Under the lock of the hold, until done is closed.
	left    int
	answers []answer[Result]
	err     error
	// The end that bookings fix, if it is new.
	fixedEnd time.Time
	done     chan struct{}
	// Called once, after done is closed.
	settled func(error)
}

// Renew renews the lease: it then ends ttl from now. 0: the last one again; a hold whose lease never ends is left as it
// is then. A booking of somebody else may end it before: FixedEnd. Renewals of one hold are sent one after the other.
//
// Its errors: ErrLeaseLost; ErrNotAvailable if a booking begins within seconds, and the lease stays as it is;
// NOT_RESERVED after a release, INVALID_OPTION in a session, those of the service and of ctx.
func (h *Hold) Renew(ctx context.Context, ttl time.Duration) error {
	if h.session != nil {
		return invalid("its session renews it")
	}
	seconds, err := wholeSeconds(ttl, "TTL")
	if err != nil {
		return err
	}
	if seconds == Forever {
		return invalid("a renewal has an end")
	}
	for {
		begun, earlier, err := h.beginRenewal(seconds, func(error) {})
		if begun == nil && earlier == nil {
			return err
		}
		wanted := earlier
		if begun != nil {
			h.reserver.api.renews.submit(begun.calls...)
			wanted = begun
		}
		select {
		case <-wanted.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if begun != nil {
			return begun.err
		}
	}
}

// beginRenewal returns a renewal, whose calls are to be submitted; or an earlier one that is under way; or neither, if
// there is nothing to renew. settled is called once the renewal has ended.
func (h *Hold) beginRenewal(ttl time.Duration, settled func(error)) (begun, earlier *renewal, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.release != nil {
		return nil, nil, h.hasBeenReleased()
	}
	if err := h.Err(); err != nil {
		return nil, nil, err
	}
	if h.renewal != nil {
		return nil, h.renewal, nil
	}
	if ttl == 0 {
		ttl = h.ttl
	}
	if ttl == Forever {
		return nil, nil, nil
	}
	r := &renewal{hold: h, ttl: ttl, offset: h.lease.clocks.offset(), settled: settled, done: make(chan struct{})}
	h.lease.announce(ttl)
	options := callOptions{deadline: finite(h.lease.deadline()), onFailure: func(err *Error) { h.lease.failed(err) }}
	r.left = len(h.reservations)
	r.answers = make([]answer[Result], r.left)
	for i := range h.reservations {
		seconds, least := int64(ttl/time.Second), int64(min(ttl, minRenewal)/time.Second)
		i, item := i, renewItem{h.reservations[i].ReservationKey, seconds, least}
		done := func(a answer[Result], err error) { r.answered(i, a, err) }
		r.calls = append(r.calls, h.reserver.api.renews.entry(item, options, done))
	}
	h.renewal = r
	return r, nil, nil
}

// renewInBackground begins a renewal for the keeper. If one of the holder is under way, that counts.
func (h *Hold) renewInBackground(done func(error)) []*renewCall {
	begun, earlier, err := h.beginRenewal(0, done)
	switch {
	case begun != nil:
		return begun.calls
	case earlier != nil:
		go func() {
			<-earlier.done
			done(earlier.err)
		}()
	default:
		done(err)
	}
	return nil
}

func (h *Hold) hasBeenReleased() error {
	return &Error{Code: CodeNotReserved, Message: joined(h.Resources) + " has been released"}
}

// answered takes the answer to a call.
func (r *renewal) answered(i int, a answer[Result], err error) {
	h := r.hold
	h.mu.Lock()
	if h.renewal != r {
		h.mu.Unlock()
		return // It was given up, and has its error.
	}
	r.answers[i] = a
	if err != nil {
		r.err = err
	}
	r.left--
	isWhole := r.left == 0
	if isWhole {
		r.finish()
	}
	h.mu.Unlock()
	if isWhole {
		r.end()
	}
}

// finish takes the answers, under the lock of the hold.
func (r *renewal) finish() {
	h := r.hold
	h.renewal = nil
	h.lease.mayLast(r.ttl)
	if r.err != nil {
		h.lease.failed(r.err)
		return
	}
	sentAt := Forever
	var kept *Result
	results := make([]Result, len(r.answers))
	for i := range r.answers {
		results[i] = r.answers[i].result
		result := &results[i]
		if result.Status == "NOT_AVAILABLE" {
			kept = result
		} else if result.Status != "RENEWED" {
			h.lease.lose(leaseLost(result.Resource+" is not held any more: "+result.Explanation, nil))
			if r.err = h.Err(); r.err == nil {
				r.err = h.hasBeenReleased()
			}
			return
		}
		h.reservations[i].ExpiresAt = result.ExpiresAt
		if result.Booking != "" {
			h.reservations[i].Booking = result.Booking
		}
		sentAt = min(sentAt, r.answers[i].sentAt)
	}
	h.ttl = r.ttl
	r.fixedEnd = h.fixEnd(results)
	if kept != nil {
		r.err = &Error{Code: CodeNotAvailable, Message: kept.Resource + ": " + kept.Explanation}
		return
	}
	h.lease.extend(leaseIn(results, r.ttl), sentAt, r.offset)
}

// end tells all who wait for it.
func (r *renewal) end() {
	r.hold.tellEnd(r.fixedEnd)
	close(r.done)
	r.settled(r.err)
	r.hold.reserver.keeper.touch(r.hold.lease)
}

// giveUp ends a renewal of a hold that is being released.
func (r *renewal) giveUp(err error) {
	for _, one := range r.calls {
		r.hold.reserver.api.renews.abandon(one)
	}
	r.err = err
	r.end()
}

// finite returns a deadline of a call: 0, the client's, instead of Forever.
func finite(deadline time.Duration) time.Duration {
	if deadline == Forever {
		return 0
	}
	return deadline
}
