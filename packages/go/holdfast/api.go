package holdfast

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// lingering is the time for which an aborted call may still be answered. Its reservations are then released: the answer
// may be on its way, and the connection would be lost with it.
const lingering = 2 * time.Second

// api has the calls of the service, one item each. Lost connections and 503 are repeated with backoff, and 429 after
// Retry-After. A reserve that was repeated may answer ALREADY_HAD where the first answer, ACQUIRED, was lost.
type api struct {
	*exchange
	reserves   *lane[reserveItem, Result]
	unreserves *lane[unreserveItem, Result]
	renews     *lane[renewItem, Result]
	checks     *lane[checkItem, checkAnswer]
	cancels    *lane[cancelItem, Result]
}

func newAPI(x *exchange) *api {
	a := &api{
		exchange:   x,
		unreserves: newLane(x, unreserveKind),
		renews:     newLane(x, renewKind),
		checks:     newLane(x, checkKind),
		cancels:    newLane(x, cancelKind),
	}
	reserve := reserveKind
	reserve.late = a.releaseLate
	a.reserves = newLane(x, reserve)
	return a
}

// releaseLate releases what a call got that was given up. If that fails, the lease ends it.
func (a *api) releaseLate(result *Result) {
	if result.Status == "ACQUIRED" && result.ReleaseToken != "" {
		item := unreserveItem{ReservationKey: result.key()}
		a.unreserves.submit(a.unreserves.entry(item, callOptions{}, func(answer[Result], error) {}))
	}
}

// reserve sends a try, or, with waitSeconds in the item, one long poll of so many seconds: WAITING means to call again
// with the same item. With 0 it is not held, and calls of one name are carried out in their order.
func (a *api) reserve(
	ctx context.Context, item reserveItem, pollSeconds int, options callOptions,
) (answer[Result], error) {
	if item.WaitSeconds == 0 || pollSeconds == 0 {
		return a.reserves.call(ctx, item, options)
	}
	body, _ := json.Marshal([]reserveItem{item}) // cannot fail
	polled := call[[]Result]{
		outgoing: outgoing{
			method: "POST", path: "/Reservation/reserve?pollSeconds=" + strconv.Itoa(pollSeconds), body: body,
		},
		held:        time.Duration(pollSeconds) * time.Second,
		late:        func(results []Result) { a.releaseLate(&results[0]) },
		isResult:    func(results *[]Result) bool { return len(*results) == 1 && hasStatus(&(*results)[0]) },
		callOptions: options,
	}
	got, err := carryOut(ctx, a.exchange, polled)
	if err != nil {
		return answer[Result]{}, err
	}
	return answer[Result]{got.result[0], got.sentAt, got.repeated}, nil
}

// list reads a list of rows. query: pairs of a name and a value, which is left out if it is empty.
func list[Row any](ctx context.Context, a *api, path string, options callOptions, query ...string) ([]Row, error) {
	out := outgoing{method: "GET", path: path + queryOf(query), isLong: true}
	got, err := carryOut(ctx, a.exchange, call[[]Row]{
		outgoing: out, callOptions: options, isResult: func(rows *[]Row) bool { return *rows != nil },
	})
	return got.result, err
}

// queryOf returns a query with its question mark, or "".
func queryOf(pairs []string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// call travels alone.
type call[Out any] struct {
	outgoing
	callOptions
	// The time for which the service may hold the response.
	held time.Duration
	// Called with an answer that arrives after the context has ended: what the call got has to be released. Without it,
	// the connection is closed when the context ends.
	late func(Out)
	// Tells whether Holdfast made the response.
	isResult func(*Out) bool
}

// carryOut sends a call until it has an answer. The error is an *Error, or that of the context as soon as it ends. An
// answer of the same moment is returned, or told to late.
func carryOut[Out any](ctx context.Context, x *exchange, c call[Out]) (answer[Out], error) {
	if c.late == nil || ctx.Done() == nil {
		return repeat(ctx, ctx, x, c)
	}
	var failures failures
	c.onFailure = failures.keep(c.onFailure)
	closing, cancel := context.WithCancel(context.Background())
	settled := make(chan settlement[Out], 1)
	go func() {
		a, err := repeat(ctx, closing, x, c)
		cancel()
		settled <- settlement[Out]{a, err}
	}()
	select {
	case o := <-settled:
		return o.answer, o.err
	case <-ctx.Done():
		time.AfterFunc(lingering, cancel)
		go func() {
			if o := <-settled; o.err == nil {
				c.late(o.answer.result)
			}
		}()
		return answer[Out]{}, withFailure(ctx, failures.last())
	}
}

// repeat sends a call until it has an answer, or the context ends. closing closes its connection.
func repeat[Out any](ctx, closing context.Context, x *exchange, c call[Out]) (answer[Out], error) {
	deadline, repeated := c.deadline, false
	if deadline == 0 {
		deadline = x.deadline()
	}
	var failure *Error
	for tries := 1; ; tries++ {
		if ctx.Err() != nil {
			return answer[Out]{}, withFailure(ctx, failure)
		}
		c.timeout = c.held + attemptTime(deadline)
		body, sentAt, err := x.send(closing, c.outgoing)
		if err == nil {
			var result Out
			if json.Unmarshal(body, &result) == nil && c.isResult(&result) {
				return answer[Out]{result, sentAt, repeated}, nil
			}
			err = unexpected()
		}
		if closing.Err() != nil {
			return answer[Out]{}, withFailure(closing, failure)
		}
		failure = asError(err)
		delay, isRepeated := delayBefore(failure, tries, deadline)
		if !isRepeated || ctx.Err() != nil {
			return answer[Out]{}, failure
		}
		repeated = repeated || failure.mayHaveRun()
		if c.onFailure != nil {
			c.onFailure(failure)
		}
		x.tell(failure, tries, delay)
		pause(ctx, delay)
	}
}

// rows sends a body whose response is a list of rows.
func rows[Row any](ctx context.Context, a *api, method, path string, body any) ([]Row, error) {
	text, _ := json.Marshal(body) // cannot fail
	got, err := carryOut(ctx, a.exchange, call[[]Row]{
		outgoing: outgoing{method: method, path: path, body: text},
		isResult: func(rows *[]Row) bool { return *rows != nil },
	})
	return got.result, err
}

// callAll makes calls that travel together. It returns the results, or the first error.
func callAll[Item, Out any](ctx context.Context, l *lane[Item, Out], items []Item) ([]Out, error) {
	results := make([]Out, len(items))
	errs := make(chan error, len(items))
	calls := make([]*entry[Item, Out], len(items))
	for i, item := range items {
		i := i
		calls[i] = l.entry(item, callOptions{}, func(a answer[Out], err error) {
			results[i] = a.result
			errs <- err
		})
	}
	l.submit(calls...)
	for range calls {
		select {
		case err := <-errs:
			if err != nil {
				return nil, err
			}
		case <-ctx.Done():
			for _, one := range calls {
				l.abandon(one)
			}
			return nil, ctx.Err()
		}
	}
	return results, nil
}

// post returns a request with a body.
func post(path string, body any, idempotencyKey string) outgoing {
	text, _ := json.Marshal(body) // cannot fail
	return outgoing{method: "POST", path: path, body: text, idempotencyKey: idempotencyKey}
}
