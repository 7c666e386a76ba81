package holdfast

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

const (
	// silence is three keepalives: a connection that died without a sign looks like one without events.
	silence = 45 * time.Second
	// opening is the longest time until a stream begins.
	opening = 10 * time.Second
	// After a stream that lasted this long, the next one is opened without a long delay.
	lasting = 5 * time.Second
)

// Events calls a function with every change of the tenant, in order, until ctx ends or the function returns an error,
// which it returns. types: only events of these types; none: all. Changes of the connection are always told:
//
//   - EventConnected comes first, and again after each EventDisconnected. From here on nothing is missing.
//   - After EventDisconnected changes are missing until the next EventConnected. The service has no replay, so read
//     Active at each EventConnected, or use a Mirror.
//
// Nothing is buffered. If the function falls more than 1 MiB behind, the service ends the connection.
//
// Events returns nil when ctx has ended; an error if the first connection cannot be made within 30 s (WithRetryFor),
// and if the service refuses the key.
func (c *Client) Events(ctx context.Context, handle func(Event) error, types ...EventType) error {
	wanted := map[EventType]bool{EventConnected: true, EventDisconnected: true}
	for _, one := range types {
		wanted[one] = true
	}
	return c.api.stream(ctx, silence, func(event Event) error {
		if len(types) > 0 && !wanted[event.Type] {
			return nil
		}
		return handle(event)
	})
}

// stopped is an error of the function that handles events.
type stopped struct{ error }

// stream opens the stream of events, again and again until ctx ends.
func (a *api) stream(ctx context.Context, silence time.Duration, handle func(Event) error) error {
	deadline := a.deadline()
	for tries := 1; ; tries++ {
		var openedAt time.Duration
		err := a.connection(ctx, silence, func(event Event) error {
			if openedAt == 0 {
				openedAt = monotonicNow()
			}
			if err := handle(event); err != nil {
				return stopped{err}
			}
			return nil
		})
		var own stopped
		if errors.As(err, &own) {
			return own.error
		}
		if ctx.Err() != nil {
			return nil
		}
		if openedAt != 0 {
			deadline = Forever
			if monotonicNow()-openedAt > lasting {
				tries = 1
			}
			if err := handle(Event{Type: EventDisconnected}); err != nil {
				return err
			}
		}
		failure := asError(err)
		delay, isRepeated := delayBefore(failure, tries, deadline)
		if !isRepeated {
			return failure
		}
		a.tell(failure, tries, delay)
		pause(ctx, delay)
		if ctx.Err() != nil {
			return nil
		}
	}
}

// connection handles EventConnected, then the events of one connection until it ends. It always returns an error.
func (a *api) connection(ctx context.Context, silence time.Duration, handle func(Event) error) error {
	response, closing, err := a.open(ctx, "/events", opening)
	if err != nil {
		return err
	}
	defer closing.stop()
	defer response.Body.Close()
	isOpen := false
	lines := bufio.NewReader(readerFunc(func(into []byte) (int, error) {
		closing.restart(silence)
		n, err := response.Body.Read(into)
		closing.timer.Stop()
		return n, err
	}))
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the stream of events ended")
			}
			return closing.explain(err)
		}
		// The service begins with a comment.
		if !isOpen {
			isOpen = true
			if err := handle(Event{Type: EventConnected}); err != nil {
				return err
			}
		}
		// An event has one line of data. Its other line is its type, which the data has, too.
		data := strings.TrimPrefix(line, "data: ")
		if data == line {
			continue
		}
		var event Event
		if json.Unmarshal([]byte(data), &event) != nil {
			return unexpected()
		}
		if err := handle(event); err != nil {
			return err
		}
	}
}
