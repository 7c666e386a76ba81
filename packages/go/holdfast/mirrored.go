package holdfast

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

// MirroredReservation is a reservation in a mirror.
type MirroredReservation struct {
	// Resource as it was reserved.
	Resource   string
	Requester  string
	ReservedAt time.Time
	// ExpiresAt is the end of the lease. Zero: never.
	ExpiresAt time.Time
	// AcquiredSlots is the slot that it has of each pool.
	AcquiredSlots map[string]string
	FencingToken  int64
	// Slots of the pool, if it has several.
	Slots []string
	// Mode is Shared if it is held together with others; else "".
	Mode Mode
	Note string
}

// mirrored is reservations, kept up to date by events. No I/O.
type mirrored struct {
	// A requester has at most one of a resource. A slice never changes: another one takes its place.
	byResource map[string][]MirroredReservation
}

func newMirrored(rows []ActiveReservation) *mirrored {
	m := &mirrored{byResource: map[string][]MirroredReservation{}}
	for _, row := range rows {
		m.set(MirroredReservation{
			row.Resource, row.Requester, row.ReservedAt, row.ExpiresAt, row.AcquiredSlots, row.FencingToken,
			row.Slots, sharedOnly(row.Mode), row.Note,
		})
	}
	return m
}

func sharedOnly(mode Mode) Mode {
	if mode == Shared {
		return Shared
	}
	return ""
}

// apply returns the resources whose reservations have changed. Events that came before the rows were read may be
// applied, too: the last ones decide.
func (m *mirrored) apply(event *Event) []string {
	switch event.Type {
	case EventReset:
		all := m.names()
		m.byResource = map[string][]MirroredReservation{}
		return all
	case EventTransactionApplied:
		var changed []string
		for i := range event.Changes {
			changed = append(changed, m.change(&event.Changes[i], event.Timestamp)...)
		}
		return changed
	case EventReserved:
		return m.set(MirroredReservation{
			event.Resource, event.Requester, event.Timestamp, event.ExpiresAt, event.AcquiredSlots, event.FencingToken,
			event.Slots, sharedOnly(event.Mode), event.Note,
		})
	case EventUnreserved:
		return m.remove(event.Resource, event.Requester)
	case EventRenewed:
		known, i := m.find(event.Resource, event.Requester)
		// Otherwise the event is older than the rows.
		if i < 0 || known.FencingToken != event.FencingToken {
			return nil
		}
		known.ExpiresAt = event.ExpiresAt
		return m.set(known)
	}
	return nil
}

func (m *mirrored) change(change *Change, at time.Time) []string {
	switch change.Explanation {
	case "ACQUIRED":
		return m.set(MirroredReservation{
			change.Resource, change.Requester, at, change.ExpiresAt, change.AcquiredSlots, change.FencingToken,
			change.Slots, sharedOnly(change.Mode), change.Note,
		})
	case "RELINQUISHED":
		return m.remove(m.nameOf(change.Resource, change.Requester), change.Requester)
	}
	return nil
}

// nameOf returns the name of a reservation that was released by another name: a slot, or a path.
func (m *mirrored) nameOf(released, requester string) string {
	if _, i := m.find(released, requester); i >= 0 {
		return released
	}
	slot := lastSegment(released)
	for resource := range m.byResource {
		one, i := m.find(resource, requester)
		own := lastSegment(resource)
		if i >= 0 && (own == slot || contains(one.Slots, slot) || one.AcquiredSlots[own] == slot) {
			return resource
		}
	}
	return released
}

func (m *mirrored) find(resource, requester string) (MirroredReservation, int) {
	for i, one := range m.byResource[resource] {
		if one.Requester == requester {
			return one, i
		}
	}
	return MirroredReservation{}, -1
}

func (m *mirrored) set(one MirroredReservation) []string {
	all := append([]MirroredReservation(nil), m.byResource[one.Resource]...)
	if _, i := m.find(one.Resource, one.Requester); i >= 0 {
		all[i] = one
	} else {
		all = append(all, one)
	}
	m.byResource[one.Resource] = all
	return []string{one.Resource}
}

func (m *mirrored) remove(resource, requester string) []string {
	_, i := m.find(resource, requester)
	if i < 0 {
		return nil
	}
	before := m.byResource[resource]
	if len(before) == 1 {
		delete(m.byResource, resource)
	} else {
		m.byResource[resource] = append(append([]MirroredReservation(nil), before[:i]...), before[i+1:]...)
	}
	return []string{resource}
}

func (m *mirrored) names() []string {
	names := make([]string, 0, len(m.byResource))
	for name := range m.byResource {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// changedSince returns the resources whose reservations are not as they were before.
func (m *mirrored) changedSince(before *mirrored) []string {
	var changed []string
	for _, name := range m.names() {
		if m.stateOf(name) != before.stateOf(name) {
			changed = append(changed, name)
		}
	}
	for _, name := range before.names() {
		if m.byResource[name] == nil {
			changed = append(changed, name)
		}
	}
	return changed
}

// stateOf: a fencing token stands for a reservation, and only the end of its lease ever changes.
func (m *mirrored) stateOf(name string) string {
	var states []string
	for _, one := range m.byResource[name] {
		states = append(states, fmt.Sprint(one.FencingToken, one.ExpiresAt.UnixMilli()))
	}
	sort.Strings(states)
	return strings.Join(states, ",")
}

func lastSegment(name string) string { return name[strings.LastIndex(name, ">")+1:] }

func contains(all []string, one string) bool {
	for _, other := range all {
		if other == one {
			return true
		}
	}
	return false
}
