package holdfast

import (
	"context"
	"errors"
	"sync"
)

// wait is one wait, from before its first call until it has got something, or nothing of it is left.
type wait struct {
	// Ends when that of the caller does, and when Cancel ends the wait.
	ctx   context.Context
	stop  context.CancelFunc
	title string
	// The names of the resources that it waits for, and the texts of its matches.
	names []string
	open  *openWaits
	// Closed when it is over.
	ended chan struct{}

	// Under the lock of open:
	// who waits. The next number may be tried: <requester>#2.
	requester   string
	isCancelled bool
	// A function of the user runs, and no call.
	isTelling bool
}

// openWaits are the waits of a client that are under way. Cancel ends them wherever they are, also between two of their
// calls.
type openWaits struct {
	mu    sync.Mutex
	waits map[*wait]struct{}
}

func newOpenWaits() *openWaits { return &openWaits{waits: map[*wait]struct{}{}} }

// begin returns a wait. end has to be called when it is over.
func (o *openWaits) begin(ctx context.Context, title string, names []string) *wait {
	w := &wait{title: title, names: names, open: o, ended: make(chan struct{})}
	w.ctx, w.stop = context.WithCancel(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waits[w] = struct{}{}
	return w
}

// cancel ends the waits of requesters for a name. It returns whether there was one, and channels that are closed when
// nothing of them is left. Those whose function of the user runs have no call under way, and are asked no more: they
// have no channel, since that function may be the caller.
func (o *openWaits) cancel(name string, requesters []string) (wasOne bool, ended []<-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for w := range o.waits {
		if !contains(w.names, name) || !contains(requesters, w.requester) {
			continue
		}
		wasOne, w.isCancelled = true, true
		w.stop()
		if !w.isTelling {
			ended = append(ended, w.ended)
		}
	}
	return wasOne, ended
}

// by says who waits.
func (w *wait) by(requester string) {
	w.open.mu.Lock()
	defer w.open.mu.Unlock()
	w.requester = requester
}

// telling says whether a function of the user runs.
func (w *wait) telling(isTelling bool) {
	w.open.mu.Lock()
	defer w.open.mu.Unlock()
	w.isTelling = isTelling
}

func (w *wait) wasCancelled() bool {
	w.open.mu.Lock()
	defer w.open.mu.Unlock()
	return w.isCancelled
}

// granted returns whether its caller gets what it waited for. From then on it is no wait any more, but a hold.
func (w *wait) granted() bool {
	w.open.mu.Lock()
	defer w.open.mu.Unlock()
	delete(w.open.waits, w)
	return !w.isCancelled
}

// explain returns the error of the wait: of one that Cancel has ended, NOT_AVAILABLE.
func (w *wait) explain(err error) error {
	if !w.wasCancelled() || (err != nil && !errors.Is(err, context.Canceled)) {
		return err
	}
	cancelled := &Error{Code: CodeNotAvailable, Message: w.title + ": NOT_AVAILABLE: cancelled"}
	var failure *Error
	if errors.As(err, &failure) {
		cancelled.cause = failure
	}
	return cancelled
}

// end has to be called when it is over.
func (w *wait) end() {
	w.granted()
	w.stop()
	close(w.ended)
}
