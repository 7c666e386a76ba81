package main

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast/holdfast/packages/go/holdfast"
)

// errWork is the error of the work.
var errWork = errors.New("the work failed")

const (
	lookEvery = 10 * time.Millisecond
	// A gap of this length between two rounds of a loop: the process was stopped.
	gap = time.Second
	// A spinning work gives up after this time.
	spinFor = 30 * time.Second
)

func (p *program) using(ctx context.Context, c command, t *task) error {
	request := c.request()
	request.OnWaiting = func(waiting holdfast.Waiting) {
		p.write(line{ID: c.ID, Event: "waiting", Fields: map[string]any{"ahead": waiting.Ahead}})
	}
	request.OnEndFixed = func(end time.Time) {
		p.write(line{ID: c.ID, Event: "endFixed", Fields: map[string]any{"end": end.Format(time.RFC3339Nano)}})
	}
	return p.client.Using(ctx, request, func(ctx context.Context, h *holdfast.Hold) error {
		t.set(func(t *task) { t.hold = h })
		p.write(line{ID: c.ID, Event: "holding", Fields: holding(h)})
		switch c.Work {
		case "spin":
			return p.spin(c, h, t)
		case "blind":
			select {
			case fail := <-t.finish:
				return finished(fail)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return p.lookOften(ctx, c, h, t)
	})
}

func finished(fail bool) error {
	if fail {
		return errWork
	}
	return nil
}

// lookOften looks at the hold as a loop is advised to.
func (p *program) lookOften(ctx context.Context, c command, h *holdfast.Hold, t *task) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if h.Err() != nil {
			p.write(line{ID: c.ID, Event: "lost"})
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case fail := <-t.finish:
			return finished(fail)
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// spin looks at the hold as its first step after the process was stopped.
func (p *program) spin(c command, h *holdfast.Hold, t *task) error {
	began := time.Now()
	for last := began; time.Since(began) < spinFor; {
		now := time.Now()
		if now.Sub(last) >= gap {
			p.write(line{ID: c.ID, Event: "woke", Fields: map[string]any{"lost": h.Err() != nil}})
			return nil
		}
		last = now
		select {
		case fail := <-t.finish:
			return finished(fail)
		default:
		}
	}
	return errWork
}
