package holdfast

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	exchangesFor = 30 * time.Second
	// A token that ends so soon may end before a request with it arrives.
	nearlyOver = 5 * time.Second
	// Time between two tries to renew a token that still counts.
	renewEvery = 5 * time.Second
)

var (
	tenantPattern   = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	instancePattern = regexp.MustCompile(`^[a-z0-9]{10,32}$`)
)

// isJob returns whether the environment names a tenant and no key, so that the JWT of a job is to be exchanged.
func isJob() bool {
	return os.Getenv("HOLDFAST_TENANT") != "" && os.Getenv("HOLDFAST_KEY")+os.Getenv("HOLDFAST_KEY_FILE") == ""
}

// jobToken is a token of a job.
type jobToken struct {
	Token     string `json:"token"`
	Requester string `json:"requester"`
	ExpiresIn int64  `json:"expiresIn"`
	// By the monotonic clock. It is exchanged for the next one after two thirds of its life.
	endsAt, renewAt time.Duration
}

// job has the present token of a CI job: exchanged for its JWT, and again before it ends
// (docs/specification.md#jwt-exchange).
type job struct {
	address  string
	tenant   string
	instance string
	issuer   string
	source   jwtSource
	client   *http.Client

	mu      sync.Mutex
	current jobToken
	renewal *tokenRenewal
	triedAt time.Duration
}

// tokenRenewal is an exchange that is under way. All who need the next token share it.
type tokenRenewal struct {
	done chan struct{}
	err  error
}

// startJob exchanges the JWT of a job for its first token, and sets the key and the requester.
func startJob(ctx context.Context, address string, o *options) error {
	j := &job{tenant: os.Getenv("HOLDFAST_TENANT"), issuer: os.Getenv("HOLDFAST_ISSUER"), client: newHTTPClient()}
	if !tenantPattern.MatchString(j.tenant) {
		return invalid("HOLDFAST_TENANT must be 1 to 40 lower-case letters, digits and hyphens")
	}
	if j.instance = os.Getenv("HOLDFAST_INSTANCE"); j.instance == "" {
		j.instance = randomText(16)
	}
	if !instancePattern.MatchString(j.instance) {
		return invalid("HOLDFAST_INSTANCE must be 10 to 32 of a-z and 0-9")
	}
	var err error
	if j.address, err = exchangeAddress(address); err != nil {
		return err
	}
	if j.source, err = jwtSourceOfEnv(j.client); err != nil {
		return err
	}
	if j.current, err = j.exchange(ctx); err != nil {
		return err
	}
	requester := j.current.Requester
	if o.requester != "" && o.requester != requester {
		return invalid("this job acts for " + requester + " alone: leave WithRequester out")
	}
	o.requester, o.fixed, o.key = requester, nil, j.key
	return nil
}

// exchangeAddress returns where JWTs are exchanged. One that is sent in clear can be used by whoever reads it.
func exchangeAddress(address string) (string, error) {
	base, err := baseOf(address)
	if err != nil {
		return "", err
	}
	parsed, _ := url.Parse(base) // baseOf made it
	host := parsed.Hostname()
	isHere := host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
	if parsed.Scheme != "https" && !isHere {
		return "", invalid("HOLDFAST_URL must be https, or an address of this machine: a JWT is not sent in clear")
	}
	return base + "/auth/token", nil
}

// key returns the token. refused: the one that the service has refused, or "".
func (j *job) key(ctx context.Context, refused string) (string, error) {
	j.mu.Lock()
	now, current := monotonicNow(), j.current
	isOver := refused == current.Token || now > current.endsAt-nearlyOver
	isDue := now > current.renewAt && now > j.triedAt+renewEvery
	var renewal *tokenRenewal
	if isOver || isDue {
		renewal = j.renew()
	}
	j.mu.Unlock()
	// Until it ends, a failure does no harm.
	if !isOver {
		return current.Token, nil
	}
	select {
	case <-renewal.done:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if renewal.err != nil {
		return "", renewal.err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.current.Token, nil
}

// renew begins an exchange, unless one is under way. The job is locked.
func (j *job) renew() *tokenRenewal {
	j.triedAt = monotonicNow()
	if j.renewal != nil {
		return j.renewal
	}
	r := &tokenRenewal{done: make(chan struct{})}
	j.renewal = r
	go func() {
		next, err := j.exchange(context.Background())
		j.mu.Lock()
		defer j.mu.Unlock()
		if err == nil && next.Requester != j.current.Requester {
			const message = "the requester of this job is %s by now, and its reservations are of %s"
			err = &Error{Code: CodeForbidden, Message: fmt.Sprintf(message, next.Requester, j.current.Requester)}
		}
		if err == nil {
			j.current = next
		}
		r.err, j.renewal = err, nil
		close(r.done)
	}()
	return r
}

// exchange gets a token, and repeats this as calls are repeated.
func (j *job) exchange(ctx context.Context) (jobToken, error) {
	deadline := monotonicNow() + exchangesFor
	for tries := 1; ; tries++ {
		timeout := attemptTime(deadline)
		closing := closeAfter(ctx, timeout)
		token, err := j.exchangeOnce(closing.ctx)
		if err != nil {
			err = closing.explain(err)
		}
		closing.stop()
		if err == nil || ctx.Err() != nil {
			return token, err
		}
		delay, isRepeated := delayBefore(asError(err), tries, deadline)
		if !isRepeated {
			return token, err
		}
		pause(ctx, delay)
	}
}

func (j *job) exchangeOnce(ctx context.Context) (jobToken, error) {
	sentAt := monotonicNow()
	jwt, err := j.source(ctx, "holdfast:"+j.tenant)
	if err != nil {
		return jobToken{}, err
	}
	mask(jwt)
	body := map[string]string{"jwt": jwt, "tenant": j.tenant, "instance": j.instance}
	if j.issuer != "" {
		body["issuer"] = j.issuer
	}
	text, _ := json.Marshal(body) // cannot fail
	request, err := http.NewRequestWithContext(ctx, "POST", j.address, bytes.NewReader(text))
	if err != nil {
		return jobToken{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	status, header, answer, err := fetch(j.client, request)
	if err != nil {
		return jobToken{}, err
	}
	if status != http.StatusOK {
		return jobToken{}, errorOf(status, header, answer)
	}
	var token jobToken
	if json.Unmarshal(answer, &token) != nil || token.Token == "" || token.Requester == "" || token.ExpiresIn == 0 {
		return jobToken{}, unexpected()
	}
	mask(token.Token)
	life := time.Duration(token.ExpiresIn) * time.Second
	token.endsAt, token.renewAt = sentAt+life, sentAt+life/3*2
	return token, nil
}

// fetch sends a request and reads its response.
func fetch(client *http.Client, request *http.Request) (status int, header http.Header, body []byte, err error) {
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	return response.StatusCode, response.Header, body, err
}
