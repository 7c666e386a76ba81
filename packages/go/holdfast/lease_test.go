package holdfast

import (
	"errors"
	"testing"
	"time"
)

// steered are clocks of the test. Both begin at different times.
type steered struct{ monotonic, wall time.Duration }

func (s *steered) clocks() clocks {
	return clocks{func() time.Duration { return s.monotonic }, func() time.Duration { return s.wall }}
}

func (s *steered) pass(d time.Duration) {
	s.monotonic += d
	s.wall += d
}

func leaseOf(ttl time.Duration) (*lease, *steered) {
	at := &steered{100 * time.Second, 1_000_000 * time.Second}
	l := newLease("printer", at.clocks())
	l.extend(ttl, at.monotonic, l.clocks.offset())
	return l, at
}

func TestALeaseCountsAsOverATenthEarly(t *testing.T) {
	for _, c := range []struct{ ttl, over time.Duration }{
		{time.Second, 900 * time.Millisecond},
		{10 * time.Second, 9 * time.Second},
		{10 * time.Minute, 10*time.Minute - 2*time.Second},
	} {
		l, at := leaseOf(c.ttl)
		at.pass(c.over - 1)
		equal(t, "shortly before", l.lost() == nil, true)
		at.pass(1)
		equal(t, "at its end", errors.Is(l.lost(), ErrLeaseLost), true)
	}
}

func TestALeaseCountsFromWhenItsRequestWasSent(t *testing.T) {
	l, at := leaseOf(10 * time.Second)
	sentAt, offset := at.monotonic, l.clocks.offset()
	at.pass(3 * time.Second)
	l.extend(10*time.Second, sentAt, offset)
	equal(t, "remaining", l.remaining(), 6*time.Second)
}

func TestALeaseCountsByTheClockThatShowsMore(t *testing.T) {
	t.Run("the machine slept", func(t *testing.T) {
		l, at := leaseOf(10 * time.Second)
		at.wall += 9 * time.Second
		equal(t, "lost", l.lost() != nil, true)
	})
	t.Run("the machine slept while the response was on its way", func(t *testing.T) {
		l, at := leaseOf(10 * time.Second)
		offset := l.clocks.offset()
		at.wall += 8 * time.Second
		l.extend(10*time.Second, at.monotonic, offset)
		equal(t, "remaining", l.remaining(), time.Second)
	})
	t.Run("the wall clock was set back", func(t *testing.T) {
		l, at := leaseOf(10 * time.Second)
		at.wall -= time.Hour
		equal(t, "remaining", l.remaining(), 9*time.Second)
		at.monotonic += 9 * time.Second
		equal(t, "lost", l.lost() != nil, true)
	})
}

func TestARenewalMayShortenALeaseAsSoonAsItIsSent(t *testing.T) {
	l, _ := leaseOf(60 * time.Second)
	l.announce(10 * time.Second)
	equal(t, "remaining", l.remaining(), 9*time.Second)
	l.announce(10 * time.Minute)
	equal(t, "remaining", l.remaining(), 9*time.Second)
}

func TestALostLeaseSaysWhyItsRenewalFailed(t *testing.T) {
	l, at := leaseOf(10 * time.Second)
	l.failed(&Error{Code: CodeUnreachable, Message: "refused"})
	at.pass(time.Minute)
	err := l.lost()
	equal(t, "cause", errors.Is(err, ErrUnreachable), true)
	equal(t, "message", err.Error(),
		"holdfast: LEASE_LOST: the lease of printer was not renewed in time: UNREACHABLE: refused")
}

func TestALeaseThatWasGivenBackStaysAsItIs(t *testing.T) {
	l, at := leaseOf(10 * time.Second)
	l.finish()
	at.pass(time.Hour)
	equal(t, "lost", l.lost() == nil, true)
}

func TestALeaseIsRenewedAfterAThird(t *testing.T) {
	l, at := leaseOf(30 * time.Second)
	equal(t, "due", l.renewIn(), 10*time.Second)
	at.pass(15 * time.Second)
	equal(t, "half over", l.isHalfOver(), false)
	at.pass(1)
	equal(t, "half over", l.isHalfOver(), true)
}

func TestAnEndlessLeaseNeverEnds(t *testing.T) {
	l, at := leaseOf(Forever)
	at.pass(1000 * time.Hour)
	equal(t, "lost", l.lost() == nil, true)
	equal(t, "remaining", l.remaining(), Forever)
	equal(t, "due", l.renewIn(), Forever)
	equal(t, "end", l.end(), Forever)
}
