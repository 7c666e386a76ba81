package holdfast

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// Tests and examples that need a service use the one of HOLDFAST_URL and HOLDFAST_KEY.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("HOLDFAST_URL") == "" {
		fmt.Println("HOLDFAST_URL is not set: tests and examples that need a service are skipped")
		_ = flag.Set("test.run", "^Test")
	}
	os.Exit(m.Run())
}

var background = context.Background()

// service returns a client of the real service, and a name that is nobody else's.
func service(t *testing.T, with ...Option) (*Client, string) {
	t.Helper()
	if os.Getenv("HOLDFAST_URL") == "" {
		t.Skip("needs a service")
	}
	client, err := FromEnv(background, with...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, "go-" + randomText(10)
}

// fake is a service of the test. It answers each request by a function of its path and its items.
type fake struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

type seen struct {
	path    string
	headers http.Header
	items   []map[string]any
}

type respond func(w http.ResponseWriter, s seen)

func newFake(t *testing.T, answer respond) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := seen{path: strings.TrimPrefix(r.URL.RequestURI(), "/api/v1"), headers: r.Header}
		_ = json.NewDecoder(r.Body).Decode(&one.items)
		f.mu.Lock()
		f.seen = append(f.seen, one)
		f.mu.Unlock()
		answer(w, one)
	}))
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// requests returns the requests until now with a path.
func (f *fake) requests(path string) []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []seen
	for _, one := range f.seen {
		if strings.HasPrefix(one.path, path) {
			found = append(found, one)
		}
	}
	return found
}

// client returns a client of the fake.
func (f *fake) client(t *testing.T, with ...Option) *Client {
	t.Helper()
	client, err := New(f.URL, append([]Option{WithKey("hf_key")}, with...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// clientWith returns a client of the fake with clocks of the test.
func (f *fake) clientWith(t *testing.T, c clocks) *Client {
	t.Helper()
	o := options{retryFor: 30 * time.Second}
	WithKey("hf_key")(&o)
	client := must[*Client](t)(newClient(f.URL, o, c))
	t.Cleanup(client.Close)
	return client
}

// grant answers reserves, renewals and releases as a service does that nobody else uses.
func grant(w http.ResponseWriter, s seen) {
	results := []map[string]any{}
	for _, item := range s.items {
		result := map[string]any{"status": "RELINQUISHED"}
		switch {
		case strings.HasPrefix(s.path, "/Reservation/reserve"):
			result = map[string]any{"status": "ACQUIRED", "releaseToken": randomText(12), "fencingToken": 7}
		case strings.HasPrefix(s.path, "/Reservation/renew"):
			result = map[string]any{"status": "RENEWED"}
		case strings.HasPrefix(s.path, "/Reservation/check"):
			result = map[string]any{"resource": item["resource"], "reserved": false}
		}
		results = append(results, result)
	}
	reply(w, 200, results)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// eventually waits until something is true.
func eventually(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !isTrue(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not in time: " + what)
		}
	}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
