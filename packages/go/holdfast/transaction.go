package holdfast

import (
	"context"
	"strings"
	"time"
)

// Method says which requests of a transaction have to succeed.
type Method string

const (
	AllOrNone        Method = "ALL_OR_NONE"
	AsManyAsPossible Method = "AS_MANY_AS_POSSIBLE"
	First            Method = "FIRST"
)

// RequestType of a request of a transaction.
type RequestType string

const (
	// Reserve takes a resource.
	Reserve RequestType = "RESERVE"
	// Unreserve releases a reservation.
	Unreserve RequestType = "UNRESERVE"
)

// TransactionRequest is one request of a transaction.
type TransactionRequest struct {
	Type RequestType
	// Resource, or the Match of a reserve.
	Resource string
	Match    Match
	// Requester is the client's if it is "".
	Requester string
	// ReleaseToken of an Unreserve.
	ReleaseToken ReleaseToken
	// TTL is the lease: 0 is 30 s. Session: instead of it.
	TTL     time.Duration
	Session string
	Count   int
	Mode    Mode
	Note    string
}

// Transaction is sent as it is (docs/specification.md#transactions).
type Transaction struct {
	Method   Method
	Requests []TransactionRequest
	// Wait is the longest time to wait, at most 24 h.
	Wait     time.Duration
	Priority int
}

// TransactionResult is the response to a transaction. Look at its status, and at that of each result.
type TransactionResult struct {
	Method Method `json:"method"`
	// Status is APPLIED, ROLLED_BACK or WAITING.
	Status  string   `json:"status"`
	Results []Result `json:"results"`
}

type transactionBody struct {
	Method      Method `json:"method"`
	Requests    []any  `json:"requests"`
	WaitSeconds int64  `json:"waitSeconds,omitempty"`
	Priority    int    `json:"priority,omitempty"`
}

// transactionPoll is the time for which the response to a transaction that waits is held, in seconds.
const transactionPoll = 10

// Transaction sends a transaction as it is, with durations. Requests without a requester get the client's, without a
// number. Using and Reserve take several names more simply. If ctx ends, a wait is cancelled; a transaction that is
// under way may still be carried out.
func (c *Client) Transaction(ctx context.Context, t Transaction) (TransactionResult, error) {
	wait, err := waitOf(t.Wait)
	if err != nil {
		return TransactionResult{}, err
	}
	if err := checkPriority(t.Priority); err != nil {
		return TransactionResult{}, err
	}
	if len(t.Requests) == 0 {
		return TransactionResult{}, invalid("at least one request is needed")
	}
	body := transactionBody{Method: t.Method, WaitSeconds: int64(wait / time.Second)}
	if wait > 0 {
		body.Priority = t.Priority
	}
	for _, request := range t.Requests {
		item, err := request.item(c.Requester(), wait > 0)
		if err != nil {
			return TransactionResult{}, err
		}
		body.Requests = append(body.Requests, item)
	}
	ask := c.api.askTransaction(body, randomText(26))
	if wait == 0 {
		one, err := ask(ctx, 0, callOptions{})
		return one.result.response, err
	}
	first := t.Requests[0]
	ticket := cancelItem{Resource: first.name(), Requester: first.Requester}
	if ticket.Requester == "" {
		ticket.Requester = c.Requester()
	}
	if ctx.Err() != nil {
		return TransactionResult{}, ctx.Err()
	}
	w := c.reserver.waits.begin(ctx, ticket.Resource, t.names())
	defer w.end()
	w.by(ticket.Requester)
	waiting := &asking{
		attempt:     &attempt{title: ticket.Resource, ask: ask, ticket: ticket},
		api:         c.api,
		until:       monotonicNow() + wait,
		wait:        w,
		ttl:         Forever,
		pollSeconds: transactionPoll,
		release:     func(o outcome) { c.reserver.releaseAll(acquired(o.results)) },
		ended:       func() {},
	}
	decided, err := waiting.untilDecided(w.ctx)
	if err == nil && !w.granted() {
		waiting.release(decided.result)
		return TransactionResult{}, w.explain(nil)
	}
	return decided.result.response, w.explain(err)
}

// names returns the names and the texts of the matches of its requests.
func (t Transaction) names() []string {
	names := make([]string, len(t.Requests))
	for i, request := range t.Requests {
		names[i] = request.name()
	}
	return names
}

// name returns the resource, or the text of the match.
func (r TransactionRequest) name() string {
	if r.Resource == "" {
		return r.Match.text()
	}
	return r.Resource
}

// item returns a request as the service takes it.
func (r TransactionRequest) item(requester string, isWaiting bool) (any, error) {
	if r.Requester != "" {
		requester = r.Requester
	}
	switch r.Type {
	case Unreserve:
		key := ReservationKey{r.Resource, requester, r.ReleaseToken}
		return unreserveItem{RequestType: string(r.Type), ReservationKey: key}, nil
	case Reserve:
		item := reserveItem{RequestType: string(r.Type), Requester: requester, Resource: r.Resource, Match: r.Match}
		item.Session, item.Count, item.Mode, item.Note = r.Session, r.Count, r.Mode, r.Note
		ttl, err := ttlOf(r.TTL)
		if err == nil && ttl == Forever && r.Session == "" && isWaiting {
			err = invalid(waitNeedsTTL)
		}
		if ttl != Forever && r.Session == "" {
			item.TTLSeconds = int64(ttl / time.Second)
		}
		return item, err
	}
	types := strings.Join([]string{string(Reserve), string(Unreserve)}, " or ")
	return nil, invalid("Type of a request is " + types)
}

func acquired(results []Result) []Result {
	var found []Result
	for _, result := range results {
		if result.Status == "ACQUIRED" {
			found = append(found, result)
		}
	}
	return found
}
