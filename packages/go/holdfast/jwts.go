package holdfast

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

// jwtSource returns a JWT of the job for an audience.
type jwtSource func(ctx context.Context, audience string) (string, error)

// jwtSourceOfEnv finds where a job of a CI system gets its JWT (docs/guides/ci.md): from a file, a variable, GitHub or
// the agent of Buildkite. The first that is there counts.
func jwtSourceOfEnv(client *http.Client) (jwtSource, error) {
	if file := os.Getenv("HOLDFAST_JWT_FILE"); file != "" {
		// Kubernetes replaces the file before the JWT ends.
		return func(context.Context, string) (string, error) { return textOf(file, "HOLDFAST_JWT_FILE") }, nil
	}
	if jwt := strings.TrimSpace(os.Getenv("HOLDFAST_ID_TOKEN")); jwt != "" {
		return func(context.Context, string) (string, error) { return jwt, nil }, nil
	}
	address, token := os.Getenv("ACTIONS_ID_TOKEN_REQUEST_URL"), os.Getenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN")
	if address != "" && token != "" {
		return func(ctx context.Context, audience string) (string, error) {
			return ofGitHub(ctx, client, address, token, audience)
		}, nil
	}
	if os.Getenv("BUILDKITE") == "true" {
		return ofBuildkite, nil
	}
	return nil, invalid("HOLDFAST_TENANT is set, and this job has no JWT" + whyNone())
}

// whyNone is the missing part of a job's environment, in the words of each CI system.
func whyNone() string {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		return ". It needs `permissions: id-token: write`. A pull request from a fork never gets one"
	}
	if os.Getenv("GITLAB_CI") == "true" {
		return ". Declare `id_tokens: HOLDFAST_ID_TOKEN: aud: holdfast:<tenant>` in the job"
	}
	return ", nor HOLDFAST_KEY: set HOLDFAST_JWT_FILE or HOLDFAST_ID_TOKEN"
}

func ofGitHub(ctx context.Context, client *http.Client, address, token, audience string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", invalid("ACTIONS_ID_TOKEN_REQUEST_URL is no address")
	}
	query := parsed.Query()
	query.Set("audience", audience)
	parsed.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, "GET", parsed.String(), nil)
	if err != nil {
		return "", invalid("ACTIONS_ID_TOKEN_REQUEST_URL is no address")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "application/json")
	status, _, body, err := fetch(client, request)
	if err != nil {
		wrong := unreachable(err, 0)
		wrong.Message = strings.Replace(wrong.Message, "the service", "GitHub", 1)
		return "", wrong
	}
	var answer struct{ Value string }
	if json.Unmarshal(body, &answer) == nil && answer.Value != "" {
		return answer.Value, nil
	}
	wrong := &Error{Code: CodeUnauthenticated, Message: fmt.Sprintf("GitHub gave no JWT (status %d)", status)}
	// Its own trouble passes; whatever else it says of a request, it will say again.
	if status >= 500 {
		wrong.Status = 503
	}
	return "", wrong
}

// ofBuildkite asks for claims with ids that are never used again. The agent leaves them out unless they are asked for.
func ofBuildkite(ctx context.Context, audience string) (string, error) {
	var stdout, stderr bytes.Buffer
	agent := exec.CommandContext(ctx, "buildkite-agent", "oidc", "request-token", "--audience", audience,
		"--claim", "organization_id", "--claim", "pipeline_id")
	agent.Stdout, agent.Stderr = &stdout, &stderr
	err := agent.Run()
	if jwt := strings.TrimSpace(stdout.String()); err == nil && jwt != "" {
		return jwt, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	last := lines[len(lines)-1]
	if len(last) > 200 {
		last = last[:200]
	}
	wrong := invalid(strings.TrimSuffix("buildkite-agent gave no JWT: "+last, ": "))
	wrong.cause = err
	return "", wrong
}

// maskTime is the longest time for which the agent of Buildkite hides a secret.
const maskTime = 5 * time.Second

// mask hides a JWT or a token in the log of a job, should anything print it. Never fails: nothing here prints a secret
// anyway.
func mask(secret string) {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		// GitHub reads commands on stderr, too. stdout belongs to the program.
		_, _ = fmt.Fprintf(os.Stderr, "::add-mask::%s\n", secret)
	} else if os.Getenv("BUILDKITE") == "true" {
		go redact(secret)
	}
}

// redact passes the secret by stdin: other users see arguments in the list of processes.
func redact(secret string) {
	ctx, cancel := context.WithTimeout(context.Background(), maskTime)
	defer cancel()
	agent := exec.CommandContext(ctx, "buildkite-agent", "redactor", "add")
	agent.Stdin = strings.NewReader(secret)
	_ = agent.Run()
}
