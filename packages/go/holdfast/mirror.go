package holdfast

import (
	"context"
	"sync"
)

// MirrorOptions are options of a mirror. Its functions are called one after the other, and must not block.
type MirrorOptions struct {
	// OnChange is called after each change with the reservations of a resource, none if it is free; after a lost
	// connection, for each resource that has changed meanwhile. Not called for what is held at the start.
	OnChange func(resource string, reservations []MirroredReservation)
	// OnConnection is called each time Connected changes, after the mirror was opened.
	OnConnection func(connected bool)
	// Waiting follows who waits, too. It costs a read after each change of the queue, at most one a second.
	Waiting bool
}

// maxEarly events are kept while the reservations are read. If there are more, reading begins anew, without them.
const maxEarly = 20_000

// Mirror is a live copy of what is held: it opens a stream of events, reads all reservations, and applies the events
// that came meanwhile and that come from then on. When the stream was lost, it does so again.
type Mirror struct {
	api     *api
	options MirrorOptions
	done    chan struct{}
	err     error
	loaded  chan loaded
	queue   *queue

	mu        sync.RWMutex
	held      *mirrored
	waiting   []WaitingRequest
	connected bool
	listeners map[int]func()
	lastID    int

	// Of the goroutine that runs it.
	// The events that have come since the reservations were asked for, while they are not there.
	early   []Event
	isEarly bool
	isReady bool
	load    int
	stop    context.CancelFunc
}

// loaded has the result of a read of everything.
type loaded struct {
	load    int
	held    []ActiveReservation
	waiting []WaitingRequest
	err     error
}

// Mirror follows everything that is held, also across lost connections, until ctx ends. It returns when it has
// everything. Its errors: those of Events, and that of ctx.
func (c *Client) Mirror(ctx context.Context, options MirrorOptions) (*Mirror, error) {
	m := &Mirror{api: c.api, options: options, done: make(chan struct{}), loaded: make(chan loaded)}
	m.held, m.listeners, m.isEarly, m.stop = newMirrored(nil), map[int]func(){}, true, func() {}
	m.queue = newQueue(c.api)
	ready := make(chan struct{})
	go m.run(ctx, func() { close(ready) })
	select {
	case <-ready:
		return m, nil
	case <-m.done:
		if m.err == nil {
			return nil, ctx.Err()
		}
		return nil, m.err
	}
}

// Get returns the reservations of a resource: several of a pool, or if it is held Shared. None: nobody has it by this
// name. A slot that was reserved by the name of its pool is found by that. The slice is not to be changed.
func (m *Mirror) Get(resource string) []MirroredReservation {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.held.byResource[resource]
}

// Names returns all names that are held, sorted.
func (m *Mirror) Names() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.held.names()
}

// Len returns the number of names that are held.
func (m *Mirror) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.held.byResource)
}

// Connected returns whether it follows the service. While it is false, the mirror has its last state.
func (m *Mirror) Connected() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.connected
}

// Waiting returns who waits, in the order of the queue. Only with MirrorOptions.Waiting. The slice is not to be
// changed.
func (m *Mirror) Waiting() []WaitingRequest {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.waiting
}

// Subscribe calls a function after each change of what the mirror has, or of Connected. It returns a function that ends
// this.
func (m *Mirror) Subscribe(listener func()) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastID++
	id := m.lastID
	m.listeners[id] = listener
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.listeners, id)
	}
}

// Done returns a channel that is closed when the mirror has ended. It keeps its last state.
func (m *Mirror) Done() <-chan struct{} { return m.done }

// Err returns why the mirror has ended, after Done: nil if ctx has ended; an error if the service refuses the key.
func (m *Mirror) Err() error {
	<-m.done
	return m.err
}
