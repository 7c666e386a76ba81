package holdfast

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// serveLostRead serves a stream of events whose first connection is lost while the queue is read again.
func serveLostRead(t *testing.T) *httptest.Server {
	var streams, reads atomic.Int32
	isReading := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/events"):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ":\n\ndata: {\"type\":\"WAITING\"}\n\n")
			w.(http.Flusher).Flush()
			if streams.Add(1) == 1 {
				<-isReading
				panic(http.ErrAbortHandler)
			}
			<-r.Context().Done()
		case strings.HasSuffix(r.URL.Path, "/waiting") && reads.Add(1) == 2:
			close(isReading)
			<-r.Context().Done()
		default:
			reply(w, 200, []string{})
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func TestAReadOfTheQueueThatALostConnectionEndsDoesNotEndTheMirror(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var mirrors []*Mirror
	// Whether the mirror hears of the end of the read or of its error is a matter of chance.
	for i := 0; i < 12; i++ {
		client := must[*Client](t)(New(serveLostRead(t).URL, WithKey("k")))
		t.Cleanup(client.Close)
		connections := make(chan bool, 2)
		mirror := must[*Mirror](t)(client.Mirror(ctx, MirrorOptions{
			OnConnection: func(connected bool) { connections <- connected }, Waiting: true,
		}))
		for _, wanted := range []bool{false, true} {
			select {
			case connected := <-connections:
				equal(t, "connected", connected, wanted)
			case <-mirror.Done():
				t.Fatal(mirror.Err())
			}
		}
		mirrors = append(mirrors, mirror)
	}
	cancel()
	for _, mirror := range mirrors {
		equal(t, "ended", mirror.Err(), nil)
	}
}
