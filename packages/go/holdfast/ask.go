package holdfast

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// The longest long poll, in seconds.
	maxPoll = 20
	// A caller that wants to know its position hears of it this often, in seconds.
	watchersPoll = 5
	// The least time from one long poll to the next: a service that does not hold them is not asked all the time.
	minCall = 100 * time.Millisecond
	// The service may end a wait by this time later than the caller.
	lateEnd = 2 * time.Second
	// The longest time for which a cancelled request may still be answered.
	lingerTime = 5 * time.Second
	// The caller waits so long for its cancellation. It goes on in the background.
	patience = 500 * time.Millisecond
)

// asking sends an attempt until the service has decided it. If the caller gives up on the way, its ticket is cancelled,
// and reservations that it got in the same moment are released.
type asking struct {
	*attempt
	api *api
	// The time of the monotonic clock when the wait ends. 0: a try.
	until time.Duration
	// nil: a try.
	wait *wait
	// The lease. It begins while the response is held, so that takes no more than a third of it.
	ttl       time.Duration
	onWaiting func(Waiting)
	// Of requests with an Idempotency-Key, which have to stay the same; else 0.
	pollSeconds int
	// Called before each request, or nil.
	asked func()
	// Called with an answer that nobody wants any more.
	release func(outcome)
	// Called once, when no request is under way any more and nobody has got anything.
	ended func()
}

type answered struct {
	answer answer[outcome]
	err    error
}

// untilDecided returns the answer that is not WAITING: it got it, or was refused. The error is an *Error, or that of
// the context.
func (a *asking) untilDecided(ctx context.Context) (answer[outcome], error) {
	// A try that nobody can give up is one call.
	if a.until == 0 && ctx.Done() == nil {
		only, err := a.attempt.ask(ctx, 0, callOptions{})
		if err != nil {
			a.ended()
		}
		return only, err
	}
	closing, closeCall := context.WithCancel(context.Background())
	decided, call, err := a.askAgain(ctx, closing)
	if err == nil {
		closeCall()
		return decided, nil
	}
	cleaned := make(chan struct{})
	go func() {
		a.giveUp(call, closeCall)
		a.ended()
		close(cleaned)
	}()
	// Cancel says that nothing is left, so it waits for that.
	if a.wait != nil && a.wait.wasCancelled() {
		<-cleaned
	} else {
		waitFor(cleaned, patience)
	}
	return decided, err
}

// askAgain calls until it is decided. With an error, it returns the call that may still get something, if there is one.
func (a *asking) askAgain(ctx, closing context.Context) (answer[outcome], <-chan answered, error) {
	var failures failures
	for calls := 0; ; calls++ {
		if ctx.Err() != nil {
			return answer[outcome]{}, nil, withFailure(ctx, failures.last())
		}
		pollSeconds, askedAt := a.pollSecondsOf(calls), monotonicNow()
		if a.asked != nil {
			a.asked()
		}
		call := make(chan answered, 1)
		go func() {
			options := callOptions{deadline: a.until, onFailure: failures.keep(nil)}
			one, err := a.attempt.ask(closing, pollSeconds, options)
			call <- answered{one, err}
		}()
		var one answered
		select {
		case one = <-call:
		case <-ctx.Done():
			return answer[outcome]{}, call, withFailure(ctx, failures.last())
		}
		failures.Store(nil)
		if one.err != nil {
			return answer[outcome]{}, nil, one.err
		}
		if ctx.Err() != nil {
			call <- one
			return answer[outcome]{}, call, ctx.Err()
		}
		if one.answer.result.state != waits {
			return one.answer, nil, nil
		}
		if a.until == 0 {
			return answer[outcome]{}, nil, unexpected()
		}
		if waiting := one.answer.result.waiting; waiting != nil && a.onWaiting != nil {
			a.wait.telling(true)
			a.onWaiting(*waiting)
			a.wait.telling(false)
		}
		// The service ends the ticket itself, a little after this.
		if monotonicNow() >= a.until+lateEnd {
			message := a.title + ": its turn did not come in time"
			return answer[outcome]{}, nil, &Error{Code: CodeNotAvailable, Message: message}
		}
		// The first call only joins the queue, so the second one follows at once.
		if calls > 0 {
			pause(ctx, askedAt+minCall-monotonicNow())
		}
	}
}

// pollSecondsOf returns how long the response to a call may be held.
func (a *asking) pollSecondsOf(calls int) int {
	if a.until == 0 {
		return 0
	}
	if a.pollSeconds > 0 {
		return a.pollSeconds
	}
	// The first call is not held: calls for one name join the queue in the order in which they were made.
	if calls == 0 && a.isAlone {
		return 0
	}
	longest := time.Duration(maxPoll)
	if a.onWaiting != nil {
		longest = watchersPoll
		if calls == 0 {
			longest = 1
		}
	}
	left := (a.until - monotonicNow() + time.Second - 1) / time.Second
	return int(max(1, min(min(longest, a.ttl/(3*time.Second)), left)))
}

// giveUp ends the ticket, and the call that may still get something.
func (a *asking) giveUp(call <-chan answered, closeCall context.CancelFunc) {
	deadline := monotonicNow() + lingerTime
	timer := time.AfterFunc(lingerTime, closeCall)
	defer timer.Stop()
	settled := make(chan struct{})
	var isDecided atomic.Bool
	settle := func(one answered) {
		isDecided.Store(one.err == nil && one.answer.result.state != waits)
		if one.err == nil && one.answer.result.state == got {
			a.release(one.answer.result)
		}
		close(settled)
	}
	if call == nil {
		close(settled)
	} else {
		go func() { settle(<-call) }()
	}
	// The cancellation may overtake its request on the way, which then gets a ticket: so cancel until it was answered
	// before.
	for delay := 50 * time.Millisecond; a.until != 0 && !isDecided.Load(); delay *= 2 {
		wasOpen := !isClosed(settled)
		_, _ = a.api.cancels.call(context.Background(), a.ticket, callOptions{deadline: deadline})
		if !wasOpen || monotonicNow() > deadline {
			break
		}
		waitFor(settled, delay)
	}
	<-settled
	closeCall()
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// waitFor waits until a channel is closed, at most for d.
func waitFor(done <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
