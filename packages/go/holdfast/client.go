// Package holdfast is the client of Holdfast: locks, leases, pools and queues as a service.
//
//	client, err := holdfast.New("http://localhost:8080", holdfast.WithKey(key))
//	err = client.Using(ctx, holdfast.Request{Resource: "printer", Wait: 5 * time.Minute},
//		func(ctx context.Context, h *holdfast.Hold) error {
//			return print(ctx, h.FencingToken)
//		})
//
// Using waits for its turn in a fair queue, renews the lease while the function runs, and releases it however the
// function ends. Its context ends before the lease does.
package holdfast

import (
	"context"
	"errors"
	"time"
)

// Client calls the service. It is safe for goroutines.
type Client struct {
	api        *api
	requesters *requesters
	reserver   *reserver
	keeper     *keeper
}

// Option is an option of a client.
type Option func(*options)

type options struct {
	key keySource
	// The key, if it never changes; else nil.
	fixed     *string
	requester string
	retryFor  time.Duration
	onRetry   func(Retry)
}

// WithKey sets the API key, or a token.
func WithKey(key string) Option {
	return func(o *options) {
		o.fixed, o.key = &key, func(context.Context, string) (string, error) { return key, nil }
	}
}

// WithKeyFunc sets a function that returns the key. It is called for each request: for keys that rotate and tokens that
// expire. If the service refuses a key, it is called once more, with that key; else refused is "".
func WithKeyFunc(key func(ctx context.Context, refused string) (string, error)) Option {
	return func(o *options) {
		o.fixed = nil
		o.key = func(ctx context.Context, refused string) (string, error) {
			value, err := key(ctx, refused)
			if err != nil && ctx.Err() == nil {
				return "", &Error{Code: CodeInvalidOption, Message: "the key function failed", cause: err}
			}
			return value, err
		}
	}
}

// WithRequester sets who reserves. The default is unique to the client: host, process and random characters. Two
// clients with one requester do not exclude each other, and the first one that releases ends the hold of both.
func WithRequester(requester string) Option { return func(o *options) { o.requester = requester } }

// WithRetryFor sets the time for which calls are repeated while the service cannot be reached: 30 s by default; 0: not
// at all. Calls that wait, renewals and releases of holds have times of their own.
func WithRetryFor(d time.Duration) Option { return func(o *options) { o.retryFor = d } }

// WithOnRetry sets a function that is called before each repeat of a request: for logs and metrics. It must not block.
func WithOnRetry(onRetry func(Retry)) Option { return func(o *options) { o.onRetry = onRetry } }

// New makes a client of the service at an address, without /api/v1. It needs WithKey or WithKeyFunc. Its errors are
// INVALID_OPTION.
func New(address string, with ...Option) (*Client, error) {
	o := options{retryFor: 30 * time.Second}
	for _, option := range with {
		option(&o)
	}
	return newClient(address, o, systemClocks)
}

func newClient(address string, o options, c clocks) (*Client, error) {
	if o.key == nil {
		return nil, invalid("a key is needed: WithKey or WithKeyFunc")
	}
	if o.fixed != nil {
		if err := checkKey(*o.fixed); err != nil {
			return nil, err
		}
	}
	lasting, err := wholeSeconds(o.retryFor, "WithRetryFor")
	if err != nil {
		return nil, err
	}
	x, err := newExchange(address, o.key, retries{lasting, o.onRetry})
	if err != nil {
		return nil, err
	}
	made := &Client{api: newAPI(x), requesters: newRequesters(o.requester, c)}
	made.keeper = newKeeper(made.api, c)
	made.reserver = &reserver{made.api, made.requesters, c, made.keeper, newOpenWaits()}
	return made, nil
}

// String says where the service is and who calls, without the key.
func (c *Client) String() string { return "holdfast client " + c.Requester() + " of " + c.api.base }

// GoString is String.
func (c *Client) GoString() string { return c.String() }

// Requester returns who this client is: unique to it, unless you chose a requester. Reservations of one name that it
// holds at the same time are made by <requester>#2, <requester>#3 and so on. Those of different names are made by the
// same requester: below one ancestor, they share its slot (docs/specification.md#how-a-plan-is-met).
func (c *Client) Requester() string { return c.requesters.base }

// Close stops renewing, and releases nothing: leases end by themselves. Using and Session fail from now on.
func (c *Client) Close() {
	c.keeper.close()
	c.api.client.CloseIdleConnections()
}

// Reserve reserves, and waits for its turn if Wait says so. Nothing renews the hold: call Renew, or use Using. Several
// names are taken together or not at all.
//
// Its errors: ErrNotAvailable (with HeldBy, if the service knows), NOT_VALID, ALREADY_HAD if another hold of this
// client has it under a requester that you chose, the errors of the service, and that of ctx. If ctx ends, a wait
// gives up its place in the queue.
func (c *Client) Reserve(ctx context.Context, request Request) (*Hold, error) {
	p, err := planOf(request, "")
	if err != nil {
		return nil, err
	}
	return c.reserver.take(ctx, p, nil)
}

// TryReserve is Reserve, but returns false instead of ErrNotAvailable.
func (c *Client) TryReserve(ctx context.Context, request Request) (h *Hold, ok bool, err error) {
	return tried(c.Reserve(ctx, request))
}

func tried(h *Hold, err error) (*Hold, bool, error) {
	if errors.Is(err, ErrNotAvailable) {
		return nil, false, nil
	}
	return h, err == nil, err
}
