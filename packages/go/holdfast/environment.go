package holdfast

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// FromEnv makes a client from the environment: HOLDFAST_URL, and HOLDFAST_KEY or HOLDFAST_KEY_FILE, which is read for
// each request. With HOLDFAST_TENANT and no key, it exchanges the JWT of a CI job for a token, and again before the
// token ends (docs/guides/ci.md): it is the only case in which it calls the service, and ctx ends that call.
//
// Its errors are INVALID_OPTION, which names the variable, and those of an exchange.
func FromEnv(ctx context.Context, with ...Option) (*Client, error) {
	o := options{retryFor: 30 * time.Second}
	for _, option := range with {
		option(&o)
	}
	address := os.Getenv("HOLDFAST_URL")
	if address == "" {
		return nil, invalid("HOLDFAST_URL is not set: where is the service? https://holdfast.example.com")
	}
	var err error
	if isJob() {
		err = startJob(ctx, address, &o)
	} else {
		o.key, err = keyOfEnv()
	}
	if err != nil {
		return nil, err
	}
	return newClient(address, o, systemClocks)
}

// keyOfEnv returns the key. One in a file is read for each request, so that it may be replaced meanwhile.
func keyOfEnv() (keySource, error) {
	key, file := os.Getenv("HOLDFAST_KEY"), os.Getenv("HOLDFAST_KEY_FILE")
	if key != "" && file != "" {
		return nil, invalid("HOLDFAST_KEY and HOLDFAST_KEY_FILE are both set: which one?")
	}
	if file == "" {
		if key == "" {
			return nil, invalid("HOLDFAST_KEY is not set: an API key")
		}
		key = strings.TrimSpace(key)
		if key == "" {
			return nil, invalid("HOLDFAST_KEY is blank: an API key")
		}
		return func(context.Context, string) (string, error) { return key, nil }, checkKey(key)
	}
	last, err := textOf(file, "HOLDFAST_KEY_FILE")
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	return func(context.Context, string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		// If it cannot be read, it is being replaced: the last key still counts.
		if text, err := textOf(file, "HOLDFAST_KEY_FILE"); err == nil {
			last = text
		}
		return last, nil
	}, nil
}

// textOf returns the text of a file that a variable names, without space around it.
func textOf(file, variable string) (string, error) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		wrong := invalid(variable + ": " + file + " cannot be read: " + err.Error())
		wrong.cause = err
		return "", wrong
	}
	text := strings.TrimSpace(string(bytes))
	if text == "" {
		return "", invalid(variable + " is blank: there is nothing in " + file)
	}
	return text, nil
}
