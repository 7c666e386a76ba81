package holdfast

import (
	"context"
	"errors"
	"time"
)

const (
	// electionTTL is the time without a leader after a crash.
	electionTTL = 15 * time.Second
	// electionPause is the time until a candidate stands again after an error or a refusal.
	electionPause = time.Second
)

// Elect stands for election until ctx ends. At each time, one of those who stand for a name leads.
//
// onLead runs while it leads. Its context ends before the lease does, and with ctx: return then. Nobody else leads
// before onLead has returned or its lease, of 15 s, is over. HoldOf has the fencing token, which is needed before each
// write. onLost runs after onLead has returned, always and once, even after a panic. Then the candidate stands again.
//
// It returns nil when ctx has ended; an error if the service refuses the key or the name, your key function fails, or
// the client was closed.
func (c *Client) Elect(ctx context.Context, name string, onLead func(ctx context.Context), onLost func()) error {
	request := Request{Resource: name, TTL: electionTTL, Wait: maxWait}
	for ctx.Err() == nil {
		err := c.lead(ctx, request, onLead, onLost)
		if ctx.Err() != nil {
			break
		}
		if err == nil || errors.Is(err, ErrLeaseLost) {
			continue
		}
		if !errors.Is(err, ErrNotAvailable) && !endsByItself(err) {
			return err
		}
		pause(ctx, electionPause)
	}
	return nil
}

// lead waits until it leads, and returns when it does not lead any more.
func (c *Client) lead(ctx context.Context, request Request, onLead func(context.Context), onLost func()) error {
	hasLed := false
	defer func() {
		if hasLed {
			onLost()
		}
	}()
	return c.Using(ctx, request, func(ctx context.Context, _ *Hold) error {
		hasLed = true
		onLead(ctx)
		return nil
	})
}
