package holdfast

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// reserveAll reserves names at the same time. It returns the errors.
func reserveAll(client *Client, names ...string) []error {
	errs := make([]error, len(names))
	var wait sync.WaitGroup
	for i := range names {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			_, errs[i] = client.Reserve(background, Request{Resource: names[i]})
		}(i)
	}
	wait.Wait()
	return errs
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("name-%d", i)
	}
	return names
}

func TestCallsThatAreMadeWhileOthersAreInFlightTravelTogether(t *testing.T) {
	open := make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		<-open
		grant(w, s)
	})
	client := f.client(t)
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		for _, err := range reserveAll(client, numbered(100)...) {
			if err != nil {
				t.Error(err)
			}
		}
	}()
	lane := client.api.reserves
	eventually(t, "the queue", func() bool {
		lane.mu.Lock()
		defer lane.mu.Unlock()
		return len(lane.queue) == 97
	})
	close(open)
	wait.Wait()
	equal(t, "requests", len(f.requests("/Reservation/reserve")), 4)
}

func TestCallsForOneNameArriveInTheirOrder(t *testing.T) {
	f := newFake(t, grant)
	client := f.client(t)
	lane := client.api.reserves
	var mu sync.Mutex
	var order []int
	var wait sync.WaitGroup
	for i := 0; i < 50; i++ {
		i := i
		wait.Add(1)
		item := reserveItem{Resource: "a", Requester: fmt.Sprint(i)}
		lane.submit(lane.entry(item, callOptions{}, func(answer[Result], error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
			wait.Done()
		}))
	}
	wait.Wait()
	for i := range order {
		equal(t, "order", order[i], i)
	}
}

func TestABatchThatIsRefusedIsSentInHalves(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		for _, item := range s.items {
			if item["resource"] == "name-7" {
				reply(w, 400, "name-7 is no name")
				return
			}
		}
		grant(w, s)
	})
	client := f.client(t)
	for i, err := range reserveAll(client, numbered(20)...) {
		var own *Error
		if i == 7 {
			equal(t, "code", errors.As(err, &own) && own.Code == "MALFORMED_REQUEST" && own.Status == 400, true)
		} else if err != nil {
			t.Error(err)
		}
	}
}

func TestALostConnectionIsRepeated(t *testing.T) {
	var requests atomic.Int32
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		switch requests.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			reply(w, 503, map[string]string{"error": "not now", "code": "UNAVAILABLE"})
		case 3:
			w.Header().Set("Content-Length", "500")
			_, _ = w.Write([]byte(`[{"status":`)) // cut in the middle
		default:
			grant(w, s)
		}
	})
	var told []Retry
	client := f.client(t, WithOnRetry(func(r Retry) { told = append(told, r) }))
	must[*Hold](t)(client.Reserve(background, Request{Resource: "a"}))
	equal(t, "told", len(told), 3)
	equal(t, "attempt", told[2].Attempt, 3)
	equal(t, "why", told[1].Err.Code, CodeUnavailable)
}

func TestA429IsRepeatedAfterItsRetryAfter(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	var first time.Time
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if requests.Add(1) > 1 {
			grant(w, s)
			return
		}
		first = time.Now()
		w.Header().Set("Retry-After", "1")
		reply(w, 429, map[string]any{"error": "slow down", "code": "LIMIT_REACHED", "limitType": "OperationsPerMinute"})
	})
	must[*Hold](t)(f.client(t).Reserve(background, Request{Resource: "a"}))
	if time.Since(first) < time.Second {
		t.Error("too early")
	}
	_, err := f.client(t, WithRetryFor(0)).Reserve(background, Request{Resource: "a"})
	equal(t, "nothing to wait for", err == nil, true)
}

func TestALimitWithoutTimeLeftIsAnError(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		w.Header().Set("Retry-After", "60")
		w.Header().Set("X-Request-Id", "r-1")
		reply(w, 429, map[string]any{"error": "slow down", "code": "LIMIT_REACHED", "limitType": "OperationsPerMinute"})
	})
	_, err := f.client(t).Reserve(background, Request{Resource: "a"})
	var own *Error
	if !errors.Is(err, ErrLimitReached) || !errors.As(err, &own) {
		t.Fatal(err)
	}
	equal(t, "limit", own.LimitType, "OperationsPerMinute")
	equal(t, "after", own.RetryAfter, time.Minute)
	equal(t, "request", own.RequestID, "r-1")
}

func TestACallEndsAsSoonAsItsContextDoes(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if s.path == "/Reservation/reserve" {
			<-open
		}
		grant(w, s)
	})
	client := f.client(t)
	ctx, cancel := context.WithCancel(background)
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	_, err := client.Reserve(ctx, Request{Resource: "a"})
	equal(t, "canceled", errors.Is(err, context.Canceled), true)
	if time.Since(began) > 2*time.Second {
		t.Error("too late")
	}
	close(open)
	eventually(t, "the release of what it got", func() bool { return len(f.requests("/Reservation/unreserve")) == 1 })
}

func TestACallThatWasGivenUpReleasesWhatItGets(t *testing.T) {
	open := make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if s.path == "/Reservation/reserve" {
			<-open
		}
		grant(w, s)
	})
	ctx, cancel := context.WithCancel(background)
	time.AfterFunc(50*time.Millisecond, cancel)
	item := reserveItem{Resource: "a", Requester: "me"}
	_, err := f.client(t).api.reserves.call(ctx, item, callOptions{})
	equal(t, "error", errors.Is(err, context.Canceled), true)
	close(open)
	eventually(t, "the release", func() bool { return len(f.requests("/Reservation/unreserve")) == 1 })
}

func TestTheErrorOfAContextHasTheLastFailure(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		reply(w, 503, map[string]string{"error": "not now", "code": "UNAVAILABLE"})
	})
	ctx, cancel := context.WithTimeout(background, 300*time.Millisecond)
	defer cancel()
	_, err := f.client(t).Reserve(ctx, Request{Resource: "a"})
	equal(t, "deadline", errors.Is(err, context.DeadlineExceeded), true)
	var own *Error
	equal(t, "failure", errors.As(err, &own) && own.Code == CodeUnavailable, true)
}

func TestAServiceThatCannotBeReached(t *testing.T) {
	f := newFake(t, grant)
	client := f.client(t, WithRetryFor(0))
	f.Close()
	_, err := client.Reserve(background, Request{Resource: "a"})
	equal(t, "unreachable", errors.Is(err, ErrUnreachable), true)
}
