package holdfast

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// errorOf makes the error of a response whose status is no success (docs/specification.md#errors).
func errorOf(status int, header http.Header, body []byte) *Error {
	err := &Error{Status: status, RequestID: header.Get("X-Request-Id")}
	if seconds, wrong := strconv.ParseUint(header.Get("Retry-After"), 10, 31); wrong == nil {
		err.RetryAfter, err.hasRetryAfter = time.Duration(seconds)*time.Second, true
	}
	var text string
	if status >= 400 && json.Unmarshal(body, &text) == nil {
		err.Code, err.Message = Code(header.Get("Holdfast-Error")), text
		if err.Code == "" {
			err.Code = "MALFORMED_REQUEST"
		}
		return err
	}
	var described struct{ Error, Code, LimitType string }
	if json.Unmarshal(body, &described) == nil && described.Error != "" && described.Code != "" {
		err.Code, err.Message, err.LimitType = Code(described.Code), described.Error, described.LimitType
		return err
	}
	page := unexpected()
	err.Code, err.Message = page.Code, page.Message
	if status >= 300 && status < 400 {
		err.Message = "url redirects elsewhere"
	}
	if status == 503 {
		err.Code = CodeUnavailable
	}
	return err
}

// unreachable says that there was no response.
func unreachable(cause error, timedOut time.Duration) *Error {
	// Its address says nothing that the caller does not know.
	var address *url.Error
	if errors.As(cause, &address) {
		cause = address.Err
	}
	const message = "the service could not be reached"
	if timedOut > 0 {
		within := " within " + timedOut.Round(100*time.Millisecond).String()
		return &Error{Code: CodeUnreachable, Message: message + within}
	}
	return &Error{Code: CodeUnreachable, Message: message + ": " + cause.Error(), cause: cause}
}

// isRetryable returns whether a repeat may succeed.
func (e *Error) isRetryable() bool {
	switch e.Status {
	case 408, 502, 504:
		return true
	case 429:
		return e.hasRetryAfter
	case 503:
		return e.Code != "NOT_CONFIGURED"
	}
	return e.Code == CodeUnreachable || e.Code == "REQUEST_RUNNING"
}

// mayHaveRun returns whether the request may have been carried out.
func (e *Error) mayHaveRun() bool {
	return (e.Status == 0 || e.Status >= 500) && e.Code != "OVERLOADED"
}

// isForAll returns whether every request of this caller gets this error.
func (e *Error) isForAll() bool {
	return e.Status == 401 || e.LimitType == "FailedAuthentications" || (e.Status != 429 && e.isRetryable())
}

var quota = regexp.MustCompile(`Per(Minute|Day)$`)

// isUsedUp returns whether a quota is used up, since a request of one item was refused.
func (e *Error) isUsedUp() bool { return quota.MatchString(e.LimitType) }

// endsByItself returns whether the service could not be reached. Then reservations that were not released end with
// their leases.
func endsByItself(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code == CodeUnreachable || e.Status == 408 || e.Status == 429 || e.Status >= 500
}

// trimmed returns the message of an error without the name of this package.
func trimmed(err error) string { return strings.TrimPrefix(err.Error(), "holdfast: ") }
