package holdfast

import "time"

// wallNow returns the time of the wall clock, without a reading of the monotonic one.
func wallNow() time.Time { return time.Now().Round(0) }
