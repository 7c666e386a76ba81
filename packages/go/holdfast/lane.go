package holdfast

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

const (
	// maxInFlight is the number of requests of one kind in flight before calls are queued.
	maxInFlight = 3
	// lateAfter is the time after which a request without a response does not keep others from leaving.
	lateAfter = time.Second
	// The service takes no more (docs/specification.md#names-and-sizes: MAX_BATCH).
	maxItems = 500
	// Half of what the service takes, in bytes.
	maxLength = 512 << 10
)

// kind is a kind of call.
type kind[Item, Out any] struct {
	// Below /api/v1.
	path string
	// The path of a request with this item, if it is another one; else "".
	pathOf func(*Item) string
	// The number of items that it counts as.
	sizeOf func(*Item) int
	// Two calls with the same mark do not travel in one request. "": none.
	markOf func(*Item) string
	// Calls of the same name are carried out in their order. "": in any.
	nameOf func(*Item) string
	// Results may be minimal: restore puts back what they leave out (docs/specification.md#minimal-results).
	restore func(*Out, *Item)
	// Whether it is a result.
	isResult func(*Out) bool
	// Called with the result of a call that was given up after it was sent.
	late func(*Out)
}

// lane batches calls of one kind: those that are made while requests are in flight travel together in the next one. A
// lone call leaves at once. Calls leave in the order in which they came. Requests may overtake each other on their way:
// so a reserve stays while an earlier one of the same name is in flight, and their queue is that of their calls.
//
// A batch that is refused as a whole is sent again in halves, down to the single call that gets the error. A batch
// whose connection was lost is sent again, with others.
type lane[Item, Out any] struct {
	exchange *exchange
	kind     kind[Item, Out]

	mu       sync.Mutex
	queue    []*entry[Item, Out]
	inFlight int
	requests int
	// The names of the calls in flight, with the number of their request.
	names map[string]int
}

func newLane[Item, Out any](x *exchange, k kind[Item, Out]) *lane[Item, Out] {
	return &lane[Item, Out]{exchange: x, kind: k, names: map[string]int{}}
}

// call sends an item, with others. The error is an *Error, or that of the context as soon as it ends. An answer of the
// same moment is returned, or told to late.
func (l *lane[Item, Out]) call(ctx context.Context, item Item, options callOptions) (answer[Out], error) {
	settled := make(chan settlement[Out], 1)
	if ctx.Err() != nil {
		return answer[Out]{}, ctx.Err()
	}
	e := l.entry(item, options, func(a answer[Out], err error) { settled <- settlement[Out]{a, err} })
	l.submit(e)
	select {
	case o := <-settled:
		return o.answer, o.err
	case <-ctx.Done():
		if l.abandon(e) {
			return answer[Out]{}, withFailure(ctx, e.failure)
		}
		o := <-settled
		return o.answer, o.err
	}
}

// entry returns a call to submit.
// done is called once with its answer or its error, and must not block.
func (l *lane[Item, Out]) entry(item Item, options callOptions, done func(answer[Out], error)) *entry[Item, Out] {
	text, _ := json.Marshal(item) // of texts, numbers and lists of them: cannot fail
	deadline := options.deadline
	if deadline == 0 {
		deadline = l.exchange.deadline()
	}
	return &entry[Item, Out]{item: item, text: text, deadline: deadline, onFailure: options.onFailure, done: done}
}

// submit queues calls, which travel together.
func (l *lane[Item, Out]) submit(entries ...*entry[Item, Out]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, entries...)
	l.dispatch()
}

// abandon gives a call up. What it gets is told to late. It returns false if the call has been answered.
func (l *lane[Item, Out]) abandon(e *entry[Item, Out]) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isOpen := !e.isAbandoned
	e.isAbandoned = true
	return isOpen
}

// dispatch sends what may leave now. The lane is locked.
func (l *lane[Item, Out]) dispatch() {
	for l.inFlight < maxInFlight {
		batch := l.take()
		if len(batch) == 0 {
			return
		}
		l.occupy(batch)
	}
}

// occupy counts a request as in flight until it has ended, or is so late that its instance may be gone.
func (l *lane[Item, Out]) occupy(batch []*entry[Item, Out]) {
	l.inFlight++
	l.requests++
	request := l.requests
	names := make([]string, 0, len(batch))
	for _, e := range batch {
		if name := l.nameOf(e); name != "" {
			names = append(names, name)
			l.names[name] = request
		}
	}
	var once sync.Once
	free := func() {
		once.Do(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.inFlight--
			for _, name := range names {
				if l.names[name] == request {
					delete(l.names, name)
				}
			}
			l.dispatch()
		})
	}
	late := time.AfterFunc(lateAfter, free)
	go func() {
		l.carry(batch)
		late.Stop()
		free()
	}()
}

func (l *lane[Item, Out]) nameOf(e *entry[Item, Out]) string {
	if l.kind.nameOf == nil {
		return ""
	}
	return l.kind.nameOf(&e.item)
}

// take takes as many calls from the queue as fit into one request, but for those that must not overtake others.
func (l *lane[Item, Out]) take() []*entry[Item, Out] {
	var taken, kept []*entry[Item, Out]
	marks := map[string]bool{}
	size, length, end := 0, 0, 0
	for ; end < len(l.queue); end++ {
		e := l.queue[end]
		if e.isAbandoned {
			continue
		}
		if _, isInFlight := l.names[l.nameOf(e)]; isInFlight {
			kept = append(kept, e)
			continue
		}
		mark := ""
		if l.kind.markOf != nil {
			mark = l.kind.markOf(&e.item)
		}
		size += l.sizeOf(e)
		length += len(e.text) + 1
		if len(taken) > 0 && (size > maxItems || length > maxLength || marks[mark]) {
			break
		}
		if mark != "" {
			marks[mark] = true
		}
		taken = append(taken, e)
	}
	l.queue = append(kept, l.queue[end:]...)
	return taken
}

func (l *lane[Item, Out]) sizeOf(e *entry[Item, Out]) int {
	if l.kind.sizeOf == nil {
		return 1
	}
	return l.kind.sizeOf(&e.item)
}
