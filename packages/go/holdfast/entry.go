package holdfast

import (
	"errors"
	"time"
)

// callOptions are options of a call.
type callOptions struct {
	// The time of the monotonic clock after which it is not repeated any more. 0: the client's.
	deadline time.Duration
	// Called with the error of each attempt that is repeated.
	onFailure func(*Error)
}

// answer is the answer to a call.
type answer[Out any] struct {
	result Out
	// The time of the monotonic clock at which the last attempt was sent, the one that was answered. What it began or
	// renewed lasts from then, or later. ALREADY_HAD, or a response that was kept for an Idempotency-Key, is of an
	// earlier attempt.
	sentAt time.Duration
	// True if an earlier attempt may have been carried out: its response was lost.
	repeated bool
}

// settlement is an answer, or an error.
type settlement[Out any] struct {
	answer answer[Out]
	err    error
}

// entry is a call that waits for its batch, is in flight, or pauses before a repeat. The goroutine that carries it has
// tries and repeated; the rest that changes is the lane's, under its lock.
type entry[Item, Out any] struct {
	item Item
	// The item as JSON.
	text      []byte
	deadline  time.Duration
	onFailure func(*Error)
	done      func(answer[Out], error)
	// Number of times that it was sent.
	tries    int
	repeated bool
	// True if nobody waits for it any more: given up, or answered.
	isAbandoned bool
	failure     *Error
}

// asError returns the error of an exchange without a context that can end.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return unreachable(err, 0)
}
