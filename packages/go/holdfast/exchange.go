package holdfast

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxBody is the longest response in bytes, but for lists and streams.
const maxBody = 64 << 20

// idleTime is the longest pause between two requests on a connection. The service closes it after 65 s.
const idleTime = time.Minute

// maxIdle is the number of idle connections that are kept.
const maxIdle = 256

// outgoing is a request.
type outgoing struct {
	method string
	// Below /api/v1, with its query.
	path string
	// JSON, or nil.
	body           []byte
	idempotencyKey string
	// Results may leave out what the caller knows itself.
	isMinimal bool
	// After this time without the whole response, the connection counts as lost.
	timeout time.Duration
	// The response may have any length: timeout is the longest pause within it, then.
	isLong bool
}

// exchange sends one request and reads its response: the key, a timeout, and typed errors. It repeats nothing, and no
// error has the key.
type exchange struct {
	base   string
	client *http.Client
	key    keySource
	retries
}

// keySource returns the key of a request. refused: the one that the service has just refused, or "".
type keySource func(ctx context.Context, refused string) (string, error)

func newExchange(address string, key keySource, r retries) (*exchange, error) {
	base, err := baseOf(address)
	if err != nil {
		return nil, err
	}
	return &exchange{base: base, key: key, retries: r, client: newHTTPClient()}, nil
}

// newHTTPClient returns a client that follows no redirect, which could carry the key to another host.
func newHTTPClient() *http.Client {
	client := &http.Client{Transport: http.DefaultTransport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		own := standard.Clone()
		own.MaxIdleConns, own.MaxIdleConnsPerHost, own.IdleConnTimeout = maxIdle, maxIdle, idleTime
		own.DisableCompression = true
		// Under HTTP/2, a connection that died without a sign would take all calls with it, and their repeats.
		own.ForceAttemptHTTP2 = false
		own.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
		// The clone still offers h2 to servers, which would take it.
		if own.TLSClientConfig != nil {
			own.TLSClientConfig.NextProtos = []string{"http/1.1"}
		}
		client.Transport = own
	}
	return client
}

// baseOf returns the beginning of all addresses.
func baseOf(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return "", invalid("url must begin with https:// or http://, and name no user: https://holdfast.example.com")
	}
	path := strings.TrimRight(parsed.EscapedPath(), "/")
	if strings.HasSuffix(path, "/api/v1") {
		return "", invalid("url (HOLDFAST_URL) must end before /api/v1: https://holdfast.example.com")
	}
	return parsed.Scheme + "://" + parsed.Host + path + "/api/v1", nil
}

// send returns the body of a response, and the time of the monotonic clock at which its request was sent. The error is
// an *Error, or that of the context.
func (x *exchange) send(ctx context.Context, out outgoing) (body []byte, sentAt time.Duration, err error) {
	closing := closeAfter(ctx, out.timeout)
	defer closing.stop()
	response, sentAt, err := x.ask(closing, out)
	if err != nil {
		return nil, sentAt, closing.explain(err)
	}
	defer response.Body.Close()
	body, err = closing.readAll(response, out.isLong)
	if err != nil {
		return nil, sentAt, closing.explain(err)
	}
	isList := len(body) > 0 && body[0] == '[' && json.Valid(body)
	if response.StatusCode == 200 || response.StatusCode == 201 || (response.StatusCode >= 400 && isList) {
		return body, sentAt, nil
	}
	return nil, sentAt, errorOf(response.StatusCode, response.Header, body)
}

// open returns a response as soon as its body begins. The caller stops the closing, which counts no more.
func (x *exchange) open(ctx context.Context, path string, timeout time.Duration) (*http.Response, *closing, error) {
	closing := closeAfter(ctx, timeout)
	response, _, err := x.ask(closing, outgoing{method: http.MethodGet, path: path})
	if err != nil {
		closing.stop()
		return nil, nil, closing.explain(err)
	}
	if response.StatusCode == 200 && strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response, closing, nil
	}
	defer closing.stop()
	defer response.Body.Close()
	body, err := closing.readAll(response, false)
	if err != nil {
		return nil, nil, closing.explain(err)
	}
	return nil, nil, errorOf(response.StatusCode, response.Header, body)
}

// ask sends a request. If the service refuses its key, it asks for the key once more: it may have been rotated.
func (x *exchange) ask(closing *closing, out outgoing) (*http.Response, time.Duration, error) {
	key, err := x.currentKey(closing.ctx, "")
	if err != nil {
		return nil, 0, err
	}
	response, sentAt, err := x.askWith(closing.ctx, key, out)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, sentAt, err
	}
	next, err := x.currentKey(closing.ctx, key)
	if err == nil && next == key {
		return response, sentAt, nil
	}
	response.Body.Close()
	if err != nil {
		return nil, 0, err
	}
	return x.askWith(closing.ctx, next, out)
}

func (x *exchange) askWith(ctx context.Context, key string, out outgoing) (*http.Response, time.Duration, error) {
	var body io.Reader
	if out.body != nil {
		body = bytes.NewReader(out.body)
	}
	request, err := http.NewRequestWithContext(ctx, out.method, x.base+out.path, body)
	if err != nil {
		return nil, 0, invalid("url is no address")
	}
	if out.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if out.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", out.idempotencyKey)
	}
	if out.isMinimal {
		request.Header.Set("Prefer", "return=minimal")
	}
	// The service takes a management token only as a bearer token.
	if strings.HasPrefix(key, "hfm_") {
		request.Header.Set("Authorization", "Bearer "+key)
	} else {
		request.Header.Set("X-Api-Key", key)
	}
	sentAt := monotonicNow()
	response, err := x.client.Do(request)
	return response, sentAt, err
}

func (x *exchange) currentKey(ctx context.Context, refused string) (string, error) {
	key, err := x.key(ctx, refused)
	if err == nil {
		err = checkKey(key)
	}
	return key, err
}

// checkKey refuses what no header can have.
func checkKey(key string) error {
	for _, character := range key {
		if character <= ' ' || character > '~' {
			key = ""
		}
	}
	if key == "" {
		return invalid("key must be a non-empty line of ASCII")
	}
	return nil
}
