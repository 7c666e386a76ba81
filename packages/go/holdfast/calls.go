package holdfast

import (
	"context"
	"net/url"
	"time"
)

// Release releases a reservation by its token, that of another process, for example. It returns whether it was held
// until now. Its error is DOESNT_OWN_RESERVATION if the token is wrong, or somebody else has it.
func (c *Client) Release(ctx context.Context, key ReservationKey) (bool, error) {
	return c.ReleaseAs(ctx, key, "", "")
}

// ReleaseAs is Release with the condition of its slots from now on, and why.
func (c *Client) ReleaseAs(ctx context.Context, key ReservationKey, condition Condition, reason string) (bool, error) {
	item := unreserveItem{ReservationKey: key, Condition: condition, Reason: reason}
	released, err := c.api.unreserves.call(ctx, item, callOptions{})
	if err != nil {
		return false, err
	}
	if Code(released.result.Status) == CodeDoesntOwnReservation {
		return false, refusal(key.Resource, &released.result)
	}
	return released.result.Status == "RELINQUISHED", nil
}

// Renew renews a reservation by its token: it then ends ttl from now; 0: 30 s. It returns when it ends, by the clock of
// the service. Its errors: NOT_RESERVED, DOESNT_OWN_RESERVATION.
func (c *Client) Renew(ctx context.Context, key ReservationKey, ttl time.Duration) (time.Time, error) {
	seconds, err := ttlOf(ttl)
	if err != nil {
		return time.Time{}, err
	}
	if seconds == Forever {
		return time.Time{}, invalid("a renewal has an end")
	}
	renewed, err := c.api.renews.call(ctx, renewItem{key, int64(seconds / time.Second), 0}, callOptions{})
	if err != nil {
		return time.Time{}, err
	}
	if renewed.result.Status != "RENEWED" {
		return time.Time{}, refusal(key.Resource, &renewed.result)
	}
	return renewed.result.ExpiresAt, nil
}

func refusal(resource string, result *Result) error {
	return &Error{Code: Code(result.Status), Message: resource + ": " + result.Explanation}
}

// Check says who holds a resource and whether it could be reserved.
func (c *Client) Check(ctx context.Context, resource string) (CheckResult, error) {
	results, err := c.CheckAll(ctx, []string{resource}, "")
	if err != nil {
		return CheckResult{}, err
	}
	return results[0], nil
}

// CheckAll says who holds resources and whether they could be reserved. requester: by whom; "": by anybody.
func (c *Client) CheckAll(ctx context.Context, resources []string, requester string) ([]CheckResult, error) {
	items := make([]checkItem, len(resources))
	for i, resource := range resources {
		items[i] = checkItem{resource, requester}
	}
	answers, err := callAll(ctx, c.api.checks, items)
	results := make([]CheckResult, len(answers))
	for i := range answers {
		results[i] = answers[i].result()
	}
	return results, err
}

// Available returns whether a slot of a resource is free.
func (c *Client) Available(ctx context.Context, resource string) (bool, error) {
	checked, err := c.Check(ctx, resource)
	return err == nil && !checked.Reserved, err
}

// Cancel ends the waits for a resource: of a requester; "": of this client. Waits of this client end with
// ErrNotAvailable. If one was granted in that moment, the grant is released. It returns whether there was one.
func (c *Client) Cancel(ctx context.Context, resource, requester string) (bool, error) {
	requesters := []string{requester}
	if requester == "" {
		requesters = c.requesters.waitingFor(resource)
	}
	items := make([]cancelItem, len(requesters))
	for i, one := range requesters {
		items[i] = cancelItem{resource, one}
	}
	wasOne, ended := c.reserver.waits.cancel(resource, requesters)
	answers, err := callAll(ctx, c.api.cancels, items)
	if err != nil {
		return wasOne, err
	}
	for _, one := range ended {
		// Not for ever: WithOnRetry may be the caller, and its call goes on only after this.
		waitFor(one, lingerTime)
	}
	for _, one := range answers {
		wasOne = wasOne || one.Status == "CANCELLED"
	}
	return wasOne, nil
}

// Filter says which reservations or waits to list. An empty field is no condition.
type Filter struct {
	// Resource as it was requested.
	Resource  string
	Requester string
}

// Active lists reservations.
func (c *Client) Active(ctx context.Context, filter Filter) ([]ActiveReservation, error) {
	return list[ActiveReservation](ctx, c.api, activePath, callOptions{}, filter.query()...)
}

// Waiting lists who waits, in the order of the queue.
func (c *Client) Waiting(ctx context.Context, filter Filter) ([]WaitingRequest, error) {
	return list[WaitingRequest](ctx, c.api, waitingPath, callOptions{}, filter.query()...)
}

const (
	activePath  = "/Reservation/activeReservations"
	waitingPath = "/Reservation/waiting"
)

func (f Filter) query() []string { return []string{"resource", f.Resource, "requester", f.Requester} }

// Sessions lists sessions.
func (c *Client) Sessions(ctx context.Context) ([]SessionInfo, error) {
	return list[SessionInfo](ctx, c.api, "/Session", callOptions{})
}

// Register registers pools, blockers, trees and labels: all of them or none. It returns them as stored.
func (c *Client) Register(ctx context.Context, definitions ...Registration) ([]Definition, error) {
	return rows[Definition](ctx, c.api, "POST", "/Resource/register", definitions)
}

// Definitions lists definitions. label: those with it, such as os=android; "": all.
func (c *Client) Definitions(ctx context.Context, label string) ([]Definition, error) {
	return list[Definition](ctx, c.api, "/Resource/definitions", callOptions{}, "label", label)
}

// Tree returns the tree of all definitions, with free slots and waits.
func (c *Client) Tree(ctx context.Context) ([]TreeNode, error) {
	return list[TreeNode](ctx, c.api, "/Resource/tree", callOptions{})
}

// SetCondition sets the condition of slots; of a pool, of all its slots. reason says why, for people. Look at the
// status of each result: it may be NOT_VALID.
func (c *Client) SetCondition(
	ctx context.Context, resources []string, condition Condition, reason string,
) ([]ConditionResult, error) {
	type item struct {
		Resource  string    `json:"resource"`
		Condition Condition `json:"condition"`
		Reason    string    `json:"reason,omitempty"`
	}
	items := make([]item, len(resources))
	for i, resource := range resources {
		items[i] = item{resource, condition, reason}
	}
	return rows[ConditionResult](ctx, c.api, "PUT", "/Resource/condition", items)
}

// Unregister deletes a definition; with cascade, those below it too. It returns the names that were deleted. Its
// errors: NOT_REGISTERED, REFUSED if it is held or others are below it.
func (c *Client) Unregister(ctx context.Context, name string, cascade bool) ([]string, error) {
	path := "/Resource/" + url.PathEscape(name)
	if cascade {
		path += "?cascade=true"
	}
	type body struct {
		Deleted []string `json:"deleted"`
	}
	got, err := carryOut(ctx, c.api.exchange, call[body]{
		outgoing: outgoing{method: "DELETE", path: path},
		isResult: func(b *body) bool { return b.Deleted != nil },
	})
	return got.result.Deleted, err
}

// Reset ends all reservations and waits of the tenant. Definitions stay. It returns how many reservations it ended.
func (c *Client) Reset(ctx context.Context) (int, error) {
	type body struct {
		Cleared *int `json:"cleared"`
	}
	got, err := carryOut(ctx, c.api.exchange, call[body]{
		outgoing: outgoing{method: "POST", path: "/Reservation/reset", idempotencyKey: randomText(26)},
		isResult: func(b *body) bool { return b.Cleared != nil },
	})
	if err != nil {
		return 0, err
	}
	return *got.result.Cleared, nil
}
