package holdfast

import (
	"context"
	"reflect"
	"sync"
)

// MirrorOptions are options of a mirror. Its functions are called one after the other, and must not block.
type MirrorOptions struct {
	// OnChange is called after each change with the reservations of a resource, none if it is free; after a lost connection,
	// for each resource that has changed meanwhile. Not called for what is held at the start.
	OnChange func(resource string, reservations []MirroredReservation)
	// OnConnection is called each time Connected changes, after the mirror was opened.
	OnConnection func(connected bool)
	// Waiting follows who waits, too. It costs a read after each change of the queue, at most one a second.
	Waiting bool
}

// maxEarly events are kept while the reservations are read. If there are more, reading begins anew, without them.
const maxEarly = 20_000

// Mirror is a live copy of what is held: it opens a stream of events, reads all reservations, and applies the events that
// came meanwhile and that come from then on. When the stream was lost, it does so again.
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

// Mirror follows everything that is held, also across lost connections, until ctx ends. It returns when it has everything.
// Its errors: those of Events, and that of ctx.
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

// Get returns the reservations of a resource: several of a pool, or if it is held Shared. None: nobody has it by this name.
// A slot that was reserved by the name of its pool is found by that. The slice is not to be changed.
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

// Waiting returns who waits, in the order of the queue. Only with MirrorOptions.Waiting. The slice is not to be changed.
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

func (m *Mirror) run(ctx context.Context, onReady func()) {
	ctx, cancel := context.WithCancel(ctx)
	events, ended := make(chan Event), make(chan error, 1)
	go func() {
		ended <- m.api.stream(ctx, silence, func(event Event) error {
			select {
			case events <- event:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	for isOpen := true; isOpen; {
		select {
		case event := <-events:
			m.handle(ctx, event)
		case all := <-m.loaded:
			if all.load != m.load {
				break
			}
			if all.err != nil {
				m.err, isOpen = all.err, false
				break
			}
			m.take(ctx, all, onReady)
		case read := <-m.queue.reads:
			if read.err != nil {
				m.err, isOpen = read.err, false
				break
			}
			m.takeWaiting(ctx, read)
		case m.err = <-ended:
			isOpen = false
		}
	}
	cancel()
	m.disconnect()
	close(m.done)
}

func (m *Mirror) handle(ctx context.Context, event Event) {
	switch {
	case event.Type == EventConnected:
		m.read(ctx)
	case event.Type == EventDisconnected:
		m.disconnect()
	case m.isEarly:
		m.early = append(m.early, event)
		if len(m.early) > maxEarly {
			m.read(ctx)
		}
	default:
		m.mu.Lock()
		changed := m.held.apply(&event)
		m.mu.Unlock()
		m.tell(changed)
		m.queue.apply(event.Type)
	}
}

// read reads everything that is held. What came before this begins need not be applied.
func (m *Mirror) read(ctx context.Context) {
	m.forget()
	reading, stop := context.WithCancel(ctx)
	m.stop = stop
	number := m.load
	if m.options.Waiting {
		m.queue.begin(reading)
	}
	go func() {
		all := loaded{load: number}
		options := callOptions{deadline: Forever}
		all.held, all.err = list[ActiveReservation](reading, m.api, activePath, options)
		if m.options.Waiting && all.err == nil {
			all.waiting, all.err = list[WaitingRequest](reading, m.api, waitingPath, options)
		}
		select {
		case m.loaded <- all:
		case <-reading.Done():
		}
	}()
}

// take takes what was read, and applies the events that have come meanwhile.
func (m *Mirror) take(ctx context.Context, all loaded, onReady func()) {
	next := newMirrored(all.held)
	for i := range m.early {
		next.apply(&m.early[i])
	}
	m.mu.Lock()
	changed := next.changedSince(m.held)
	m.held, m.waiting, m.connected = next, all.waiting, true
	m.mu.Unlock()
	early, wasReady := m.early, m.isReady
	m.early, m.isEarly, m.isReady = nil, false, true
	if wasReady {
		m.tell(changed)
		m.tellConnection(true)
	} else {
		onReady()
	}
	for i := range early {
		m.queue.apply(early[i].Type)
	}
}

func (m *Mirror) takeWaiting(ctx context.Context, read queueRead) {
	if read.ctx.Err() != nil {
		return
	}
	m.mu.Lock()
	hasChanged := !reflect.DeepEqual(m.waiting, read.rows)
	m.waiting = read.rows
	m.mu.Unlock()
	if hasChanged {
		m.notify()
	}
}

// forget ends what belongs to a connection. Events are kept from now on.
func (m *Mirror) forget() {
	m.stop()
	m.load++
	m.early, m.isEarly = nil, true
	m.mu.Lock()
	m.connected = false
	m.mu.Unlock()
}

func (m *Mirror) disconnect() {
	was := m.Connected()
	m.forget()
	if was {
		m.tellConnection(false)
	}
}

func (m *Mirror) tellConnection(connected bool) {
	if m.options.OnConnection != nil {
		m.options.OnConnection(connected)
	}
	m.notify()
}

func (m *Mirror) tell(resources []string) {
	if m.options.OnChange != nil {
		for _, resource := range resources {
			m.options.OnChange(resource, m.Get(resource))
		}
	}
	if len(resources) > 0 {
		m.notify()
	}
}

func (m *Mirror) notify() {
	m.mu.RLock()
	listeners := make([]func(), 0, len(m.listeners))
	for _, listener := range m.listeners {
		listeners = append(listeners, listener)
	}
	m.mu.RUnlock()
	for _, listener := range listeners {
		listener()
	}
}
