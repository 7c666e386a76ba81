package holdfast

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Kinds of errors, for errors.Is. errors.As with an *Error gives the code and the details.
var (
	// ErrNotAvailable: somebody else has it, or its turn did not come in time (ALREADY_HELD, NOT_AVAILABLE).
	ErrNotAvailable = errors.New("holdfast: not available")
	// ErrLeaseLost: the lease ended, or may have (LEASE_LOST).
	ErrLeaseLost = errors.New("holdfast: lease lost")
	// ErrLimitReached: a limit of the tenant is reached (LIMIT_REACHED).
	ErrLimitReached = errors.New("holdfast: limit reached")
	// ErrUnreachable: no response after all retries (UNREACHABLE).
	ErrUnreachable = errors.New("holdfast: unreachable")
)

// Code identifies an error. It stays the same when messages change. A later service may send others.
type Code string

// Codes of the client. Others are those of the service (docs/specification.md#errors): UNAUTHENTICATED, FORBIDDEN and
// so on.
const (
	// CodeAlreadyHeld: somebody else has it.
	CodeAlreadyHeld Code = "ALREADY_HELD"
	// CodeNotAvailable: no slot of it is free, or its turn did not come in time.
	CodeNotAvailable Code = "NOT_AVAILABLE"
	// CodeNotValid: the name is no valid resource.
	CodeNotValid Code = "NOT_VALID"
	// CodeNotReserved: a release or a renewal of a resource that is not held.
	CodeNotReserved Code = "NOT_RESERVED"
	// CodeDoesntOwnReservation: a release or a renewal with a wrong token.
	CodeDoesntOwnReservation Code = "DOESNT_OWN_RESERVATION"
	// CodeAlreadyHad: another hold of this client has it, under a requester that you chose.
	CodeAlreadyHad Code = "ALREADY_HAD"
	// CodeLeaseLost: the lease ended, or may have.
	CodeLeaseLost Code = "LEASE_LOST"
	// CodeLimitReached: a limit of the tenant is reached. LimitType says which one.
	CodeLimitReached Code = "LIMIT_REACHED"
	// CodeUnreachable: no response after all retries.
	CodeUnreachable Code = "UNREACHABLE"
	// CodeInvalidOption: an option that makes no sense, or a key function that failed.
	CodeInvalidOption Code = "INVALID_OPTION"
	// CodeUnexpectedResponse: the response is not Holdfast's.
	CodeUnexpectedResponse Code = "UNEXPECTED_RESPONSE"
	// CodeUnauthenticated: the service refuses the key.
	CodeUnauthenticated Code = "UNAUTHENTICATED"
	// CodeForbidden: the key does not permit the call.
	CodeForbidden Code = "FORBIDDEN"
	// CodeUnavailable: the service cannot answer now.
	CodeUnavailable Code = "UNAVAILABLE"
)

// Error is the error of every call, but for those of contexts and of your own functions. It has no key and no release
// token.
type Error struct {
	Code    Code
	Message string
	// Status is the HTTP status of the response, if there was one.
	Status int
	// HeldBy says who holds the resource, if the service said so.
	HeldBy *HeldBy
	// LimitType says which limit is reached: OperationsPerMinute, ConcurrentReservations and so on.
	LimitType string
	// RetryAfter says when to try again, if the service said so.
	RetryAfter time.Duration
	// RequestID is the X-Request-Id of the response. The log of the service has it too.
	RequestID string

	hasRetryAfter bool
	cause         error
}

// text says who has it, behind the message of a refusal: ": ann has printer (nightly)". Empty if h is nil.
func (h *HeldBy) text() string {
	if h == nil {
		return ""
	}
	requester, why := h.Requester, ""
	if requester == "" {
		requester = "somebody"
	}
	if h.Note != "" {
		why = " (" + h.Note + ")"
	}
	return ": " + requester + " has " + h.Resource + why
}

// Error returns the code and the message.
func (e *Error) Error() string {
	if strings.Contains(e.Message, string(e.Code)) {
		return "holdfast: " + e.Message
	}
	return "holdfast: " + string(e.Code) + ": " + e.Message
}

// Unwrap returns the cause: of LEASE_LOST, the error of the work or of the last renewal.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is work with the kinds of this package.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrNotAvailable:
		return e.Code == CodeAlreadyHeld || e.Code == CodeNotAvailable
	case ErrLeaseLost:
		return e.Code == CodeLeaseLost
	case ErrLimitReached:
		return e.Code == CodeLimitReached
	case ErrUnreachable:
		return e.Code == CodeUnreachable
	}
	return false
}

// invalid says that the caller asked for something that makes no sense.
func invalid(message string) *Error { return &Error{Code: CodeInvalidOption, Message: message} }

// unexpected says that the response is that of a proxy, or of another service.
func unexpected() *Error {
	return &Error{Code: CodeUnexpectedResponse, Message: "unexpected response: is this Holdfast?"}
}

// leaseLost says why a lease counts as over, with the error of the last renewal if it failed.
func leaseLost(message string, cause error) *Error {
	if cause != nil {
		message += ": " + trimmed(cause)
	}
	return &Error{Code: CodeLeaseLost, Message: message, cause: cause}
}

// gaveUp is the error of a call whose context ended after an attempt had failed.
type gaveUp struct {
	reason  error
	failure *Error
}

// withFailure returns the error of a context that has ended, with the last error of the call, if it had failed.
func withFailure(ctx context.Context, failure *Error) error {
	if failure == nil {
		return ctx.Err()
	}
	return &gaveUp{ctx.Err(), failure}
}

func (e *gaveUp) Error() string        { return e.reason.Error() + ": " + e.failure.Error() }
func (e *gaveUp) Unwrap() error        { return e.reason }
func (e *gaveUp) Is(target error) bool { return errors.Is(e.failure, target) }
func (e *gaveUp) As(target any) bool   { return errors.As(error(e.failure), target) }
