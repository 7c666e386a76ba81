package holdfast

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// wallNow returns the time of the wall clock, set by the seconds that the file of the environment has: it stands in for
// libfaketime, since Go does not ask the C library.
func wallNow() time.Time {
	text, err := os.ReadFile(os.Getenv("FAKETIME_TIMESTAMP_FILE"))
	if err != nil {
		panic(err)
	}
	seconds, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return time.Now().Round(0)
	}
	return time.Now().Round(0).Add(time.Duration(seconds) * time.Second)
}
