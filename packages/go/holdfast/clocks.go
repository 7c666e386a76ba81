package holdfast

import (
	"math"
	"time"
)

// Forever is the TTL of a lease that ends only when it is released.
const Forever = time.Duration(math.MaxInt64)

// clocks are the two clocks that leases are measured with. The monotonic one of Linux stands still while the machine
// sleeps, and the wall clock goes on. Nothing ever sets the monotonic one.
type clocks struct {
	// Time since any beginning.
	monotonic func() time.Duration
	// Time since 1970.
	wall func() time.Duration
}

var processStart = time.Now()

var systemClocks = clocks{
	monotonic: monotonicNow,
	wall:      func() time.Duration { return time.Duration(wallNow().UnixNano()) },
}

// monotonicNow returns the time since the start of the process. Deadlines of calls are times of this clock.
func monotonicNow() time.Duration { return time.Since(processStart) }

// offset returns by how much the wall clock is ahead of the monotonic one. Sleep makes it greater.
func (c clocks) offset() time.Duration { return c.wall() - c.monotonic() }

// later returns a time, d after at. Forever stays Forever.
func later(at, d time.Duration) time.Duration {
	if at == Forever || d == Forever || d > Forever-max(at, 0) {
		return Forever
	}
	return at + d
}

func min(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}

func max(a, b time.Duration) time.Duration {
	if a > b {
		return a
	}
	return b
}
