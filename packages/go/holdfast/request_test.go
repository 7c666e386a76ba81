package holdfast

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestARequestThatMakesNoSenseIsRefused(t *testing.T) {
	match := Match{"os": OneOf("android")}
	for message, request := range map[string]Request{
		"needs a Resource":   {},
		"a name is there":    {Resources: []string{"a", "a"}},
		"both set":           {Resource: "a", Resources: []string{"b"}},
		"write 5 * time.Sec": {Resource: "a", Wait: 5},
		"not negative":       {Resource: "a", TTL: -time.Second},
		"at most 24 h":       {Resource: "a", Wait: 25 * time.Hour},
		"a TTL that ends":    {Resource: "a", Wait: time.Second, TTL: Forever},
		"from -100 to 100":   {Resource: "a", Priority: 101},
		"with a Match":       {Resource: "a", Quantity: 2},
		"not -1":             {Match: match, Quantity: -1},
	} {
		_, err := planOf(request, "")
		var own *Error
		if !errors.As(err, &own) || own.Code != CodeInvalidOption || !strings.Contains(err.Error(), message) {
			t.Errorf("%+v: %v", request, err)
		}
	}
	if _, err := planOf(Request{Resource: "a", TTL: time.Second}, "session"); err == nil {
		t.Error("a session has the TTL")
	}
}

func TestDurationsAreRoundedUpToWholeSeconds(t *testing.T) {
	p := must[*plan](t)(planOf(Request{Resource: "a", TTL: 1001 * time.Millisecond, Wait: time.Millisecond}, ""))
	equal(t, "ttl", p.items[0].TTLSeconds, 2)
	equal(t, "wait", p.wait, time.Second)
	p = must[*plan](t)(planOf(Request{Resource: "a"}, ""))
	equal(t, "ttl", p.items[0].TTLSeconds, 30)
	p = must[*plan](t)(planOf(Request{Resource: "a", TTL: Forever}, ""))
	equal(t, "ttl", p.items[0].TTLSeconds, 0)
}

func TestTheTextOfAMatchIsThatOfTheService(t *testing.T) {
	match := Match{"site": NoneOf("berlin"), "os": OneOf("ios", "android", "ios")}
	equal(t, "text", match.text(), "os=android,os=ios,site!=berlin")
	long := Match{"os": OneOf(strings.Repeat("ä", 300))}
	equal(t, "runes", len([]rune(long.text())), 200)
}

func TestNamesComeBeforeMatches(t *testing.T) {
	p := must[*plan](t)(planOf(Request{Resource: "hub", Match: Match{"os": OneOf("ios")}, Quantity: 2}, ""))
	equal(t, "title", p.title, "hub, 2 × os=ios")
	equal(t, "items", len(p.items), 3)
	equal(t, "first", p.items[0].Resource, "hub")
}

func TestHoldsOfOneClientExcludeEachOther(t *testing.T) {
	at := &steered{}
	r := newRequesters("", at.clocks())
	one := r.begin([]string{"a"}, "", 0)
	two := r.begin([]string{"a", "b"}, "", 0)
	equal(t, "first", one.requester, r.base)
	equal(t, "second", two.requester, r.base+"#2")
	equal(t, "another name", r.begin([]string{"c"}, "", 0).requester, r.base)
	r.end(one)
	equal(t, "after the release", r.begin([]string{"a"}, "", 0).requester, r.base)
	r.made(two, []ReleaseToken{"t"}, func() time.Duration { return 0 })
	equal(t, "held", r.isHeld("t"), true)
	at.pass(2 * time.Second)
	equal(t, "held after its end", r.isHeld("t"), false)
	equal(t, "after its end", r.begin([]string{"b"}, "", 1).requester, r.base+"#2")
}

func TestAChosenRequesterStaysAsItIs(t *testing.T) {
	r := newRequesters("me", systemClocks)
	equal(t, "first", r.begin([]string{"a"}, "", 0).requester, "me")
	equal(t, "second", r.begin([]string{"a"}, "", 0).requester, "me")
	equal(t, "session", r.forSession(""), "me")
	equal(t, "of the call", r.begin([]string{"a"}, "you", 0).requester, "you")
}

func TestARequesterIsUniqueToItsClient(t *testing.T) {
	a, b := newRequesters("", systemClocks), newRequesters("", systemClocks)
	equal(t, "same", a.base == b.base, false)
	equal(t, "sessions", a.forSession("") == a.forSession(""), false)
}

func TestRequestersForgetReservationsThatWereNeverReleased(t *testing.T) {
	at := &steered{}
	r := newRequesters("", at.clocks())
	for i := 0; i < 5000; i++ {
		u := r.begin([]string{"a"}, "", 0)
		r.made(u, []ReleaseToken{ReleaseToken(randomText(12))}, func() time.Duration { return 0 })
		at.pass(time.Second + 1)
	}
	if len(r.byToken) > 1100 {
		t.Errorf("%d are kept", len(r.byToken))
	}
}
