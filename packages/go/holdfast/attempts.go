package holdfast

import (
	"context"
	"encoding/json"
	"strconv"
	"time"
)

// state of an attempt.
type state int

const (
	got state = iota
	waits
	refused
)

// outcome is the response to an attempt.
type outcome struct {
	state state
	// The reservations, if it got them.
	results []Result
	// The result that decides: the first that was refused or waits.
	decisive *Result
	waiting  *Waiting
	// Of a transaction.
	response TransactionResult
}

// attempt is one request that takes what a plan wants. It can be sent again while it waits.
type attempt struct {
	// The names of its resources, for messages.
	title string
	ask   func(ctx context.Context, pollSeconds int, options callOptions) (answer[outcome], error)
	// The ticket that ends when the caller gives up.
	ticket cancelItem
	// True of a reserve item. Its first call is not held.
	isAlone bool
}

// attemptOf returns a reserve item, or a transaction if the plan wants several resources.
func (a *api) attemptOf(p *plan, requester string) *attempt {
	seconds := int64(p.wait / time.Second)
	made := &attempt{title: p.title, ticket: cancelItem{Resource: p.keys[0], Requester: requester}}
	if len(p.items) > 1 {
		body := transactionBody{Method: AllOrNone, WaitSeconds: seconds, Priority: p.priority}
		for _, item := range p.items {
			item.RequestType, item.Requester = "RESERVE", requester
			body.Requests = append(body.Requests, item)
		}
		made.ask = a.askTransaction(body, "")
		return made
	}
	made.isAlone = true
	item := p.items[0]
	item.Requester = requester
	// The service counts from the first request, so each repeat says the same.
	if seconds > 0 {
		item.WaitSeconds, item.Priority = seconds, p.priority
	}
	made.ask = func(ctx context.Context, pollSeconds int, options callOptions) (answer[outcome], error) {
		one, err := a.reserve(ctx, item, pollSeconds, options)
		if err != nil {
			return answer[outcome]{}, err
		}
		state := refused
		if one.result.isGot() {
			state = got
		} else if one.result.Status == "WAITING" {
			state = waits
		}
		return answer[outcome]{outcomeOf([]Result{one.result}, state), one.sentAt, one.repeated}, nil
	}
	return made
}

// askTransaction returns what sends a transaction. idempotencyKey makes a repeat safe; it needs the same pollSeconds
// each time.
func (a *api) askTransaction(
	body transactionBody, idempotencyKey string,
) func(context.Context, int, callOptions) (answer[outcome], error) {
	text, _ := json.Marshal(body) // cannot fail
	return func(ctx context.Context, pollSeconds int, options callOptions) (answer[outcome], error) {
		c := call[TransactionResult]{callOptions: options}
		c.method, c.path, c.body, c.idempotencyKey = "POST", "/Reservation/transaction", text, idempotencyKey
		if body.WaitSeconds > 0 {
			c.path += "?pollSeconds=" + strconv.Itoa(pollSeconds)
			c.held = time.Duration(pollSeconds) * time.Second
		}
		c.isResult = func(result *TransactionResult) bool {
			_, isKnown := states[result.Status]
			return isKnown && result.Results != nil
		}
		response, err := carryOut(ctx, a.exchange, c)
		if err != nil {
			return answer[outcome]{}, err
		}
		var reserves []Result
		for _, result := range response.result.Results {
			if result.isReserve() {
				reserves = append(reserves, result)
			}
		}
		o := outcomeOf(reserves, states[response.result.Status])
		o.response = response.result
		return answer[outcome]{o, response.sentAt, response.repeated}, nil
	}
}

var states = map[string]state{"APPLIED": got, "WAITING": waits, "ROLLED_BACK": refused}

// isReserve returns whether it is the result of a reserve, not of a release.
func (r *Result) isReserve() bool {
	switch r.Status {
	case "RELINQUISHED", "NOT_RESERVED", "DOESNT_OWN_RESERVATION":
		return false
	}
	return true
}

func outcomeOf(results []Result, s state) outcome {
	o := outcome{state: s, results: results}
	for i := range results {
		result := &results[i]
		if result.Waiting != nil && o.waiting == nil {
			o.waiting = result.Waiting
		}
		if result.isGot() {
			continue
		}
		if o.decisive == nil || (o.decisive.Explanation == "ROLLED_BACK" && result.Explanation != "ROLLED_BACK") {
			o.decisive = result
		}
	}
	return o
}
