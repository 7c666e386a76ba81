package holdfast

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// inEnvironment sets the variables of the client, and no others.
func inEnvironment(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, name := range []string{
		"HOLDFAST_URL", "HOLDFAST_KEY", "HOLDFAST_KEY_FILE", "HOLDFAST_TENANT", "HOLDFAST_JWT_FILE",
		"HOLDFAST_ID_TOKEN", "HOLDFAST_ISSUER", "HOLDFAST_INSTANCE",
		"ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
		"GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE",
	} {
		t.Setenv(name, variables[name])
	}
}

func TestTheEnvironmentNamesWhatIsMissing(t *testing.T) {
	blank := filepath.Join(t.TempDir(), "blank")
	if err := os.WriteFile(blank, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const url, clear, none = "https://holdfast.example.com", "http://example.com", "/none"
	for message, variables := range map[string]map[string]string{
		"HOLDFAST_URL is not set":            {},
		"HOLDFAST_KEY is not set":            {"HOLDFAST_URL": url},
		"HOLDFAST_KEY is blank":              {"HOLDFAST_URL": url, "HOLDFAST_KEY": " "},
		"both set":                           {"HOLDFAST_URL": url, "HOLDFAST_KEY": "a", "HOLDFAST_KEY_FILE": "b"},
		"HOLDFAST_KEY_FILE: /none cannot be": {"HOLDFAST_URL": url, "HOLDFAST_KEY_FILE": "/none"},
		"HOLDFAST_KEY_FILE is blank":         {"HOLDFAST_URL": url, "HOLDFAST_KEY_FILE": blank},
		"HOLDFAST_TENANT must be":            {"HOLDFAST_URL": url, "HOLDFAST_TENANT": "A"},
		"this job has no JWT, nor HOLDFAST":  {"HOLDFAST_URL": url, "HOLDFAST_TENANT": "a"},
		"id-token: write":                    {"HOLDFAST_URL": url, "HOLDFAST_TENANT": "a", "GITHUB_ACTIONS": "true"},
		"aud: holdfast":                      {"HOLDFAST_URL": url, "HOLDFAST_TENANT": "a", "GITLAB_CI": "true"},
		"must be https":                      {"HOLDFAST_URL": clear, "HOLDFAST_TENANT": "a", "HOLDFAST_ID_TOKEN": "j"},
		"HOLDFAST_INSTANCE must be":          {"HOLDFAST_URL": url, "HOLDFAST_TENANT": "a", "HOLDFAST_INSTANCE": "b"},
		"HOLDFAST_JWT_FILE: /none cannot":    {"HOLDFAST_URL": url, "HOLDFAST_TENANT": "a", "HOLDFAST_JWT_FILE": none},
	} {
		inEnvironment(t, variables)
		_, err := FromEnv(background)
		var own *Error
		if !errors.As(err, &own) || own.Code != CodeInvalidOption || !strings.Contains(err.Error(), message) {
			t.Errorf("%v: %v", variables, err)
		}
	}
}

func TestAKeyInAFileMayBeReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	write := func(key string) {
		if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := newFake(t, grant)
	write("key-1")
	inEnvironment(t, map[string]string{"HOLDFAST_URL": f.URL + "/", "HOLDFAST_KEY_FILE": file})
	client := must[*Client](t)(FromEnv(background))
	must[CheckResult](t)(client.Check(background, "a"))
	write("key-2")
	must[CheckResult](t)(client.Check(background, "a"))
	write("")
	must[CheckResult](t)(client.Check(background, "a"))
	for i, want := range []string{"key-1", "key-2", "key-2"} {
		equal(t, "key", f.requests("")[i].headers.Get("X-Api-Key"), want)
	}
}

// exchanges is a service that exchanges JWTs, and a GitHub.
func exchanges(t *testing.T, expiresIn int, bodies *[]map[string]string) *httptest.Server {
	var tokens atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/github":
			equal(t, "audience", r.URL.Query().Get("audience"), "holdfast:acme")
			equal(t, "authorization", r.Header.Get("Authorization"), "Bearer request-token")
			reply(w, 200, map[string]string{"value": "jwt-of-github"})
		case "/api/v1/auth/token":
			var body map[string]string
			_ = json.NewDecoder(r.Body).Decode(&body)
			*bodies = append(*bodies, body)
			token := "token-" + string('0'+tokens.Add(1))
			reply(w, 200, map[string]any{"token": token, "requester": "acme/app#1", "expiresIn": expiresIn})
		default:
			if r.Header.Get("X-Api-Key") == "token-1" && expiresIn == 901 {
				reply(w, 401, map[string]string{"error": "ended", "code": "UNAUTHENTICATED"})
				return
			}
			reply(w, 200, []map[string]any{{"resource": "a", "reserved": false}})
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestTheJWTOfAJobIsExchanged(t *testing.T) {
	var bodies []map[string]string
	server := exchanges(t, 900, &bodies)
	inEnvironment(t, map[string]string{
		"HOLDFAST_URL": server.URL, "HOLDFAST_TENANT": "acme", "HOLDFAST_ISSUER": "github",
		"ACTIONS_ID_TOKEN_REQUEST_URL":   server.URL + "/github?api-version=2",
		"ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request-token",
	})
	client := must[*Client](t)(FromEnv(background))
	must[CheckResult](t)(client.Check(background, "a"))
	equal(t, "requester", client.Requester(), "acme/app#1")
	equal(t, "exchanges", len(bodies), 1)
	equal(t, "jwt", bodies[0]["jwt"], "jwt-of-github")
	equal(t, "issuer", bodies[0]["issuer"], "github")
	equal(t, "instance", len(bodies[0]["instance"]), 16)
	_, err := FromEnv(background, WithRequester("me"))
	equal(t, "another requester", err == nil, false)
}

func TestATokenOfAJobIsExchangedAnew(t *testing.T) {
	for name, expiresIn := range map[string]int{"before it ends": 4, "if it is refused": 901} {
		t.Run(name, func(t *testing.T) {
			var bodies []map[string]string
			server := exchanges(t, expiresIn, &bodies)
			inEnvironment(t, map[string]string{
				"HOLDFAST_URL": server.URL, "HOLDFAST_TENANT": "acme", "HOLDFAST_ID_TOKEN": "jwt",
			})
			client := must[*Client](t)(FromEnv(background))
			must[CheckResult](t)(client.Check(background, "a"))
			equal(t, "exchanges", len(bodies), 2)
			equal(t, "instance", bodies[0]["instance"], bodies[1]["instance"])
		})
	}
}
