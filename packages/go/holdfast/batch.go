package holdfast

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// carry sends calls in one request. It returns nil, or an error that any other call would get too.
func (l *lane[Item, Out]) carry(batch []*entry[Item, Out]) *Error {
	entries := l.wanted(batch)
	if len(entries) == 0 {
		return nil
	}
	err := l.send(entries)
	if err == nil {
		return nil
	}
	if err.mayHaveRun() {
		for _, e := range entries {
			e.repeated = true
		}
	}
	if len(entries) == 1 || err.isForAll() {
		l.again(entries, err)
		if l.sizeOf(entries[0]) == 1 && err.isUsedUp() {
			return err
		}
		return nil
	}
	middle := len(entries) / 2
	forOthers := l.carry(entries[:middle])
	if forOthers == nil {
		return l.carry(entries[middle:])
	}
	l.again(entries[middle:], forOthers)
	return forOthers
}

// wanted returns the calls that nobody has given up.
func (l *lane[Item, Out]) wanted(batch []*entry[Item, Out]) []*entry[Item, Out] {
	l.mu.Lock()
	defer l.mu.Unlock()
	var entries []*entry[Item, Out]
	for _, e := range batch {
		if !e.isAbandoned {
			entries = append(entries, e)
		}
	}
	return entries
}

func (l *lane[Item, Out]) send(entries []*entry[Item, Out]) *Error {
	path, deadline := l.kind.path, Forever
	body := bytes.NewBufferString("[")
	for i, e := range entries {
		e.tries++
		if l.kind.pathOf != nil {
			if other := l.kind.pathOf(&e.item); other != "" {
				path = other
			}
		}
		deadline = min(deadline, e.deadline)
		if i > 0 {
			body.WriteByte(',')
		}
		body.Write(e.text)
	}
	body.WriteByte(']')
	out := outgoing{method: "POST", path: path, body: body.Bytes(), isMinimal: l.kind.restore != nil}
	out.timeout = attemptTime(deadline)
	text, sentAt, err := l.exchange.send(context.Background(), out)
	if err != nil {
		return asError(err)
	}
	var results []Out
	if json.Unmarshal(text, &results) != nil || len(results) != len(entries) {
		return unexpected()
	}
	for i := range results {
		if !l.kind.isResult(&results[i]) {
			return unexpected()
		}
	}
	for i, e := range entries {
		if l.kind.restore != nil {
			l.kind.restore(&results[i], &e.item)
		}
		l.answer(e, answer[Out]{results[i], sentAt, e.repeated})
	}
	return nil
}

func (l *lane[Item, Out]) answer(e *entry[Item, Out], a answer[Out]) {
	l.mu.Lock()
	delete(l.names, l.nameOf(e))
	isLate := e.isAbandoned
	e.isAbandoned = true
	l.mu.Unlock()
	if !isLate {
		e.done(a, nil)
	} else if l.kind.late != nil {
		l.kind.late(&a.result)
	}
}

// again queues calls again after a pause, before those that came later. Calls that are not repeated get the error.
func (l *lane[Item, Out]) again(entries []*entry[Item, Out], err *Error) {
	var kept, ended []*entry[Item, Out]
	var delay time.Duration
	l.mu.Lock()
	for _, e := range entries {
		own, isRepeated := delayBefore(err, e.tries, e.deadline)
		if e.isAbandoned {
			continue
		}
		if !isRepeated {
			e.isAbandoned = true
			ended = append(ended, e)
			continue
		}
		e.failure = err
		if len(kept) == 0 {
			delay = own // of the oldest one, for all: they stay together
		}
		kept = append(kept, e)
	}
	l.mu.Unlock()
	for _, e := range ended {
		e.done(answer[Out]{}, err)
	}
	if len(kept) == 0 {
		return
	}
	for _, e := range kept {
		if e.onFailure != nil {
			e.onFailure(err)
		}
	}
	l.exchange.tell(err, kept[0].tries, delay)
	time.AfterFunc(delay, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.queue = append(kept, l.queue...)
		l.dispatch()
	})
}
