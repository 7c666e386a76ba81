package holdfast

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// door is a proxy before the real service. It keeps the first request whose path begins with path: before the service
// has it, or its answer.
type door struct {
	path       string
	keepAnswer bool
	once       sync.Once
	// Closed when the request, or its answer, is kept.
	kept chan struct{}
	open chan struct{}
	mu   sync.Mutex
	// The paths of all requests.
	paths []string
}

func (d *door) keep() {
	d.once.Do(func() {
		close(d.kept)
		<-d.open
	})
}

func (d *door) count(path string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	count := 0
	for _, one := range d.paths {
		if strings.Contains(one, path) {
			count++
		}
	}
	return count
}

// behindDoor returns a client behind a door, another one that holds a name, and the name.
func behindDoor(t *testing.T, path string, keepAnswer bool) (client, other *Client, d *door, held *Hold) {
	t.Helper()
	other, name := service(t)
	target := must[*url.URL](t)(url.Parse(os.Getenv("HOLDFAST_URL")))
	d = &door{path: "/api/v1/Reservation/" + path, keepAnswer: keepAnswer}
	d.kept, d.open = make(chan struct{}), make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(response *http.Response) error {
		if d.keepAnswer && strings.HasPrefix(response.Request.URL.RequestURI(), d.path) {
			d.keep()
		}
		return nil
	}
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.paths = append(d.paths, r.URL.RequestURI())
		d.mu.Unlock()
		if !d.keepAnswer && strings.HasPrefix(r.URL.RequestURI(), d.path) {
			d.keep()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	client = must[*Client](t)(New(f.URL, WithKey(os.Getenv("HOLDFAST_KEY"))))
	t.Cleanup(client.Close)
	return client, other, d, must[*Hold](t)(other.Reserve(background, Request{Resource: name}))
}

// nothingLeft checks that nobody waits, and that nobody else has it: at once, without another look.
func nothingLeft(t *testing.T, other *Client, held *Hold) {
	t.Helper()
	rows := must[[]WaitingRequest](t)(other.Waiting(background, Filter{Resource: held.Resource}))
	equal(t, "waiting", len(rows), 0)
	must[bool](t)(held.Release(background))
	equal(t, "held", len(must[[]ActiveReservation](t)(other.Active(background, Filter{Resource: held.Resource}))), 0)
}

// cancelledIn cancels a wait while the door keeps a request or an answer.
func cancelledIn(t *testing.T, client, other *Client, d *door, held *Hold, begin func() error) {
	t.Helper()
	done, answered := make(chan error, 1), make(chan bool, 1)
	go func() { done <- begin() }()
	<-d.kept
	go func() { answered <- must[bool](t)(client.Cancel(background, held.Resource, "")) }()
	eventually(t, "the cancellation", func() bool { return d.count("/cancel") > 0 })
	close(d.open)
	equal(t, "there was one", <-answered, true)
	err := <-done
	equal(t, "error", errors.Is(err, ErrNotAvailable), true)
	equal(t, "why", strings.HasSuffix(err.Error(), ": NOT_AVAILABLE: cancelled"), true)
	nothingLeft(t, other, held)
}

func TestACancelledWaitEndsAndLeavesNothing(t *testing.T) {
	// The first call for a name is not held; those of the others are.
	ways := []string{"a name", "several names", "a transaction"}
	moments := []struct {
		name, path string
		keepAnswer bool
		isFree     bool
		ways       []string
	}{
		{"while its first call is overtaken by the cancellation", "", false, false, ways},
		{"while the answer to its first call is on its way", "", true, false, ways[:1]},
		{"while it has been granted, and does not know it yet", "", true, true, ways},
		{"while its long poll is overtaken by the cancellation", "reserve?pollSeconds=10", false, false, ways[:1]},
	}
	for _, moment := range moments {
		t.Run(moment.name, func(t *testing.T) {
			for _, way := range moment.ways {
				t.Run(way, func(t *testing.T) {
					client, other, d, held := behindDoor(t, moment.path, moment.keepAnswer)
					if moment.isFree {
						must[bool](t)(held.Release(background))
					}
					cancelledIn(t, client, other, d, held, func() error { return waitIn(client, way, held.Resource) })
				})
			}
		})
	}
}

// waitIn waits for a name, in each way in which a client can wait.
func waitIn(client *Client, way, name string) error {
	request := Request{Resource: name, Wait: time.Minute}
	switch way {
	case "several names":
		request.Resource, request.Resources = "", []string{name + "-free", name}
	case "a transaction":
		requests := []TransactionRequest{{Type: Reserve, Resource: name}}
		_, err := client.Transaction(background, Transaction{Method: AllOrNone, Requests: requests, Wait: time.Minute})
		return err
	}
	_, err := client.Reserve(background, request)
	return err
}

func TestAWaitMayBeCancelledByItsOwnFunction(t *testing.T) {
	client, other, d, held := behindDoor(t, "none", false)
	var wasOne bool
	request := Request{Resource: held.Resource, Wait: time.Minute, OnWaiting: func(Waiting) {
		wasOne = must[bool](t)(client.Cancel(background, held.Resource, ""))
	}}
	_, err := client.Reserve(background, request)
	equal(t, "error", errors.Is(err, ErrNotAvailable), true)
	equal(t, "there was one", wasOne, true)
	equal(t, "calls", d.count("/reserve"), 1)
	nothingLeft(t, other, held)
}

func TestCancelEndsAllWaitsOfItsClientAndNoOthers(t *testing.T) {
	client, other, _, held := behindDoor(t, "none", false)
	name := held.Resource
	begun, errs := make(chan struct{}, 8), make(chan error, 8)
	wait := func(ctx context.Context, by *Client, requester string, ended chan<- error) {
		told := false
		request := Request{Resource: name, Wait: time.Minute, Requester: requester, OnWaiting: func(Waiting) {
			if !told {
				begun <- struct{}{}
			}
			told = true
		}}
		_, err := by.Reserve(ctx, request)
		ended <- err
	}
	ctx, stop := context.WithCancel(background)
	others := make(chan error, 8)
	go wait(background, client, "", errs)
	go wait(background, client, "", errs)
	go wait(ctx, client, name+"-ann", others)
	go wait(ctx, other, "", others)
	for i := 0; i < 4; i++ {
		<-begun
	}
	equal(t, "there was one", must[bool](t)(client.Cancel(background, name, "")), true)
	equal(t, "again", must[bool](t)(client.Cancel(background, name, "")), false)
	for i := 0; i < 2; i++ {
		equal(t, "error", errors.Is(<-errs, ErrNotAvailable), true)
	}
	equal(t, "the others", len(must[[]WaitingRequest](t)(other.Waiting(background, Filter{Resource: name}))), 2)
	equal(t, "of a requester", must[bool](t)(client.Cancel(background, name, name+"-ann")), true)
	equal(t, "error", errors.Is(<-others, ErrNotAvailable), true)
	stop()
	equal(t, "error", errors.Is(<-others, context.Canceled), true)
	nothingLeft(t, other, held)
}
