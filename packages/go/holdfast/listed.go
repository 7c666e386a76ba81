package holdfast

import (
	"encoding/json"
	"time"
)

// CheckResult says who holds a resource, and whether it could be reserved.
type CheckResult struct {
	Resource string `json:"resource"`
	// Reserved is false if a slot of it is free.
	Reserved  bool   `json:"reserved"`
	Requester string `json:"requester"`
	// HeldByRequester says whether the requester of the question holds it. Nil: none was named.
	HeldByRequester *bool     `json:"heldByRequester"`
	ExpiresAt       time.Time `json:"expiresAt"`
	// Waiting is the number of requests in the queue.
	Waiting int    `json:"waiting"`
	Note    string `json:"note"`
	// Reservable says whether a reserve would get it now. Nil: not known.
	Reservable      *bool     `json:"reservable"`
	Mode            Mode      `json:"mode"`
	Reason          *Reason   `json:"reason"`
	Condition       Condition `json:"condition"`
	ConditionReason string    `json:"conditionReason"`
	// BookedFrom says from when on it is booked for others. Zero: never.
	BookedFrom time.Time `json:"bookedFrom"`
	// Holders is the number of those who hold it together.
	Holders int `json:"holders"`
}

// ActiveReservation is a reservation in a list.
type ActiveReservation struct {
	Resource     string    `json:"resource"`
	Requester    string    `json:"requester"`
	ResourceType string    `json:"resourceType"`
	ReservedAt   time.Time `json:"reservedAt"`
	// ExpiresAt is the end of the lease. Zero: never.
	ExpiresAt        time.Time         `json:"expiresAt"`
	ClaimBy          time.Time         `json:"claimBy"`
	AcquiredSlots    map[string]string `json:"acquiredSlots"`
	AcquiredBlockers []string          `json:"acquiredBlockers"`
	ReservedAtPath   string            `json:"reservedAtPath"`
	Mode             Mode              `json:"mode"`
	Slots            []string          `json:"slots"`
	FencingToken     int64             `json:"fencingToken"`
	APIKeyLabel      string            `json:"apiKeyLabel"`
	Note             string            `json:"note"`
	Condition        Condition         `json:"condition"`
	Session          string            `json:"session"`
	// Booking that it is the running time of; "": none.
	Booking string `json:"booking"`
}

// WaitingRequest is a request in the queue.
type WaitingRequest struct {
	Requester  string      `json:"requester"`
	Resources  []string    `json:"resources"`
	Counts     []int       `json:"counts"`
	Conditions []Condition `json:"conditions"`
	// TTLSeconds is the lease. 0: it lasts as long as its session.
	TTLSeconds  float64   `json:"ttlSeconds"`
	Method      string    `json:"method"`
	Priority    int       `json:"priority"`
	Since       time.Time `json:"since"`
	Until       time.Time `json:"until"`
	WaitsFor    string    `json:"waitsFor"`
	Attended    bool      `json:"attended"`
	APIKeyLabel string    `json:"apiKeyLabel"`
	Note        string    `json:"note"`
	Reason      *Reason   `json:"reason"`
}

// SessionInfo is a session in a list.
type SessionInfo struct {
	Session     string    `json:"session"`
	Requester   string    `json:"requester"`
	TTLSeconds  int       `json:"ttlSeconds"`
	CreatedAt   time.Time `json:"createdAt"`
	ExpiresAt   time.Time `json:"expiresAt"`
	Holds       int       `json:"holds"`
	APIKeyLabel string    `json:"apiKeyLabel"`
}

// Registration defines a pool, a blocker, a place in a tree, or labels (docs/specification.md#registration). Group,
// Labels, AfterUse, Attributes, SlotAttributes and Bookable stay as they were if they are nil or empty; an empty map or
// slice that is not nil takes them away.
type Registration struct {
	Name string `json:"name"`
	// Capacity is the number of slots. 0: it is no pool.
	Capacity int      `json:"capacity,omitempty"`
	Blocks   []string `json:"blocks,omitempty"`
	TreePath string   `json:"treePath,omitempty"`
	Group    *bool    `json:"group,omitempty"`
	// Groups makes groups of ancestors that are not registered.
	Groups         bool                `json:"groups,omitempty"`
	Labels         map[string]string   `json:"labels,omitempty"`
	AfterUse       Condition           `json:"afterUse,omitempty"`
	Attributes     map[string]string   `json:"attributes,omitempty"`
	SlotAttributes []map[string]string `json:"slotAttributes,omitempty"`
	Bookable       *bool               `json:"bookable,omitempty"`
}

// MarshalJSON writes empty maps and slices, too, unless they are nil.
func (r Registration) MarshalJSON() ([]byte, error) {
	type fields Registration
	more := struct {
		fields
		Labels         *map[string]string   `json:"labels,omitempty"`
		Attributes     *map[string]string   `json:"attributes,omitempty"`
		SlotAttributes *[]map[string]string `json:"slotAttributes,omitempty"`
	}{fields: fields(r)}
	if r.Labels != nil {
		more.Labels = &r.Labels
	}
	if r.Attributes != nil {
		more.Attributes = &r.Attributes
	}
	if r.SlotAttributes != nil {
		more.SlotAttributes = &r.SlotAttributes
	}
	return json.Marshal(more)
}

// Definition is a registration as it is stored.
type Definition struct {
	Name string `json:"name"`
	// Capacity is 0 if it is no pool.
	Capacity       int                 `json:"capacity"`
	Blocks         []string            `json:"blocks"`
	TreePath       string              `json:"treePath"`
	Group          bool                `json:"group"`
	Labels         map[string]string   `json:"labels"`
	AfterUse       Condition           `json:"afterUse"`
	Attributes     map[string]string   `json:"attributes"`
	SlotAttributes []map[string]string `json:"slotAttributes"`
	Bookable       bool                `json:"bookable"`
	OutOfService   int                 `json:"outOfService"`
	Dirty          int                 `json:"dirty"`
}

// TreeNode is a definition with those below it.
type TreeNode struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Capacity and Available are 0 of a group.
	Capacity     int               `json:"capacity"`
	Available    int               `json:"available"`
	Waiting      int               `json:"waiting"`
	Group        bool              `json:"group"`
	Labels       map[string]string `json:"labels"`
	OutOfService int               `json:"outOfService"`
	Dirty        int               `json:"dirty"`
	// BookedFrom says from when on it is booked: of a pool, the latest of its free slots. Zero: never.
	BookedFrom time.Time  `json:"bookedFrom"`
	Children   []TreeNode `json:"children"`
}

// ConditionResult is the result of a change of a condition. Status is CHANGED, UNCHANGED or NOT_VALID.
type ConditionResult struct {
	Resource    string    `json:"resource"`
	Condition   Condition `json:"condition"`
	Status      string    `json:"status"`
	Explanation string    `json:"explanation"`
}
