package holdfast

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"sync/atomic"
	"time"
)

const (
	firstDelay = 50 * time.Millisecond
	maxDelay   = 2 * time.Second
	maxAttempt = 10 * time.Second
	minAttempt = time.Second
)

// Retry is a request that failed and is sent again.
type Retry struct {
	// Err says why it failed.
	Err *Error
	// Attempt is the number of times that it was sent until now.
	Attempt int
	// Delay until it is sent again.
	Delay time.Duration
}

// retries says for how long calls are repeated, and who hears of it.
type retries struct {
	lasting time.Duration
	onRetry func(Retry)
}

// deadline returns the time of the monotonic clock after which a call that begins now is not repeated, if it does not
// say.
func (r *retries) deadline() time.Duration { return later(monotonicNow(), r.lasting) }

// tell tells the user of a retry.
func (r *retries) tell(err *Error, attempt int, delay time.Duration) {
	if r.onRetry != nil {
		r.onRetry(Retry{err, attempt, delay})
	}
}

// attemptTime is the timeout of an attempt: a third of the time left, so that there is time for two more.
func attemptTime(deadline time.Duration) time.Duration {
	return min(maxAttempt, max(minAttempt, (deadline-monotonicNow())/3))
}

// delayBefore returns the time until a call is sent again, after it was sent tries times. False: not at all.
func delayBefore(err *Error, tries int, deadline time.Duration) (time.Duration, bool) {
	left := deadline - monotonicNow()
	if left <= 0 || !err.isRetryable() {
		return 0, false
	}
	longest := maxDelay
	if tries < 7 {
		longest = min(maxDelay, firstDelay<<(tries-1))
	}
	jitter := time.Duration(randomFraction() * float64(longest))
	// With 429 and 409 the service says when. With 503 its time is a guess, and the same for all callers.
	if err.Status != 429 && err.Status != 409 {
		return min(jitter, left), true
	}
	return err.RetryAfter + jitter, err.RetryAfter <= left
}

// randomFraction returns a number from 0 to 1. The source of math/rand is the same in each process before Go 1.20.
func randomFraction() float64 {
	var bytes [8]byte
	_, _ = rand.Read(bytes[:])
	return float64(binary.LittleEndian.Uint64(bytes[:])>>11) / (1 << 53)
}

// pause returns after d, or as soon as the context ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// failures keeps the last error of a call that is repeated.
type failures struct{ atomic.Pointer[Error] }

// keep returns a function that keeps an error, and then calls another one, if there is one.
func (f *failures) keep(next func(*Error)) func(*Error) {
	return func(err *Error) {
		f.Store(err)
		if next != nil {
			next(err)
		}
	}
}

func (f *failures) last() *Error { return f.Load() }
