package holdfast

import "time"

// minRenewal is how long a renewal that is cut to the start of a booking lasts at least.
const minRenewal = 5 * time.Second

// leaseIn returns the lease that results have, of which ttl was asked: bookings may have cut it.
func leaseIn(results []Result, ttl time.Duration) time.Duration {
	for i := range results {
		if seconds := results[i].TTLSeconds; seconds > 0 {
			ttl = min(ttl, time.Duration(seconds)*time.Second)
		}
	}
	return ttl
}

// fixEnd notes when the lease ends, if results say that bookings fix it. The caller has the lock of the hold, or made
// the hold. It returns the end if it is new, else zero.
func (h *Hold) fixEnd(results []Result) time.Time {
	var end time.Time
	for i := range results {
		result := &results[i]
		// The end of an earlier lease (ALREADY_HAD) is known only after its next renewal.
		isFixed := result.Status != "ALREADY_HAD" && (result.TTLSeconds > 0 || !result.BookedFrom.IsZero())
		if isFixed && !result.ExpiresAt.IsZero() && (end.IsZero() || result.ExpiresAt.Before(end)) {
			end = result.ExpiresAt
		}
	}
	before := h.fixedEnd
	h.fixedEnd = end
	if end.Equal(before) {
		return time.Time{}
	}
	return end
}

// tellEnd tells the caller of an end that is new; zero: there is none.
func (h *Hold) tellEnd(end time.Time) {
	if !end.IsZero() && h.onEndFixed != nil {
		h.onEndFixed(end)
	}
}
