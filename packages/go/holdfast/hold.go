package holdfast

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Reservation is one reservation of a hold.
type Reservation struct {
	ReservationKey
	// FencingToken is higher than that of every earlier reservation.
	FencingToken int64
	// Slots are its slots of a pool; otherwise its own name.
	Slots []string
	// AcquiredSlots is the slot that it has of its resource and of each ancestor, if they are pools.
	AcquiredSlots map[string]string
	// AcquiredBlockers are the slots of blockers that the service holds for it.
	AcquiredBlockers []string
	// ReservedAtPath is its path in the tree, if it has ancestors.
	ReservedAtPath string
	Mode           Mode
	// Attributes are those of the resource and, unless it has several slots, of its slot.
	Attributes map[string]string
	// SlotAttributes are those of each of Slots, if it has several.
	SlotAttributes []map[string]string
	// ExpiresAt is the end of the lease by the clock of the service. It is zero if the lease never ends by itself.
	ExpiresAt time.Time
	// Booking is the booking that it is the running time of; "": none.
	Booking string
}

// Hold is one or several reservations that were taken together, and the lease that ends them. Nothing in its fields
// ever changes.
type Hold struct {
	// Resource is the name; of several, the first. For a match, the resource that was picked.
	Resource  string
	Resources []string
	// FencingToken grows with each reservation; of several, the highest. Pass it to whatever the resource protects.
	FencingToken int64
	// Slots are the slots of pools that it has; for other resources, their names.
	Slots []string
	// Attributes of what it holds, such as its address. If several resources have the same, that of the first.
	Attributes map[string]string
	// Requester that has it.
	Requester string
	// Waited is the time for which it waited for its turn.
	Waited time.Duration

	reserver *reserver
	use      *use
	lease    *lease
	session  *Session

	onEndFixed func(time.Time)

	mu           sync.Mutex
	ttl          time.Duration
	reservations []Reservation
	// The end of the lease if bookings say so, else zero.
	fixedEnd time.Time
	// The renewal that is under way; nil: none.
	renewal *renewal
	// The release that is under way, or done; nil: none.
	release *release
}

func newHold(r *reserver, u *use, l *lease, ttl time.Duration, in *Session, results []Result) *Hold {
	h := &Hold{reserver: r, use: u, lease: l, ttl: ttl, session: in, Requester: u.requester}
	h.Resource = results[0].Resource
	h.Waited = time.Duration(results[0].WaitedMs) * time.Millisecond
	h.Attributes = map[string]string{}
	for i := range results {
		one := reservationOf(&results[i])
		h.reservations = append(h.reservations, one)
		h.Resources = append(h.Resources, one.Resource)
		h.Slots = append(h.Slots, one.Slots...)
		if one.FencingToken > h.FencingToken {
			h.FencingToken = one.FencingToken
		}
		for name, value := range one.Attributes {
			if _, isThere := h.Attributes[name]; !isThere {
				h.Attributes[name] = value
			}
		}
	}
	return h
}

// String says what it is, without its release tokens.
func (h *Hold) String() string {
	return fmt.Sprintf("hold of %s by %s, fencing token %d", joined(h.Resources), h.Requester, h.FencingToken)
}

// Format writes String, whatever the verb.
func (h *Hold) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, h.String()) }

// Err returns nil, or why the lease counts as over: an error that is ErrLeaseLost. It looks at the clocks and asks
// nobody, so it is right also in a process that was stopped, or on a machine that slept. A process that is stopped
// between its look and its write cannot know: use FencingToken there. After a release it stays as it is.
//
// A lease counts from when its request was sent, by the monotonic clock and the wall clock, whichever shows more. It
// counts as over a tenth earlier, at least 50 ms and at most 2 s.
func (h *Hold) Err() error {
	if err := h.lease.lost(); err != nil {
		return err
	}
	return nil
}

// Done returns a channel that is closed when the lease is lost or about to end, as Err says.
func (h *Hold) Done() <-chan struct{} {
	h.reserver.keeper.watch(h.lease)
	return h.lease.doneChannel()
}

// Remaining returns the time until Err is not nil, unless it is renewed. Forever: the lease never ends.
func (h *Hold) Remaining() time.Duration { return h.lease.remaining() }

// ExpiresAt returns the end of the lease by the clock of the service. It is zero if the lease never ends by itself.
func (h *Hold) ExpiresAt() time.Time {
	if h.session != nil {
		return h.session.ExpiresAt()
	}
	var first time.Time
	for _, one := range h.Reservations() {
		if at := one.ExpiresAt; !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// FixedEnd returns the end of the lease, if a booking of somebody else begins then: renewals cannot move it. It is zero
// if they can.
func (h *Hold) FixedEnd() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.fixedEnd
}

// Reservations returns the reservations, one for each resource, in the order of the names.
func (h *Hold) Reservations() []Reservation {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Reservation(nil), h.reservations...)
}

func reservationOf(result *Result) Reservation {
	path := strings.Split(result.ReservedAtPath, ">")
	own := path[len(path)-1]
	if own == "" {
		own = result.Resource
	}
	slots := result.Slots
	if slots == nil {
		slots = []string{result.Resource}
		if slot, isThere := result.AcquiredSlots[own]; isThere {
			slots = []string{slot}
		}
	}
	mode := result.Mode
	if mode == "" {
		mode = Exclusive
	}
	return Reservation{
		result.key(), result.FencingToken, slots, result.AcquiredSlots, result.AcquiredBlockers,
		result.ReservedAtPath, mode, result.Attributes, result.SlotAttributes, result.ExpiresAt,
		result.Booking,
	}
}

func joined(names []string) string { return strings.Join(names, ", ") }
