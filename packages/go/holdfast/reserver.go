package holdfast

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// reserver makes holds: it finds the requester, asks until the service has decided, and checks that nobody else of this
// client has it.
type reserver struct {
	api        *api
	requesters *requesters
	clocks     clocks
	keeper     *keeper
	waits      *openWaits
}

// granted is what a plan got: the service has granted it, and it is nobody else's.
type granted struct {
	answer[outcome]
	use *use
	// That of the clocks before the request.
	offset time.Duration
}

// take returns a hold. The error is an *Error, also if somebody else has it, or that of the context.
func (r *reserver) take(ctx context.Context, p *plan, in *Session) (*Hold, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if p.wait == 0 {
		g, err := r.get(ctx, p, in, nil)
		if err != nil {
			return nil, err
		}
		return r.made(ctx, p, g, in)
	}
	w := r.waits.begin(ctx, p.title, p.keys)
	defer w.end()
	g, err := r.get(w.ctx, p, in, w)
	if err != nil {
		return nil, w.explain(err)
	}
	if !w.granted() {
		r.releaseAll(g.result.results)
		r.requesters.end(g.use)
		return nil, w.explain(nil)
	}
	return r.made(ctx, p, g, in)
}

// get asks until the service has granted it. w is nil for a try.
func (r *reserver) get(ctx context.Context, p *plan, in *Session, w *wait) (*granted, error) {
	var until time.Duration
	if p.wait > 0 {
		until = r.clocks.monotonic() + p.wait
	}
	chosen := p.requester
	if in != nil {
		chosen = in.requester
	}
	for above := 0; ; {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u := r.requesters.begin(p.keys, chosen, above)
		if w != nil {
			w.by(u.requester)
		}
		offset := r.clocks.offset()
		// The wall clock may be set during a wait: the lease begins with the last request.
		asked := func() { offset = r.clocks.offset() }
		a := r.asking(p, u, in)
		a.until, a.wait, a.asked = until, w, asked
		decided, err := a.untilDecided(ctx)
		if err != nil {
			return nil, err
		}
		results := decided.result.results
		if decided.result.state != got || !areWhole(results, len(p.items)) {
			r.requesters.end(u)
			if decided.result.state != refused || decided.result.decisive == nil {
				return nil, unexpected()
			}
			return nil, r.refusal(ctx, p, decided.result.decisive, until)
		}
		isOurs, err := r.areOurs(ctx, results, p, in)
		if err != nil {
			r.requesters.end(u)
			return nil, err
		}
		if isOurs {
			return &granted{decided, u, offset}, nil
		}
		r.releaseAll(acquired(results))
		r.requesters.end(u)
		if u.number == 0 {
			return nil, &Error{Code: CodeAlreadyHad, Message: p.title + ": " + u.requester + " holds it already"}
		}
		above = u.number
	}
}

func areWhole(results []Result, wanted int) bool {
	for i := range results {
		if results[i].ReleaseToken == "" {
			return false
		}
	}
	return len(results) == wanted
}

func (r *reserver) asking(p *plan, u *use, in *Session) *asking {
	a := &asking{
		attempt:   r.api.attemptOf(p, u.requester),
		api:       r.api,
		ttl:       p.ttl,
		onWaiting: p.onWaiting,
		release:   func(o outcome) { r.releaseAll(o.results) },
		ended:     func() { r.requesters.end(u) },
	}
	if in != nil {
		a.ttl = Forever // A grant lasts as long as the session, however long the response was held.
	}
	return a
}

func (r *reserver) made(ctx context.Context, p *plan, g *granted, in *Session) (*Hold, error) {
	results, u := g.result.results, g.use
	l := newLease(p.title, r.clocks)
	if in != nil {
		l = in.lease
	} else {
		l.extend(leaseIn(results, p.ttl), g.sentAt, g.offset)
	}
	tokens := make([]ReleaseToken, len(results))
	wasHad := false
	for i := range results {
		tokens[i] = results[i].ReleaseToken
		wasHad = wasHad || results[i].Status == "ALREADY_HAD"
	}
	r.requesters.made(u, tokens, l.latestEnd)
	h := newHold(r, u, l, p.ttl, in, results)
	h.onEndFixed = p.onEndFixed
	h.tellEnd(h.fixEnd(results))
	// A reservation from before: who knows when its lease ends. After a wait: much of it may have passed.
	if in == nil && (wasHad || l.isHalfOver()) {
		if err := h.Renew(ctx, 0); err != nil {
			h.leaveSoon()
			return nil, err
		}
	}
	if ctx.Err() != nil {
		h.leaveSoon()
		return nil, ctx.Err()
	}
	return h, nil
}

// areOurs returns whether the results are nobody else's. ALREADY_HAD is another hold of this client, or ours: the
// process was restarted, or a first response was lost. Then it has to match the request.
func (r *reserver) areOurs(ctx context.Context, results []Result, p *plan, in *Session) (bool, error) {
	var had []Result
	for _, result := range results {
		if r.requesters.isHeld(result.ReleaseToken) {
			return false, nil
		}
		if result.Status == "ALREADY_HAD" {
			had = append(had, result)
		}
	}
	if len(had) == 0 {
		return true, nil
	}
	if in != nil {
		return r.areIn(ctx, in, had)
	}
	for _, result := range had {
		// No renewal makes a lease endless.
		if p.ttl == Forever && !result.ExpiresAt.IsZero() {
			return false, nil
		}
	}
	return true, nil
}

// areIn returns whether the results belong to a session.
func (r *reserver) areIn(ctx context.Context, in *Session, results []Result) (bool, error) {
	rows, err := list[ActiveReservation](ctx, r.api, activePath, callOptions{}, "requester", in.requester)
	inside := map[string]bool{}
	for _, row := range rows {
		if row.Session == in.id {
			inside[row.Resource] = true
		}
	}
	for _, result := range results {
		if !inside[result.Resource] {
			return false, err
		}
	}
	return true, err
}

// refusal returns the error of a request that was refused. After a wait, the service does not say who holds it: so this
// asks once.
func (r *reserver) refusal(ctx context.Context, p *plan, decisive *Result, until time.Duration) error {
	err := &Error{Code: Code(decisive.Status), HeldBy: decisive.HeldBy}
	err.Message = p.title + ": " + decisive.Explanation
	if until == 0 || r.clocks.monotonic() < until || !errors.Is(err, ErrNotAvailable) {
		err.Message += err.HeldBy.text()
		return err
	}
	err.Message = fmt.Sprintf("%s: its turn did not come within %v", p.title, p.wait)
	if p.items[0].Match == nil {
		err.HeldBy = r.holderOf(ctx, decisive.Resource)
	}
	err.Message += err.HeldBy.text()
	return err
}

// holderOf asks who holds a resource: one attempt, of a second.
func (r *reserver) holderOf(ctx context.Context, resource string) *HeldBy {
	checked, err := r.api.checks.call(ctx, checkItem{Resource: resource}, callOptions{deadline: 1})
	if err != nil || checked.result.Reason == nil || len(checked.result.Reason.Holders) == 0 {
		return nil
	}
	holder := checked.result.Reason.Holders[0]
	return &HeldBy{holder.Slot, holder.Requester, holder.Since, holder.Until, holder.Note}
}

// releaseAll releases what nobody has got, but for what is booked. If that fails, the lease ends it.
func (r *reserver) releaseAll(results []Result) {
	var done []chan struct{}
	for i := range results {
		one := &results[i]
		if !one.isGot() || one.Booking != "" || one.ReleaseToken == "" || r.requesters.isHeld(one.ReleaseToken) {
			continue
		}
		released := make(chan struct{})
		item := unreserveItem{ReservationKey: one.key()}
		lane := r.api.unreserves
		lane.submit(lane.entry(item, callOptions{}, func(answer[Result], error) { close(released) }))
		done = append(done, released)
	}
	for _, one := range done {
		<-one
	}
}
