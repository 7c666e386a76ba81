package holdfast

import (
	"context"
	"errors"
	"time"
)

// releaseTime is the longest time for which a release goes on after the context of the caller has ended.
const releaseTime = 5 * time.Second

// Work is what Using runs while it holds. ctx ends before the lease does: h.Err() is ErrLeaseLost then. It also ends
// with the context of the caller.
type Work func(ctx context.Context, h *Hold) error

// Using reserves, runs work, and releases however work ends, even by a panic, unless it is booked. The lease is renewed
// meanwhile, each time a third of it has passed. Using waits for its turn if Wait says so.
//
// If ctx ends, it leaves the queue, or waits until work has returned. Then it releases, for at most 5 s.
//
// It returns the error of work; ErrLeaseLost if the lease was lost meanwhile, even if work did not notice. The error of
// work is its cause then, unless it only says that ctx has ended. Errors of the reserve: see Reserve.
func (c *Client) Using(ctx context.Context, request Request, work Work) error {
	h, err := c.Reserve(ctx, request)
	if err != nil {
		return err
	}
	return h.while(ctx, work)
}

// holdKey finds the hold in the context of the work.
type holdKey struct{}

// HoldOf returns the hold of a context that Using or Elect made, or nil. Elect passes no hold, and its fencing token is
// needed before each write.
func HoldOf(ctx context.Context) *Hold {
	h, _ := ctx.Value(holdKey{}).(*Hold)
	return h
}

// workContext is the context of the work. Err looks at the clocks: a process that was stopped runs its next line before
// its timers.
type workContext struct {
	context.Context
	hold *Hold
}

func (w *workContext) Err() error {
	w.hold.lease.lost()
	return w.Context.Err()
}

func (w *workContext) Value(key any) any {
	if key == (holdKey{}) {
		return w.hold
	}
	return w.Context.Value(key)
}

// while runs work, and releases the hold.
func (h *Hold) while(ctx context.Context, work Work) (err error) {
	inner, cancel := withCause(ctx)
	h.lease.whenLost(func(lost *Error) { cancel(lost) })
	hasReturned := false
	defer func() {
		lost := h.lease.lost()
		wasHeld, failure := h.releaseFor(ctx)
		cancel(nil)
		if hasReturned {
			err = h.resultOf(err, lost, wasHeld, failure)
		}
	}()
	if !h.reserver.keeper.keep(h.lease, h.renewInBackground) {
		hasReturned = true
		return invalid("the client was closed")
	}
	err = work(&workContext{inner, h}, h)
	hasReturned = true
	return err
}

// resultOf returns the error of Using: of the work, and of the release. lost: why the lease counts as over, or nil.
func (h *Hold) resultOf(err error, lost *Error, wasHeld bool, failure error) error {
	if lost == nil && failure == nil && !wasHeld {
		lost = leaseLost(joined(h.Resources)+" was released by somebody else meanwhile", nil)
	}
	switch {
	case lost == nil && err == nil:
		return failure
	case lost == nil:
		return err
	case err == nil || errors.Is(err, ErrLeaseLost) || errors.Is(err, context.Canceled):
		return lost
	}
	return &Error{Code: CodeLeaseLost, Message: lost.Message, cause: err}
}

// releaseFor releases the hold of a work that has ended. If its caller does not wait any more, this does not take long:
// the lease ends it then.
func (h *Hold) releaseFor(ctx context.Context) (bool, error) {
	releasing, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
			pause(releasing, releaseTime)
			cancel()
		case <-releasing.Done():
		}
	}()
	wasHeld, err := h.Leave(releasing)
	if releasing.Err() != nil {
		return true, nil
	}
	return wasHeld, err
}
