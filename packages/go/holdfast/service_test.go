package holdfast

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestUsingWaitsForItsTurn(t *testing.T) {
	client, name := service(t)
	hold := must[*Hold](t)(client.Reserve(background, Request{Resource: name, Note: "first"}))
	_, ok, err := client.TryReserve(background, Request{Resource: name})
	equal(t, "a try", err == nil && !ok, true)
	_, err = client.Reserve(background, Request{Resource: name})
	var own *Error
	equal(t, "not available", errors.Is(err, ErrNotAvailable) && errors.As(err, &own), true)
	equal(t, "held by", own.HeldBy.Note, "first")

	waiting := make(chan Waiting, 8)
	done := make(chan error)
	go func() {
		request := Request{Resource: name, Wait: 20 * time.Second, OnWaiting: func(w Waiting) { waiting <- w }}
		done <- client.Using(background, request, func(_ context.Context, h *Hold) error {
			equal(t, "requester", h.Requester, client.Requester()+"#2")
			equal(t, "fencing", h.FencingToken > hold.FencingToken, true)
			return nil
		})
	}()
	equal(t, "holder", (<-waiting).Reason.Holders[0].Requester, client.Requester())
	equal(t, "released", must[bool](t)(hold.Release(background)), true)
	equal(t, "again", must[bool](t)(hold.Release(background)), true)
	equal(t, "error", <-done == nil, true)
	equal(t, "available", must[bool](t)(client.Available(background, name)), true)
}

func TestAWaitThatRunsOutSaysWhoHoldsIt(t *testing.T) {
	t.Parallel()
	client, name := service(t)
	must[*Hold](t)(client.Reserve(background, Request{Resource: name, Note: "first"}))
	_, err := client.Reserve(background, Request{Resource: name, Wait: time.Second})
	var own *Error
	if !errors.Is(err, ErrNotAvailable) || !errors.As(err, &own) || own.HeldBy == nil {
		t.Fatal(err)
	}
	equal(t, "held by", own.HeldBy.Note, "first")
}

func TestAContextThatEndsLeavesTheQueue(t *testing.T) {
	client, name := service(t)
	must[*Hold](t)(client.Reserve(background, Request{Resource: name}))
	ctx, cancel := context.WithCancel(background)
	request := Request{Resource: name, Wait: time.Minute, OnWaiting: func(Waiting) { cancel() }}
	err := client.Using(ctx, request, func(context.Context, *Hold) error { return nil })
	equal(t, "error", errors.Is(err, context.Canceled), true)
	rows := must[[]WaitingRequest](t)(client.Waiting(background, Filter{Resource: name}))
	equal(t, "waiting", len(rows), 0)
}

func TestUsingReleasesHoweverTheWorkEnds(t *testing.T) {
	client, name := service(t)
	failure := errors.New("no paper")
	using := func(ctx context.Context, work Work) error {
		return client.Using(ctx, Request{Resource: name}, work)
	}
	ctx, cancel := context.WithCancel(background)
	equal(t, "an error", using(background, func(context.Context, *Hold) error { return failure }), failure)
	equal(t, "a stop", errors.Is(using(ctx, func(ctx context.Context, _ *Hold) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}), context.Canceled), true)
	func() {
		defer func() { equal(t, "a panic", recover() != nil, true) }()
		_ = using(background, func(context.Context, *Hold) error { panic("out of paper") })
	}()
	equal(t, "released by the work", using(background, func(ctx context.Context, h *Hold) error {
		_, err := h.ReleaseAs(ctx, Ready, "")
		return err
	}) == nil, true)
	equal(t, "released by somebody else", errors.Is(using(background, func(ctx context.Context, h *Hold) error {
		must[bool](t)(client.Release(ctx, h.Reservations()[0].ReservationKey))
		return failure
	}), ErrLeaseLost), true)
	equal(t, "available", must[bool](t)(client.Available(background, name)), true)
}

func TestAHoldIsRenewedAndReleased(t *testing.T) {
	client, name := service(t)
	request := Request{Resources: []string{name, name + "-2"}, TTL: 2 * time.Second}
	hold := must[*Hold](t)(client.Reserve(background, request))
	equal(t, "resources", len(hold.Resources), 2)
	first := hold.ExpiresAt()
	equal(t, "renewal", hold.Renew(background, time.Minute) == nil, true)
	equal(t, "expires", hold.ExpiresAt().Sub(first) > 30*time.Second, true)
	equal(t, "remaining", hold.Remaining() > 30*time.Second, true)
	equal(t, "endless", hold.Renew(background, Forever) == nil, false)
	key := hold.Reservations()[0].ReservationKey
	must[time.Time](t)(client.Renew(background, key, time.Minute))
	equal(t, "released", must[bool](t)(hold.Release(background)), true)
	var own *Error
	equal(t, "renewal", errors.As(hold.Renew(background, 0), &own) && own.Code == CodeNotReserved, true)
	_, err := client.Renew(background, key, 0)
	equal(t, "by its token", errors.As(err, &own) && own.Code == CodeNotReserved, true)
	equal(t, "gone", must[bool](t)(client.Release(background, key)), false)
}

func TestAChosenRequesterFindsItsReservationAgain(t *testing.T) {
	client, name := service(t, WithRequester("go-"+randomText(8)))
	hold := must[*Hold](t)(client.Reserve(background, Request{Resource: name}))
	_, err := client.Reserve(background, Request{Resource: name})
	var own *Error
	equal(t, "twice", errors.As(err, &own) && own.Code == CodeAlreadyHad, true)
	restarted, _ := service(t, WithRequester(client.Requester()))
	again := must[*Hold](t)(restarted.Reserve(background, Request{Resource: name}))
	equal(t, "the same", again.FencingToken, hold.FencingToken)
}

func TestASessionKeepsManyHolds(t *testing.T) {
	t.Parallel()
	client, name := service(t)
	session := must[*Session](t)(client.Session(background, SessionOptions{TTL: 5 * time.Second}))
	expires := session.ExpiresAt()
	hold := must[*Hold](t)(session.Reserve(background, Request{Resource: name}))
	must[*Hold](t)(session.Reserve(background, Request{Resource: name + "-2"}))
	_, err := session.Reserve(background, Request{Resource: name})
	var own *Error
	equal(t, "twice", errors.As(err, &own) && own.Code == CodeAlreadyHad, true)
	equal(t, "renewal of a hold", hold.Renew(background, 0) == nil, false)
	eventually(t, "a renewal", func() bool { return session.ExpiresAt().After(expires) })
	equal(t, "end of a hold", hold.ExpiresAt(), session.ExpiresAt())
	equal(t, "released", must[bool](t)(hold.Release(background)), true)
	equal(t, "ended", must[int](t)(session.End(background)), 1)
	equal(t, "again", must[int](t)(session.End(background)), 1)
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	client, name := service(t)
	applied := must[TransactionResult](t)(client.Transaction(background, Transaction{
		Method:   AllOrNone,
		Requests: []TransactionRequest{{Type: Reserve, Resource: name}, {Type: Reserve, Resource: name + "-2"}},
	}))
	equal(t, "status", applied.Status, "APPLIED")
	waiting := Transaction{Method: AllOrNone, Wait: time.Second, Requests: []TransactionRequest{
		{Type: Reserve, Resource: name, Requester: "somebody"},
	}}
	equal(t, "a wait", must[TransactionResult](t)(client.Transaction(background, waiting)).Status, "ROLLED_BACK")
	token := applied.Results[0].ReleaseToken
	released := must[TransactionResult](t)(client.Transaction(background, Transaction{
		Method:   AllOrNone,
		Requests: []TransactionRequest{{Type: Unreserve, Resource: name, ReleaseToken: token}},
	}))
	equal(t, "a release", released.Results[0].Status, "RELINQUISHED")
	typeless := Transaction{Method: AllOrNone, Requests: []TransactionRequest{{Resource: name}}}
	_, err := client.Transaction(background, typeless)
	equal(t, "no type", err == nil, false)
}

func TestOneCandidateLeadsAtATime(t *testing.T) {
	t.Parallel()
	_, name := service(t)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var leading, leaders, lost atomic.Int32
	var wait sync.WaitGroup
	for i := 0; i < 3; i++ {
		candidate, _ := service(t)
		wait.Add(1)
		go func() {
			defer wait.Done()
			equal(t, "error", candidate.Elect(ctx, name, func(ctx context.Context) {
				equal(t, "leaders", leading.Add(1), 1)
				equal(t, "fencing token", HoldOf(ctx).FencingToken > 0, true)
				pause(ctx, 20*time.Millisecond)
				leading.Add(-1)
				leaders.Add(1)
			}, func() {
				if lost.Add(1) == 9 {
					cancel()
				}
			}), nil)
		}()
	}
	wait.Wait()
	equal(t, "told once for each", lost.Load(), leaders.Load())
}

func TestACandidateThatIsRefusedIsTold(t *testing.T) {
	_, name := service(t)
	client := must[*Client](t)(New(os.Getenv("HOLDFAST_URL"), WithKey("hf_nobody")))
	err := client.Elect(background, name, func(context.Context) {}, func() {})
	var own *Error
	equal(t, "code", errors.As(err, &own) && own.Code == CodeUnauthenticated, true)
}

func TestALeaderThatPanicsHasLost(t *testing.T) {
	client, name := service(t)
	lost := 0
	func() {
		defer func() { equal(t, "panic", recover() != nil, true) }()
		_ = client.Elect(background, name, func(context.Context) { panic("no") }, func() { lost++ })
	}()
	equal(t, "lost", lost, 1)
	equal(t, "released", must[bool](t)(client.Available(background, name)), true)
}

func TestABookingIsMadeListedAndCancelled(t *testing.T) {
	client, name := service(t)
	isBookable := true
	_ = must[[]Definition](t)(client.Register(background, Registration{Name: name, Bookable: &isBookable}))
	start := time.Now().Add(time.Hour).Truncate(time.Second)
	options := BookOptions{Start: start, End: start.Add(time.Hour), Note: "demo"}
	late := options
	late.Start, late.End = start.Add(time.Second-1), options.End.Add(time.Second-1)
	booked := must[BookedSlot](t)(client.Book(background, name, late))
	equal(t, "slot", booked.Slot, name)
	_, err := client.Book(background, name, BookOptions{Start: start, End: options.End, Requester: "somebody"})
	var own *Error
	equal(t, "conflict", errors.As(err, &own) && own.Code == "CONFLICT", true)
	filter := BookingFilter{Resource: name, From: start, To: options.End}
	listed := must[[]Booking](t)(client.Bookings(background, filter))
	equal(t, "listed", len(listed) == 1 && listed[0].Start.Equal(start) && listed[0].Note == "demo", true)
	equal(t, "cancelled", must[bool](t)(client.CancelBooking(background, booked.Booking)), true)
	equal(t, "bookings", len(must[[]Booking](t)(client.Bookings(background, BookingFilter{Resource: name}))), 0)
}

func TestBookingsAreMadeTogetherOrNotAtAllAndChangedAndCancelled(t *testing.T) {
	client, name := service(t)
	isBookable := true
	names := []string{name, name + "-2"}
	for _, one := range names {
		_ = must[[]Definition](t)(client.Register(background, Registration{Name: one, Bookable: &isBookable}))
	}
	start := time.Now().Add(time.Hour).Truncate(time.Second)
	end := start.Add(time.Hour)
	first := must[BookedSlot](t)(client.Book(background, names[1], BookOptions{Start: start, End: end}))
	options := BookAllOptions{BookOptions: BookOptions{Start: start, End: end, Requester: "somebody"}}
	_, err := client.BookAll(background, names, options)
	equal(t, "says whose", strings.Contains(err.Error(), "CONFLICT: booked by "+first.Requester+" from "), true)
	equal(t, "none", len(must[[]Booking](t)(client.Bookings(background, BookingFilter{Resource: name}))), 0)
	options.SkipConflicts = true
	booked := must[[]BookedItem](t)(client.BookAll(background, names, options))
	equal(t, "statuses", booked[0].Status+" "+booked[1].Status, "BOOKED CONFLICT")
	later := end.Add(5 * time.Minute)
	change := BookingChange{End: later, Note: "later"}
	changed := must[Booking](t)(client.ChangeBooking(background, first.Booking, change))
	equal(t, "changed", changed.Start.Equal(start) && changed.End.Equal(later) && changed.Note == "later", true)
}

func TestASeriesIsBookedAndCancelledFromADayOn(t *testing.T) {
	client, name := service(t)
	isBookable := true
	_ = must[[]Definition](t)(client.Register(background, Registration{Name: name, Bookable: &isBookable}))
	start := time.Now().UTC().Add(24 * time.Hour).Truncate(time.Second)
	repeat := Repeat{Every: "day", Until: start.AddDate(0, 0, 3).Format("2006-01-02"), TimeZone: "UTC"}
	options := BookAllOptions{BookOptions: BookOptions{Start: start, End: start.Add(time.Minute)}, Repeat: &repeat}
	booked := must[[]BookedItem](t)(client.BookAll(background, []string{name}, options))
	equal(t, "occurrences", len(booked), 4)
	series := booked[0].Series
	from := start.AddDate(0, 0, 1)
	equal(t, "cancelled", must[int](t)(client.CancelSeries(background, series, from)), 3)
	equal(t, "the rest", must[int](t)(client.CancelSeries(background, series, time.Time{})), 1)
}
