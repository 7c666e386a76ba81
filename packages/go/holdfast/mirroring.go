package holdfast

import (
	"context"
	"reflect"
)

// run follows the service until ctx ends, or the mirror fails.
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
			// What belongs to a connection that has ended says nothing, neither do its errors.
			if all.load != m.load || ctx.Err() != nil {
				break
			}
			if all.err != nil {
				m.err, isOpen = all.err, false
				break
			}
			m.take(all, onReady)
		case read := <-m.queue.reads:
			if read.ctx.Err() != nil {
				break
			}
			if read.err != nil {
				m.err, isOpen = read.err, false
				break
			}
			m.takeWaiting(read.rows)
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
func (m *Mirror) take(all loaded, onReady func()) {
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

func (m *Mirror) takeWaiting(rows []WaitingRequest) {
	m.mu.Lock()
	hasChanged := !reflect.DeepEqual(m.waiting, rows)
	m.waiting = rows
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
