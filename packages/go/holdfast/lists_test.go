package holdfast

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestDefinitionsAndLists(t *testing.T) {
	client, name := service(t)
	site := OneOf(name)
	stored := must[[]Definition](t)(client.Register(background,
		Registration{Name: name, Capacity: 2, SlotAttributes: []map[string]string{{"serial": "A1"}, {"serial": "B2"}}},
		Registration{Name: name + "-a", Labels: map[string]string{"site": name}},
		Registration{Name: name + "-b", Labels: map[string]string{"site": name}},
	))
	equal(t, "capacity", stored[0].Capacity, 2)
	equal(t, "labelled", len(must[[]Definition](t)(client.Definitions(background, "site="+name))), 2)
	equal(t, "tree", len(must[[]TreeNode](t)(client.Tree(background))) >= 3, true)

	slot := must[*Hold](t)(client.Reserve(background, Request{Resource: name, Count: 2}))
	equal(t, "slots", len(slot.Slots), 2)
	equal(t, "attributes of a slot", slot.Reservations()[0].SlotAttributes[1]["serial"], "B2")
	both := must[*Hold](t)(client.Reserve(background, Request{Match: Match{"site": site}, Quantity: 2}))
	equal(t, "resources", len(both.Resources), 2)
	equal(t, "picked", both.Resources[0] != both.Resources[1], true)

	rows := must[[]ActiveReservation](t)(client.Active(background, Filter{Resource: name}))
	equal(t, "active", len(rows) == 1 && rows[0].Requester == client.Requester(), true)
	checked := must[[]CheckResult](t)(client.CheckAll(background, []string{name, name + "-a"}, client.Requester()))
	equal(t, "held", *checked[0].HeldByRequester && *checked[1].HeldByRequester, true)
	equal(t, "nobody waits", must[bool](t)(client.Cancel(background, name, "")), false)
	for _, hold := range []*Hold{slot, both} {
		must[bool](t)(hold.Release(background))
	}
	changed := must[[]ConditionResult](t)(client.SetCondition(background, []string{name + "-a"}, Out, "display dark"))
	equal(t, "condition", changed[0].Status, "CHANGED")
	equal(t, "reason", must[CheckResult](t)(client.Check(background, name+"-a")).ConditionReason, "display dark")
	equal(t, "deleted", must[[]string](t)(client.Unregister(background, name, false))[0], name)
	_, err := client.Unregister(background, name, true)
	var own *Error
	equal(t, "gone", errors.As(err, &own) && own.Code == "NOT_REGISTERED", true)
}

func TestEventsTellEachChange(t *testing.T) {
	client, name := service(t)
	ctx, cancel := context.WithCancel(background)
	var types []EventType
	err := client.Events(ctx, func(event Event) error {
		if event.Type == EventConnected {
			go func() {
				hold, _ := client.Reserve(background, Request{Resource: name})
				_, _ = hold.Release(background)
			}()
		} else if event.Resource != name {
			return nil
		}
		types = append(types, event.Type)
		if event.Type == EventUnreserved {
			cancel()
		}
		return nil
	}, EventReserved, EventUnreserved)
	equal(t, "error", err, nil)
	equal(t, "number", len(types), 3)
	equal(t, "second", types[1], EventReserved)
	failure := errors.New("enough")
	equal(t, "an error of the function", client.Events(background, func(Event) error { return failure }), failure)
}

func TestAMirrorFollowsWhatIsHeld(t *testing.T) {
	client, name := service(t)
	other := must[*Hold](t)(client.Reserve(background, Request{Resource: name + "-before"}))
	ctx, cancel := context.WithCancel(background)
	changes := make(chan int, 16)
	mirror := must[*Mirror](t)(client.Mirror(ctx, MirrorOptions{
		OnChange: func(resource string, reservations []MirroredReservation) {
			if resource == name {
				changes <- len(reservations)
			}
		},
		Waiting: true,
	}))
	equal(t, "before", mirror.Get(name + "-before")[0].FencingToken, other.FencingToken)
	equal(t, "connected", mirror.Connected(), true)
	var told int32
	end := mirror.Subscribe(func() { told++ })
	hold := must[*Hold](t)(client.Reserve(background, Request{Resource: name, Note: "mine"}))
	equal(t, "held", <-changes, 1)
	equal(t, "note", mirror.Get(name)[0].Note, "mine")
	equal(t, "names", contains(mirror.Names(), name) && mirror.Len() >= 2, true)
	go func() { _, _ = client.Reserve(ctx, Request{Resource: name, Wait: time.Minute}) }()
	eventually(t, "the queue", func() bool {
		for _, row := range mirror.Waiting() {
			if row.Resources[0] == name {
				return true
			}
		}
		return false
	})
	end()
	must[bool](t)(hold.Release(background))
	equal(t, "free", <-changes, 0)
	cancel()
	equal(t, "ended", mirror.Err(), nil)
	equal(t, "told", told > 0, true)
	_, err := client.Mirror(ctx, MirrorOptions{})
	equal(t, "no context", errors.Is(err, context.Canceled), true)
}
