//go:build go1.20

package holdfast

import "context"

// withCause returns a context, and what ends it with a cause, which context.Cause returns.
func withCause(parent context.Context) (context.Context, func(cause error)) {
	ctx, cancel := context.WithCancelCause(parent)
	return ctx, cancel
}
