package holdfast

import "time"

// EventType says what an event tells (docs/concepts/event.md).
type EventType string

const (
	// EventConnected: from here on no event is missing, until EventDisconnected.
	EventConnected EventType = "CONNECTED"
	// EventDisconnected: events from here to the next EventConnected are missing.
	EventDisconnected EventType = "DISCONNECTED"

	EventReserved              EventType = "RESERVED"
	EventRenewed               EventType = "RENEWED"
	EventUnreserved            EventType = "UNRESERVED"
	EventReservationExpired    EventType = "RESERVATION_EXPIRED"
	EventReserveFailed         EventType = "RESERVE_FAILED"
	EventUnreserveFailed       EventType = "UNRESERVE_FAILED"
	EventTransactionApplied    EventType = "TRANSACTION_APPLIED"
	EventTransactionRolledBack EventType = "TRANSACTION_ROLLED_BACK"
	EventWaiting               EventType = "WAITING"
	EventWaitEnded             EventType = "WAIT_ENDED"
	EventReset                 EventType = "RESET"
	EventCondition             EventType = "CONDITION"
	EventTierLimitReached      EventType = "TIER_LIMIT_REACHED"
	EventEndsSoon              EventType = "ENDS_SOON"
	EventWanted                EventType = "WANTED"
	EventBooked                EventType = "BOOKED"
	EventBookingChanged        EventType = "BOOKING_CHANGED"
	EventBookingCancelled      EventType = "BOOKING_CANCELLED"
	EventBookingDelayed        EventType = "BOOKING_DELAYED"
)

// Event is a change of the tenant, or one of the connection, which has only its type. Fields that an event does not
// have are zero.
type Event struct {
	Type         EventType `json:"type"`
	TenantID     string    `json:"tenantId"`
	Resource     string    `json:"resource"`
	Requester    string    `json:"requester"`
	Explanation  string    `json:"explanation"`
	ResourceType string    `json:"resourceType"`
	APIKeyLabel  string    `json:"apiKeyLabel"`
	// Actor who did it, if that was not the requester.
	Actor       string    `json:"actor"`
	RequestType string    `json:"requestType"`
	Timestamp   time.Time `json:"timestamp"`
	// ExpiresAt is the end of the lease. Zero: never.
	ExpiresAt     time.Time         `json:"expiresAt"`
	ClaimBy       time.Time         `json:"claimBy"`
	AcquiredSlots map[string]string `json:"acquiredSlots"`
	Slots         []string          `json:"slots"`
	Mode          Mode              `json:"mode"`
	FencingToken  int64             `json:"fencingToken"`
	Note          string            `json:"note"`
	Waiting       int               `json:"waiting"`
	Reason        string            `json:"reason"`
	// Booking that it is about, and when that starts and ends.
	Booking string    `json:"booking"`
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	// Booked are the next bookings of a slot that goes out of service, or comes back.
	Booked []Booked `json:"booked"`
	// Method and Changes of a transaction.
	Method    Method   `json:"method"`
	Changes   []Change `json:"changes"`
	LimitType string   `json:"limitType"`
	Limit     int      `json:"limit"`
}

// Booked is a booking that has not begun.
type Booked struct {
	Requester string    `json:"requester"`
	Start     time.Time `json:"start"`
	End       time.Time `json:"end"`
}

// Change is one change of a transaction.
type Change struct {
	Resource      string            `json:"resource"`
	Requester     string            `json:"requester"`
	RequestType   string            `json:"requestType"`
	Explanation   string            `json:"explanation"`
	Actor         string            `json:"actor"`
	ExpiresAt     time.Time         `json:"expiresAt"`
	AcquiredSlots map[string]string `json:"acquiredSlots"`
	Slots         []string          `json:"slots"`
	Mode          Mode              `json:"mode"`
	FencingToken  int64             `json:"fencingToken"`
	Note          string            `json:"note"`
}
