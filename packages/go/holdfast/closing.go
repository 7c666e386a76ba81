package holdfast

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// closing closes a connection after some time, or when another context ends.
type closing struct {
	ctx      context.Context
	outer    context.Context
	timeout  time.Duration
	timedOut atomic.Bool
	timer    *time.Timer
	cancel   context.CancelFunc
}

func closeAfter(outer context.Context, timeout time.Duration) *closing {
	c := &closing{outer: outer, timeout: timeout}
	c.ctx, c.cancel = context.WithCancel(outer)
	c.timer = time.AfterFunc(timeout, func() {
		c.timedOut.Store(true)
		c.cancel()
	})
	return c
}

func (c *closing) stop() {
	c.timer.Stop()
	c.cancel()
}

// restart counts from now.
func (c *closing) restart(timeout time.Duration) {
	c.timeout = timeout
	c.timer.Reset(timeout)
}

// readAll reads a body. If it is long, the timeout is the longest pause within it.
func (c *closing) readAll(response *http.Response, isLong bool) ([]byte, error) {
	var source io.Reader = response.Body
	if isLong {
		source = readerFunc(func(into []byte) (int, error) {
			c.restart(c.timeout)
			return response.Body.Read(into)
		})
	} else {
		source = io.LimitReader(source, maxBody+1)
	}
	body, err := io.ReadAll(source)
	if err == nil && !isLong && len(body) > maxBody {
		return nil, unexpected()
	}
	return body, err
}

// explain returns the error of the outer context, if that has ended; else an *Error.
func (c *closing) explain(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if c.outer.Err() != nil {
		return c.outer.Err()
	}
	if c.timedOut.Load() {
		return unreachable(err, c.timeout)
	}
	return unreachable(err, 0)
}

type readerFunc func([]byte) (int, error)

func (read readerFunc) Read(into []byte) (int, error) { return read(into) }
