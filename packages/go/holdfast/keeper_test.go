package holdfast

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// usingAll holds names at the same time, until the returned function is called. It returns when all are held.
func usingAll(t *testing.T, client *Client, ttl time.Duration, names ...string) (end func() []error) {
	t.Helper()
	var held, done sync.WaitGroup
	errs := make([]error, len(names))
	over := make(chan struct{})
	for i, name := range names {
		held.Add(1)
		done.Add(1)
		go func(i int, name string) {
			defer done.Done()
			request := Request{Resource: name, TTL: ttl}
			errs[i] = client.Using(background, request, func(ctx context.Context, h *Hold) error {
				held.Done()
				select {
				case <-over:
				case <-ctx.Done():
				}
				return nil
			})
		}(i, name)
	}
	held.Wait()
	return func() []error {
		close(over)
		done.Wait()
		return errs
	}
}

func TestHoldsThatWereTakenOneAfterTheOtherAreRenewedTogether(t *testing.T) {
	t.Parallel()
	f := newFake(t, grant)
	client := f.client(t)
	var ends []func() []error
	for _, name := range numbered(20) {
		ends = append(ends, usingAll(t, client, 6*time.Second, name))
		time.Sleep(10 * time.Millisecond) // so that they are not due at the same time
	}
	eventually(t, "a renewal", func() bool { return len(f.requests("/Reservation/renew")) > 0 })
	// Alone, the first ones would not wait for the others; a slow machine may take the last ones too late.
	if together := len(f.requests("/Reservation/renew")[0].items); together < 10 {
		t.Errorf("%d holds in the first request", together)
	}
	for _, end := range ends {
		for _, err := range end() {
			equal(t, "error", err, nil)
		}
	}
}

func TestALeaseThatIsNotRenewedEndsTheWork(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if strings.HasPrefix(s.path, "/Reservation/renew") {
			panic(http.ErrAbortHandler)
		}
		grant(w, s)
	})
	began := time.Now()
	var seenBy *Hold
	err := f.client(t).Using(background, Request{Resource: "a", TTL: 3 * time.Second},
		func(ctx context.Context, h *Hold) error {
			seenBy = h
			<-ctx.Done()
			equal(t, "hold of the context", HoldOf(ctx), h)
			return ctx.Err()
		})
	equal(t, "lost", errors.Is(err, ErrLeaseLost), true)
	equal(t, "cause", errors.Is(err, ErrUnreachable), true)
	equal(t, "a stop", errors.Is(err, context.Canceled), false)
	equal(t, "hold", errors.Is(seenBy.Err(), ErrLeaseLost), true)
	if after := time.Since(began); after > 3*time.Second {
		t.Error("told after", after)
	}
}

func TestAWorkThatDoesNotNoticeALostLeaseFails(t *testing.T) {
	t.Parallel()
	failure := errors.New("no paper")
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if strings.HasPrefix(s.path, "/Reservation/renew") {
			reply(w, 200, []map[string]string{{"status": "NOT_RESERVED"}})
			return
		}
		grant(w, s)
	})
	for _, failing := range []error{nil, failure} {
		err := f.client(t).Using(background, Request{Resource: "a", TTL: time.Second},
			func(ctx context.Context, h *Hold) error {
				<-ctx.Done()
				return failing
			})
		equal(t, "lost", errors.Is(err, ErrLeaseLost), true)
		equal(t, "cause", errors.Is(err, failure), failing != nil)
	}
}

func TestTheContextOfTheWorkLooksAtTheClocks(t *testing.T) {
	t.Parallel()
	var slept atomic.Int64
	wall := func() time.Duration { return systemClocks.wall() + time.Duration(slept.Load()) }
	client := newFake(t, grant).clientWith(t, clocks{monotonicNow, wall})
	_ = client.Using(background, Request{Resource: "a", TTL: time.Hour}, func(ctx context.Context, h *Hold) error {
		equal(t, "before", ctx.Err() == nil, true)
		slept.Store(int64(time.Hour))
		equal(t, "after", errors.Is(ctx.Err(), context.Canceled), true)
		return nil
	})
}

func TestDoneOfAHoldThatNothingRenews(t *testing.T) {
	t.Parallel()
	f := newFake(t, grant)
	hold := must[*Hold](t)(f.client(t).Reserve(background, Request{Resource: "a", TTL: 3 * time.Second}))
	began := time.Now()
	<-hold.Done()
	equal(t, "lost", errors.Is(hold.Err(), ErrLeaseLost), true)
	if after := time.Since(began); after > 3*time.Second {
		t.Error("told after", after)
	}
	equal(t, "renewals", len(f.requests("/Reservation/renew")), 0)
}

func TestCloseStopsRenewingAndReleasesNothing(t *testing.T) {
	t.Parallel()
	f := newFake(t, grant)
	client := f.client(t)
	err := client.Using(background, Request{Resource: "a", TTL: time.Second}, func(ctx context.Context, h *Hold) error {
		client.Close()
		<-ctx.Done()
		equal(t, "releases", len(f.requests("/Reservation/unreserve")), 0)
		return nil
	})
	equal(t, "lost", errors.Is(err, ErrLeaseLost), true)
	equal(t, "renewals", len(f.requests("/Reservation/renew")), 0)
	err = client.Using(background, Request{Resource: "a"}, func(context.Context, *Hold) error { return nil })
	var own *Error
	equal(t, "afterwards", errors.As(err, &own) && own.Code == CodeInvalidOption, true)
}

func TestARenewalThatFailsIsRepeatedUntilTheLeaseEnds(t *testing.T) {
	t.Parallel()
	var renewals atomic.Int32
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if strings.HasPrefix(s.path, "/Reservation/renew") && renewals.Add(1) < 3 {
			reply(w, 403, map[string]string{"error": "not now", "code": "FORBIDDEN"})
			return
		}
		grant(w, s)
	})
	err := f.client(t).Using(background, Request{Resource: "a", TTL: 2 * time.Second},
		func(ctx context.Context, h *Hold) error {
			eventually(t, "a renewal", func() bool { return renewals.Load() >= 4 })
			return h.Err()
		})
	equal(t, "error", err == nil, true)
}

func TestARenewalOfTheHolderCountsForTheKeeper(t *testing.T) {
	t.Parallel()
	asked, open := make(chan struct{}, 1), make(chan struct{})
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if strings.HasPrefix(s.path, "/Reservation/renew") {
			asked <- struct{}{}
			<-open
		}
		grant(w, s)
	})
	var passed, looks atomic.Int64
	client := f.clientWith(t, clocks{func() time.Duration {
		looks.Add(1)
		return monotonicNow() + time.Duration(passed.Load())
	}, systemClocks.wall})
	err := client.Using(background, Request{Resource: "a", TTL: time.Hour}, func(ctx context.Context, h *Hold) error {
		renewed := make(chan error)
		go func() { renewed <- h.Renew(ctx, 0) }()
		<-asked
		passed.Store(int64(30 * time.Minute))
		eventually(t, "a renewal that is due", func() bool {
			client.keeper.mu.Lock()
			defer client.keeper.mu.Unlock()
			return client.keeper.kept[h.lease].isRenewing
		})
		before := looks.Load()
		time.Sleep(100 * time.Millisecond) // A loop without a pause looks thousands of times.
		if more := looks.Load() - before; more > 500 {
			t.Error("looks at the clock:", more)
		}
		close(open)
		return <-renewed
	})
	equal(t, "error", err, nil)
}

func TestACandidateThatIsTurnedDownStandsAgainAfterAPause(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	stood := make(chan time.Time, 2)
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if !strings.HasPrefix(s.path, "/Reservation/reserve") {
			grant(w, s)
			return
		}
		if stood <- time.Now(); len(stood) == 2 {
			cancel()
		}
		reply(w, 200, []map[string]string{{"status": "NOT_AVAILABLE"}})
	})
	err := f.client(t).Elect(ctx, "a", func(context.Context) {}, func() {})
	equal(t, "error", err, nil)
	first, second := <-stood, <-stood
	equal(t, "a pause", second.Sub(first) >= electionPause, true)
}

func TestARenewalThatWasGivenUpTakesNoAnswer(t *testing.T) {
	hold := must[*Hold](t)(newFake(t, grant).client(t).Reserve(background, Request{Resource: "a"}))
	begun, _, err := hold.beginRenewal(0, func(error) {})
	equal(t, "error", err, nil)
	must[bool](t)(hold.Release(background))
	begun.answered(0, answer[Result]{}, errors.New("too late"))
	var own *Error
	equal(t, "code", errors.As(begun.err, &own) && own.Code == CodeNotReserved, true)
}

func TestAKeeperThatHasNothingToKeepEnds(t *testing.T) {
	t.Parallel()
	f := newFake(t, grant)
	client := f.client(t)
	usingAll(t, client, 2*time.Second, "a")()
	eventually(t, "its end", func() bool {
		client.keeper.mu.Lock()
		defer client.keeper.mu.Unlock()
		return !client.keeper.isRunning
	})
}

func TestABookingIsLeftIfItsRenewalFails(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		result := map[string]any{"status": "ALREADY_HAD", "releaseToken": "booked", "booking": "b"}
		switch {
		case s.items[0]["resource"] != "a" || strings.HasPrefix(s.path, "/Reservation/unreserve"):
			grant(w, s)
			return
		case strings.HasPrefix(s.path, "/Reservation/renew"):
			result = map[string]any{"status": "NOT_AVAILABLE", "explanation": "NOT_AVAILABLE: booked"}
		}
		reply(w, 200, []any{result})
	})
	client := f.client(t)
	_, err := client.Reserve(background, Request{Resource: "a"})
	equal(t, "refused", errors.Is(err, ErrNotAvailable), true)
	other := must[*Hold](t)(client.Reserve(background, Request{Resource: "b"}))
	equal(t, "released", must[bool](t)(other.Release(background)), true)
	for _, one := range f.requests("/Reservation/unreserve") {
		for _, item := range one.items {
			equal(t, "released", item["resource"], any("b"))
		}
	}
}
