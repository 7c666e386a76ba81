package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast/holdfast/packages/go/holdfast"
)

// command is a line of stdin.
type command struct {
	ID      int
	Do      string
	Target  names
	Options options
	Work    string
	Of      int
	Fail    bool
	Session int
	TTL     duration
	Types   []holdfast.EventType
}

// options have the names of TypeScript.
type options struct {
	TTL       duration
	MinTTL    duration `json:"minTtl"`
	Wait      duration
	Priority  int
	Count     int
	Mode      holdfast.Mode
	Condition holdfast.Condition
	Match     map[string]names
	Quantity  int
	Note      string
	Requester string
}

// names is a text, or a list of them.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(n))
}

type duration time.Duration

func (d *duration) UnmarshalJSON(text []byte) error {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	read, err := time.ParseDuration(written)
	*d = duration(read)
	return err
}

func (c command) request() holdfast.Request {
	o := c.Options
	r := holdfast.Request{
		Resources: c.Target, TTL: time.Duration(o.TTL), MinTTL: time.Duration(o.MinTTL),
		Wait: time.Duration(o.Wait), Priority: o.Priority,
		Count: o.Count, Mode: o.Mode, Condition: o.Condition, Quantity: o.Quantity, Note: o.Note,
		Requester: o.Requester,
	}
	if o.Match != nil {
		r.Match = holdfast.Match{}
		for label, values := range o.Match {
			r.Match[label] = holdfast.OneOf(values...)
		}
	}
	return r
}

var none = map[string]any{}

func (p *program) do(ctx context.Context, c command, t *task) (any, error) {
	switch c.Do {
	case "using":
		return none, p.using(ctx, c, t)
	case "finish":
		select {
		case p.of(c).finish <- c.Fail:
		default:
		}
		return none, nil
	case "cancel":
		p.of(c).cancel()
		return none, nil
	case "reserve", "tryReserve":
		return p.reserve(ctx, c, t)
	case "look":
		return p.look(c), nil
	case "renew":
		return none, p.of(c).hold.Renew(ctx, time.Duration(c.TTL))
	case "release":
		released, err := p.of(c).hold.Release(ctx)
		return map[string]any{"released": released}, err
	case "show":
		return map[string]any{"text": p.show(p.of(c))}, nil
	case "session":
		session, err := p.client.Session(ctx, holdfast.SessionOptions{TTL: time.Duration(c.Options.TTL)})
		if err != nil {
			return nil, err
		}
		t.set(func(t *task) { t.session = session })
		return map[string]any{"requester": session.Requester()}, nil
	case "end":
		released, err := p.of(c).session.End(ctx)
		return map[string]any{"released": released}, err
	case "events":
		return none, p.client.Events(ctx, func(event holdfast.Event) error {
			p.write(line{ID: c.ID, Event: string(event.Type), Fields: fieldsOf(event)})
			return nil
		}, c.Types...)
	case "mirror":
		return none, p.mirror(ctx, c, t)
	case "mirrored":
		return map[string]any{"held": held(p.of(c).mirror)}, nil
	}
	return nil, errUnsupported
}

var errUnsupported = errors.New("this program has no such command")

func (p *program) reserve(ctx context.Context, c command, t *task) (any, error) {
	reserve, tryReserve := p.client.Reserve, p.client.TryReserve
	if c.Session != 0 {
		p.mu.Lock()
		session := p.tasks[c.Session].session
		p.mu.Unlock()
		reserve, tryReserve = session.Reserve, session.TryReserve
	}
	hold, ok, err := (*holdfast.Hold)(nil), true, error(nil)
	if c.Do == "reserve" {
		hold, err = reserve(ctx, c.request())
	} else {
		hold, ok, err = tryReserve(ctx, c.request())
	}
	if err != nil || !ok {
		return nil, err
	}
	t.set(func(t *task) { t.hold = hold })
	fields := holding(hold)
	fields["remainingMs"] = hold.Remaining().Milliseconds()
	return fields, nil
}

func holding(h *holdfast.Hold) map[string]any {
	return map[string]any{
		"resources": h.Resources, "slots": h.Slots, "fencingToken": h.FencingToken, "requester": h.Requester,
	}
}

func (p *program) look(c command) map[string]any {
	t := p.of(c)
	if t.session != nil {
		return map[string]any{"lost": t.session.Err() != nil}
	}
	return map[string]any{"lost": t.hold.Err() != nil, "remainingMs": t.hold.Remaining().Milliseconds()}
}

func (p *program) show(t *task) string {
	text := fmt.Sprintf("%v %+v %#v", p.client, p.client, p.client)
	if t.session != nil {
		return text + fmt.Sprintf(" %v %+v %#v", t.session, t.session, t.session)
	}
	return text + fmt.Sprintf(" %v %+v %#v %+v", t.hold, t.hold, t.hold, t.hold.Reservations())
}

func (p *program) mirror(ctx context.Context, c command, t *task) error {
	write := func(event string, fields map[string]any) { p.write(line{ID: c.ID, Event: event, Fields: fields}) }
	mirror, err := p.client.Mirror(ctx, holdfast.MirrorOptions{
		OnChange: func(resource string, reservations []holdfast.MirroredReservation) {
			write("change", map[string]any{"resource": resource, "requesters": requesters(reservations)})
		},
		OnConnection: func(connected bool) { write("connection", map[string]any{"connected": connected}) },
	})
	if err != nil {
		return err
	}
	t.set(func(t *task) { t.mirror = mirror })
	write("open", none)
	return mirror.Err()
}

func held(m *holdfast.Mirror) map[string][]string {
	all := map[string][]string{}
	for _, name := range m.Names() {
		all[name] = requesters(m.Get(name))
	}
	return all
}

func requesters(reservations []holdfast.MirroredReservation) []string {
	found := []string{}
	for _, one := range reservations {
		found = append(found, one.Requester)
	}
	return found
}

func fieldsOf(event holdfast.Event) map[string]any {
	fields := map[string]any{}
	if event.Resource != "" {
		fields["resource"] = event.Resource
	}
	if event.Requester != "" {
		fields["requester"] = event.Requester
	}
	return fields
}

// described returns the error of a command.
func described(err error, ctx context.Context) map[string]any {
	fields := map[string]any{"code": codeOf(err), "message": err.Error()}
	var own *holdfast.Error
	switch {
	case errors.Is(err, errWork) && !errors.Is(err, holdfast.ErrLeaseLost):
	case errors.Is(err, errUnsupported):
		fields["code"] = "UNSUPPORTED"
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fields["code"] = "CANCELLED"
	case errors.As(err, &own):
		addDetails(fields, own)
	}
	return fields
}

func addDetails(fields map[string]any, own *holdfast.Error) {
	if cause := own.Unwrap(); cause != nil {
		fields["cause"] = codeOf(cause)
		if fields["cause"] == "OTHER" {
			fields["cause"] = cause.Error()
		}
	}
	if own.Status != 0 {
		fields["status"] = own.Status
	}
	if own.HeldBy != nil {
		fields["heldBy"] = own.HeldBy
	}
	if own.LimitType != "" {
		fields["limitType"] = own.LimitType
	}
	if own.RetryAfter != 0 {
		fields["retryAfterMs"] = own.RetryAfter.Milliseconds()
	}
}

func codeOf(err error) string {
	if err == errWork {
		return "WORK"
	}
	var own *holdfast.Error
	if errors.As(err, &own) {
		return string(own.Code)
	}
	return "OTHER"
}
