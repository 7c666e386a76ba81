package holdfast

import (
	"sync"
	"time"
)

// marginOf returns the time by which a lease counts as over before its end: for drift of the clocks, and the way to the
// protected resource.
func marginOf(ttl time.Duration) time.Duration {
	return min(max(ttl/10, 50*time.Millisecond), 2*time.Second)
}

// moment has both clocks, or the end of a lease by both.
type moment struct{ monotonic, wall time.Duration }

func (m moment) plus(d time.Duration) moment { return moment{later(m.monotonic, d), later(m.wall, d)} }

// lease is a lease as its holder sees it: it may have ended at the service ttl after the request was sent. The holder
// counts it as over a margin earlier.
type lease struct {
	// Names of the reservations, for messages.
	title  string
	clocks clocks

	mu  sync.Mutex
	ttl time.Duration
	// From this moment on, by either clock, the holder counts it as over.
	over       moment
	lastEnd    time.Duration
	isFinished bool
	lostBy     *Error
	failure    error
	done       chan struct{}
	onLost     func(*Error)
}

func newLease(title string, c clocks) *lease {
	return &lease{title: title, clocks: c, ttl: Forever, over: moment{Forever, Forever}}
}

// extend tells that the service granted or renewed the lease. sentAt: the monotonic clock when the request was sent.
// offset: that of the clocks before the request. If the machine slept until the response, it was less than now.
func (l *lease) extend(ttl, sentAt, offset time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ttl, l.failure = ttl, nil
	l.over = moment{Forever, Forever}
	if ttl != Forever {
		ahead := min(offset, l.clocks.offset())
		l.over = moment{sentAt, sentAt + ahead}.plus(ttl - marginOf(ttl))
	}
	l.extendLastEnd(ttl)
}

// announce tells that a renewal is about to be sent. It may shorten the lease, also if its response is lost.
func (l *lease) announce(ttl time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.now().plus(ttl - marginOf(ttl))
	l.over = moment{min(l.over.monotonic, next.monotonic), min(l.over.wall, next.wall)}
}

// failed tells that a renewal has failed, and is repeated: why the lease was lost, if it is not renewed in time.
func (l *lease) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = err
}

// mayLast tells that a request that begins or renews the lease may be carried out until now: it may last ttl longer.
func (l *lease) mayLast(ttl time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.extendLastEnd(ttl)
}

func (l *lease) extendLastEnd(ttl time.Duration) {
	l.lastEnd = max(l.lastEnd, later(l.clocks.monotonic(), ttl))
}

// latestEnd returns the time of the monotonic clock by which the service has certainly ended the lease.
func (l *lease) latestEnd() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastEnd
}

// deadline returns the time of the monotonic clock from which the holder counts the lease as over.
func (l *lease) deadline() time.Duration { return later(l.clocks.monotonic(), l.remaining()) }

// end returns the time of the monotonic clock by which it has ended, unless a renewal whose response was lost was
// carried out.
func (l *lease) end() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return later(later(l.clocks.monotonic(), l.left()), marginOf(l.ttl))
}

// remaining returns the time until the deadline, by the clock that leaves less.
func (l *lease) remaining() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left()
}

func (l *lease) left() time.Duration {
	if l.over.monotonic == Forever {
		return Forever
	}
	now := l.now()
	return min(l.over.monotonic-now.monotonic, l.over.wall-now.wall)
}

// renewIn returns the time until a third of the lease has passed. 0 or less: it has.
func (l *lease) renewIn() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ttl == Forever {
		return Forever
	}
	return l.left() + marginOf(l.ttl) - l.ttl/3*2
}

// isHalfOver returns whether less than half of it is left.
func (l *lease) isHalfOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ttl != Forever && l.left()+marginOf(l.ttl) < l.ttl/2
}

// lost returns why it counts as over, or nil. It looks at the clocks.
func (l *lease) lost() *Error {
	l.mu.Lock()
	isOver := !l.isFinished && l.lostBy == nil && l.left() <= 0
	failure := l.failure
	l.mu.Unlock()
	if isOver {
		l.lose(leaseLost("the lease of "+l.title+" was not renewed in time", failure))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lostBy
}

// isOver returns whether nobody needs to look at it any more: it is lost, or was given back.
func (l *lease) isOver() bool {
	isLost := l.lost() != nil
	l.mu.Lock()
	defer l.mu.Unlock()
	return isLost || l.isFinished
}

// length returns the time that it lasts.
func (l *lease) length() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ttl
}

// lose tells that it has ended, or that nobody can tell any more that it has not.
func (l *lease) lose(err *Error) {
	l.mu.Lock()
	if l.isFinished || l.lostBy != nil {
		l.mu.Unlock()
		return
	}
	l.lostBy = err
	if l.done != nil {
		close(l.done)
	}
	tell := l.onLost
	l.mu.Unlock()
	if tell != nil {
		tell(err)
	}
}

// whenLost sets the function that is called once it is lost.
func (l *lease) whenLost(tell func(*Error)) {
	l.mu.Lock()
	err := l.lostBy
	l.onLost = tell
	l.mu.Unlock()
	if err != nil {
		tell(err)
	}
}

// doneChannel returns a channel that is closed when it is lost.
func (l *lease) doneChannel() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == nil {
		l.done = make(chan struct{})
		if l.lostBy != nil {
			close(l.done)
		}
	}
	return l.done
}

// finish tells that the holder gives it back: it is not watched any more, and stays as it is.
func (l *lease) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isFinished = true
}

func (l *lease) now() moment { return moment{l.clocks.monotonic(), l.clocks.wall()} }
