// Command conform drives the client in the conformance tests (test/clients/README.md). It reads a command a line, and
// writes an answer or an event a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/holdfast/holdfast/packages/go/holdfast"
)

func main() {
	client, err := holdfast.FromEnv(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p := &program{client: client, tasks: map[int]*task{}, out: os.Stdout}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		<-signals
		p.cancelAll()
		p.running.Wait()
		os.Exit(0)
	}()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		p.start(c)
	}
}

// program has the client, and what is open.
type program struct {
	client  *holdfast.Client
	running sync.WaitGroup

	mu    sync.Mutex
	tasks map[int]*task

	writing sync.Mutex
	out     *os.File
}

// task is a command that is open, or what it has left: a hold, a session, a mirror.
type task struct {
	cancel context.CancelFunc
	// Ends the work of a using; true: with an error.
	finish chan bool

	mu      sync.Mutex
	hold    *holdfast.Hold
	session *holdfast.Session
	mirror  *holdfast.Mirror
}

func (t *task) set(change func(*task)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(t)
}

// start runs a command beside others.
func (p *program) start(c command) {
	ctx, cancel := context.WithCancel(context.Background())
	t := &task{cancel: cancel, finish: make(chan bool, 1)}
	p.mu.Lock()
	p.tasks[c.ID] = t
	p.mu.Unlock()
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		answer, err := p.do(ctx, c, t)
		if err != nil {
			p.write(line{ID: c.ID, Error: described(err, ctx)})
			return
		}
		p.write(line{ID: c.ID, Answer: &answer})
	}()
}

func (p *program) of(c command) *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tasks[c.Of]
}

func (p *program) cancelAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.tasks {
		t.cancel()
	}
}

// line is an answer, an error, or an event with its fields.
type line struct {
	ID     int
	Answer *any
	Error  map[string]any
	Event  string
	Fields map[string]any
}

func (p *program) write(l line) {
	fields := map[string]any{}
	for name, value := range l.Fields {
		fields[name] = value
	}
	fields["id"] = l.ID
	switch {
	case l.Error != nil:
		fields["error"] = l.Error
	case l.Answer != nil:
		fields["answer"] = *l.Answer
	default:
		fields["event"] = l.Event
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_, _ = p.out.Write(append(text, '\n'))
}
