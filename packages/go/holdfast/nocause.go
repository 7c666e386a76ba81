//go:build !go1.20

package holdfast

import "context"

// withCause returns a context, and what ends it. Causes need Go 1.20.
func withCause(parent context.Context) (context.Context, func(cause error)) {
	ctx, cancel := context.WithCancel(parent)
	return ctx, func(error) { cancel() }
}
