package holdfast

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestRedirectsAreNotFollowed(t *testing.T) {
	other := newFake(t, grant)
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		w.Header().Set("Location", other.URL)
		w.WriteHeader(307)
	})
	_, err := f.client(t, WithRetryFor(0)).Reserve(background, Request{Resource: "a"})
	var own *Error
	equal(t, "code", errors.As(err, &own) && own.Code == CodeUnexpectedResponse, true)
	equal(t, "requests to the other host", len(other.requests("")), 0)
}

func TestAServerThatOffersHTTP2IsSpokenToInHTTP1(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client := newHTTPClient()
	defer client.CloseIdleConnections()
	transport := client.Transport.(*http.Transport)
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{}
	}
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	response := must[*http.Response](t)(client.Get(server.URL))
	defer response.Body.Close()
	equal(t, "protocol", response.ProtoMajor, 1)
}

func TestTheKeyIsAskedForEachRequestAndOnceMoreIfItIsRefused(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if s.headers.Get("X-Api-Key") != "key-2" {
			reply(w, 401, map[string]string{"error": "who are you?", "code": "UNAUTHENTICATED"})
			return
		}
		grant(w, s)
	})
	var refusals atomic.Value
	client := must[*Client](t)(New(f.URL, WithKeyFunc(func(_ context.Context, refused string) (string, error) {
		if refused == "key-1" {
			refusals.Store(refused)
			return "key-2", nil
		}
		return "key-1", nil
	})))
	must[*Hold](t)(client.Reserve(background, Request{Resource: "a"}))
	equal(t, "refused", refusals.Load().(string), "key-1")
	_, err := f.client(t).Reserve(background, Request{Resource: "a"})
	var own *Error
	equal(t, "code", errors.As(err, &own) && own.Code == CodeUnauthenticated && own.Status == 401, true)
}

func TestAKeyFunctionThatFails(t *testing.T) {
	failure := errors.New("no vault")
	f := newFake(t, grant)
	client := must[*Client](t)(New(f.URL, WithKeyFunc(func(context.Context, string) (string, error) {
		return "", failure
	})))
	_, err := client.Reserve(background, Request{Resource: "a"})
	var own *Error
	equal(t, "code", errors.As(err, &own) && own.Code == CodeInvalidOption, true)
	equal(t, "cause", errors.Is(err, failure), true)
}

func TestAManagementTokenIsABearerToken(t *testing.T) {
	f := newFake(t, grant)
	client := must[*Client](t)(New(f.URL, WithKey("hfm_1")))
	must[CheckResult](t)(client.Check(background, "a"))
	equal(t, "header", f.requests("")[0].headers.Get("Authorization"), "Bearer hfm_1")
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for _, make := range []func() (*Client, error){
		func() (*Client, error) { return New("http://localhost") },
		func() (*Client, error) { return New("ftp://localhost", WithKey("k")) },
		func() (*Client, error) { return New("localhost:8080", WithKey("k")) },
		func() (*Client, error) { return New("http://user:pass@localhost", WithKey("k")) },
		func() (*Client, error) { return New("http://localhost/api/v1", WithKey("k")) },
		func() (*Client, error) { return New("http://localhost", WithKey("a\nb")) },
		func() (*Client, error) { return New("http://localhost", WithKey("")) },
		func() (*Client, error) { return New("http://localhost", WithKey("k"), WithRetryFor(3)) },
	} {
		_, err := make()
		var own *Error
		if !errors.As(err, &own) || own.Code != CodeInvalidOption || strings.Contains(err.Error(), "pass") {
			t.Error(err)
		}
	}
}

func TestThePageOfAProxyIsNoResponse(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		_, _ = w.Write([]byte("<html>"))
	})
	client := f.client(t, WithRetryFor(0))
	_, err := client.Reserve(background, Request{Resource: "a"})
	_, listing := client.Active(background, Filter{})
	for _, err := range []error{err, listing} {
		var own *Error
		equal(t, "code", errors.As(err, &own) && own.Code == CodeUnexpectedResponse, true)
	}
}

func TestNothingPrintsAKeyOrAReleaseToken(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, s seen) {
		if strings.HasPrefix(s.path, "/Session") {
			reply(w, 201, map[string]string{"session": "s", "token": "secret", "expiresAt": "2030-01-01T00:00:00Z"})
			return
		}
		results := []map[string]any{}
		for range s.items {
			results = append(results, map[string]any{"status": "ACQUIRED", "releaseToken": "secret"})
		}
		reply(w, 200, results)
	})
	client := must[*Client](t)(New(f.URL, WithKey("secret")))
	hold := must[*Hold](t)(client.Reserve(background, Request{Resource: "a"}))
	session := must[*Session](t)(client.Session(background, SessionOptions{}))
	f.Close()
	_, err := f.client(t, WithKey("secret"), WithRetryFor(0)).Check(background, "a")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		printed := fmt.Sprintf(strings.Repeat(verb, 6), client, hold, hold.Reservations(), session, err,
			hold.Reservations()[0].ReservationKey)
		rest := strings.ReplaceAll(printed, "[secret]", "")
		if strings.Contains(rest, "secret") || strings.Contains(rest, fmt.Sprintf("%x", "secret")) {
			t.Error(verb, printed)
		}
	}
	equal(t, "but whoever asks for it gets it", string(hold.Reservations()[0].ReleaseToken), "secret")
}
