package holdfast

import (
	"context"
	"sync"
	"time"
)

// readEvery is the least time between two reads of the queue.
const readEvery = time.Second

// queue is who waits, in the order of the queue. Events say that it has changed, but not its order: so it is read again
// after each of them, at most once a second.
type queue struct {
	api   *api
	reads chan queueRead

	mu        sync.Mutex
	ctx       context.Context
	isStale   bool
	isReading bool
}

// queueRead is the result of a read.
type queueRead struct {
	ctx  context.Context
	rows []WaitingRequest
	err  error
}

func newQueue(a *api) *queue { return &queue{api: a, reads: make(chan queueRead)} }

// begin follows the queue until ctx ends.
func (q *queue) begin(ctx context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ctx, q.isStale, q.isReading = ctx, false, false
}

// apply reads the queue again if an event has changed it. Several events that come meanwhile are one change.
func (q *queue) apply(event EventType) {
	if event != EventWaiting && event != EventWaitEnded && event != EventReset {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ctx == nil {
		return
	}
	q.isStale = true
	if !q.isReading {
		q.isReading = true
		go q.readWhileStale(q.ctx)
	}
}

func (q *queue) readWhileStale(ctx context.Context) {
	for q.takeStale(ctx) {
		rows, err := list[WaitingRequest](ctx, q.api, waitingPath, callOptions{deadline: Forever})
		select {
		case q.reads <- queueRead{ctx, rows, err}:
		case <-ctx.Done():
		}
		pause(ctx, readEvery)
	}
}

// takeStale returns whether the queue is to be read again.
func (q *queue) takeStale(ctx context.Context) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() != nil || q.ctx != ctx {
		return false
	}
	isStale := q.isStale
	q.isStale, q.isReading = false, isStale
	return isStale
}
