package holdfast

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Mode says whether a resource is held together with others.
type Mode string

const (
	Exclusive Mode = "EXCLUSIVE"
	// Shared: together with other readers.
	Shared Mode = "SHARED"
)

// Condition of a slot.
type Condition string

const (
	Ready Condition = "ready"
	// Dirty: to be cleaned.
	Dirty Condition = "dirty"
	// Out of service.
	Out Condition = "out"
)

// Values that a label may have, or must not have.
type Values struct {
	values []string
	not    bool
}

// OneOf is any of these values.
func OneOf(values ...string) Values { return Values{values: values} }

// NoneOf is none of these values.
func NoneOf(values ...string) Values { return Values{values: values, not: true} }

// MarshalJSON writes the values as the service takes them.
func (v Values) MarshalJSON() ([]byte, error) {
	if v.not {
		return json.Marshal(map[string][]string{"not": v.values})
	}
	return json.Marshal(v.values)
}

// Match has the labels of resources, any of which fits (docs/specification.md#any-resource-that-fits):
//
//	holdfast.Match{"os": holdfast.OneOf("android", "ios"), "site": holdfast.NoneOf("berlin")}
type Match map[string]Values

// ReleaseToken renews and releases a reservation. Package fmt does not print it: string(token) has it.
type ReleaseToken string

// Format writes a token as [secret], whatever the verb.
func (t ReleaseToken) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[secret]") }

// ReservationKey has the fields that renew and release a reservation.
type ReservationKey struct {
	Resource     string       `json:"resource"`
	Requester    string       `json:"requester"`
	ReleaseToken ReleaseToken `json:"releaseToken"`
}

// HeldBy says who holds a resource. Empty: the service does not say it.
type HeldBy struct {
	Resource  string `json:"resource"`
	Requester string `json:"requester"`
	// Since when. Zero: unknown.
	Since time.Time `json:"since"`
	// ExpiresAt is the end of the lease. Zero: never.
	ExpiresAt time.Time `json:"expiresAt"`
	// Note says why, for people.
	Note string `json:"note"`
}

// Holder is one of those in the way.
type Holder struct {
	Requester string `json:"requester"`
	// Resource as it was reserved.
	Resource string    `json:"resource"`
	Slot     string    `json:"slot"`
	Since    time.Time `json:"since"`
	// Until is the end of the lease. Zero: never.
	Until time.Time `json:"until"`
	Note  string    `json:"note"`
}

// Next is one of those who wait before you.
type Next struct {
	Requester string    `json:"requester"`
	Since     time.Time `json:"since"`
	Until     time.Time `json:"until"`
	Note      string    `json:"note"`
}

// Reason says who is in the way (docs/specification.md#who-is-in-the-way).
type Reason struct {
	// Kind is SLOTS, ANCESTOR, BLOCKER or QUEUE.
	Kind     string   `json:"kind"`
	Resource string   `json:"resource"`
	Holders  []Holder `json:"holders"`
	// More is the number of holders that are left out.
	More int    `json:"more"`
	Next []Next `json:"next"`
}

// Waiting says where a request that waits stands.
type Waiting struct {
	// Ahead is the number of requests before it.
	Ahead    int       `json:"ahead"`
	WaitsFor string    `json:"waitsFor"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until"`
	Reason   *Reason   `json:"reason"`
}

// Result is the result of one request of a transaction (docs/specification.md#item-statuses).
type Result struct {
	Resource  string `json:"resource"`
	Requester string `json:"requester"`
	// Status is ACQUIRED, ALREADY_HAD, WAITING, ALREADY_HELD, NOT_AVAILABLE or NOT_VALID of a reserve; RELINQUISHED,
	// NOT_RESERVED or DOESNT_OWN_RESERVATION of a release.
	Status      string `json:"status"`
	Explanation string `json:"explanation"`
	// ReleaseToken is empty if it is not held.
	ReleaseToken ReleaseToken `json:"releaseToken"`
	// ExpiresAt is the end of the lease. Zero: never, or it is not held.
	ExpiresAt time.Time `json:"expiresAt"`
	// TTLSeconds is what is left of the lease, if a booking of somebody else ends it sooner than asked. 0: none does.
	TTLSeconds int64 `json:"ttlSeconds"`
	// BookedFrom is the latest end of a lease that would do, if a booking is in the way.
	BookedFrom time.Time `json:"bookedFrom"`
	// Booking is the booking that the reservation is the running time of; "": none.
	Booking string `json:"booking"`
	// AcquiredSlots is the slot that it has of each pool: of the resource itself, and of its ancestors.
	AcquiredSlots    map[string]string `json:"acquiredSlots"`
	AcquiredBlockers []string          `json:"acquiredBlockers"`
	ReservedAtPath   string            `json:"reservedAtPath"`
	Mode             Mode              `json:"mode"`
	// Slots has the slots of the pool, with a count of more than 1.
	Slots          []string            `json:"slots"`
	Attributes     map[string]string   `json:"attributes"`
	SlotAttributes []map[string]string `json:"slotAttributes"`
	FencingToken   int64               `json:"fencingToken"`
	WaitedMs       int64               `json:"waitedMs"`
	HeldBy         *HeldBy             `json:"heldBy"`
	Waiting        *Waiting            `json:"waiting"`
	// Released has the slots that became free, of a release.
	Released []string `json:"released"`
	// Condition of the slots, of a release, unless they are ready.
	Condition Condition `json:"condition"`
}

func (r *Result) key() ReservationKey { return ReservationKey{r.Resource, r.Requester, r.ReleaseToken} }

// isGot returns whether the requester holds it.
func (r *Result) isGot() bool { return r.Status == "ACQUIRED" || r.Status == "ALREADY_HAD" }
