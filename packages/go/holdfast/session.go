package holdfast

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// SessionOptions are options of a new session.
type SessionOptions struct {
	// TTL is the time that it lasts without a renewal: 0 is 30 s; at least 5 s. It renews itself after each third of
	// that.
	TTL time.Duration
	// Requester says who reserves in it. "": one that is unique to the session.
	Requester string
}

// Session is many reservations of one requester that end together, kept by one heartbeat
// (docs/specification.md#sessions). It renews itself until it ends.
type Session struct {
	id        string
	requester string
	token     ReleaseToken
	ttl       time.Duration
	lease     *lease
	reserver  *reserver

	mu        sync.Mutex
	expiresAt time.Time
	ending    *ending
}

// ending is the end of a session that is under way, or done.
type ending struct {
	done     chan struct{}
	released int
	err      error
}

type begunSession struct {
	Session   string       `json:"session"`
	Token     ReleaseToken `json:"token"`
	ExpiresAt time.Time    `json:"expiresAt"`
}

// Session begins a session.
func (c *Client) Session(ctx context.Context, options SessionOptions) (*Session, error) {
	ttl, err := ttlOf(options.TTL)
	if err != nil {
		return nil, err
	}
	if ttl == Forever {
		return nil, invalid("the TTL of a session has an end")
	}
	requester := c.requesters.forSession(options.Requester)
	for {
		s, repeated, err := c.beginSession(ctx, requester, ttl)
		if err != nil {
			return nil, err
		}
		// The response may be that of an earlier attempt. Only a renewal says whether the session has ended, and when
		// it ends. It has the time that any call has: the lease may be much longer, or over.
		if repeated {
			if err := s.renew(ctx, 0); err != nil {
				return nil, err
			}
			if s.Err() != nil {
				continue
			}
		}
		if !c.keeper.keep(s.lease, s.renewInBackground) {
			_, _ = s.End(ctx)
			return nil, invalid("the client was closed")
		}
		return s, nil
	}
}

func (c *Client) beginSession(ctx context.Context, requester string, ttl time.Duration) (*Session, bool, error) {
	l := newLease("the session", c.reserver.clocks)
	offset := l.clocks.offset()
	body := map[string]any{"requester": requester, "ttlSeconds": int64(ttl / time.Second)}
	begun, err := carryOut(ctx, c.api.exchange, call[begunSession]{
		outgoing: post("/Session", body, randomText(26)),
		isResult: func(s *begunSession) bool { return s.Token != "" },
	})
	if err != nil {
		return nil, false, err
	}
	l.extend(ttl, begun.sentAt, offset)
	s := &Session{requester: requester, ttl: ttl, lease: l, reserver: c.reserver}
	s.id, s.token, s.expiresAt = begun.result.Session, begun.result.Token, begun.result.ExpiresAt
	return s, begun.repeated, nil
}

// ID names the session in lists.
func (s *Session) ID() string { return s.id }

// Requester returns the requester of all its reservations: they do not exclude each other.
func (s *Session) Requester() string { return s.requester }

// String says what it is, without its token.
func (s *Session) String() string { return "session " + s.id + " of " + s.requester }

// Format writes String, whatever the verb.
func (s *Session) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// ExpiresAt returns when it ends if it is not renewed, by the clock of the service.
func (s *Session) ExpiresAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.expiresAt
}

// Err returns nil, or why the session counts as over, as Err of a hold does. It is that of all its holds.
func (s *Session) Err() error {
	if err := s.lease.lost(); err != nil {
		return err
	}
	return nil
}

// Done returns a channel that is closed when the session is lost or about to end, as Err says.
func (s *Session) Done() <-chan struct{} { return s.lease.doneChannel() }

// Reserve reserves in this session. Its holds last as long as it does, and can be released one by one. Its errors:
// ALREADY_HAD if the session holds it, ErrLeaseLost if it has ended, and as Reserve of a client.
func (s *Session) Reserve(ctx context.Context, request Request) (*Hold, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	p, err := planOf(request, s.id)
	if err != nil {
		return nil, err
	}
	return s.reserver.take(ctx, p, s)
}

// TryReserve is Reserve, but returns false instead of ErrNotAvailable.
func (s *Session) TryReserve(ctx context.Context, request Request) (h *Hold, ok bool, err error) {
	return tried(s.Reserve(ctx, request))
}

// End ends it, and all its reservations with it. If the service cannot be reached, it tries until the session has
// ended by itself, or ctx ends. A second call gets the result of the first, unless that failed. It returns how many
// reservations it ended; 0 if they ended by themselves.
func (s *Session) End(ctx context.Context) (int, error) {
	s.mu.Lock()
	e, isFirst := s.ending, s.ending == nil
	if isFirst {
		e = &ending{done: make(chan struct{})}
		s.ending = e
	}
	s.mu.Unlock()
	if !isFirst {
		select {
		case <-e.done:
			return e.released, e.err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	s.lease.finish()
	s.reserver.keeper.drop(s.lease)
	e.released, e.err = s.sendEnd(ctx)
	if e.err != nil {
		s.mu.Lock()
		s.ending = nil
		s.mu.Unlock()
	}
	close(e.done)
	return e.released, e.err
}

func (s *Session) sendEnd(ctx context.Context) (int, error) {
	type body struct {
		Released *int `json:"released"`
	}
	c := call[body]{outgoing: s.post("/Session/end"), isResult: func(b *body) bool { return b.Released != nil }}
	c.deadline = s.lease.end()
	ended, err := carryOut(ctx, s.reserver.api.exchange, c)
	if err != nil {
		if ctx.Err() == nil && endsByItself(err) {
			return 0, nil
		}
		return 0, err
	}
	return *ended.result.Released, nil
}

// renewInBackground renews the session for the keeper.
func (s *Session) renewInBackground(done func(error)) []*renewCall {
	go func() { done(s.renew(context.Background(), s.lease.deadline())) }()
	return nil
}

// renew renews the session. If it has ended, its lease is lost.
func (s *Session) renew(ctx context.Context, deadline time.Duration) error {
	type body struct {
		Status    string    `json:"status"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	offset := s.lease.clocks.offset()
	c := call[body]{outgoing: s.post("/Session/renew"), isResult: func(b *body) bool { return b.Status != "" }}
	c.deadline, c.onFailure = deadline, func(err *Error) { s.lease.failed(err) }
	renewed, err := carryOut(ctx, s.reserver.api.exchange, c)
	s.lease.mayLast(s.ttl)
	if err != nil {
		return err
	}
	if renewed.result.Status == "NOT_FOUND" {
		s.lease.lose(leaseLost("the session has ended", nil))
		return nil
	}
	s.mu.Lock()
	s.expiresAt = renewed.result.ExpiresAt
	s.mu.Unlock()
	s.lease.extend(s.ttl, renewed.sentAt, offset)
	return nil
}

func (s *Session) post(path string) outgoing {
	return post(path, map[string]any{"session": s.id, "token": string(s.token)}, "")
}
