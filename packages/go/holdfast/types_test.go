package holdfast

import (
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"strings"
	"testing"
)

// schema is a type of the OpenAPI description.
type schema struct {
	Properties map[string]schema
	Items      *schema
	Enum       []any
}

func schemas(t *testing.T) map[string]schema {
	text, err := os.ReadFile("../../../docs/openapi.json")
	if err != nil {
		t.Skip("the module is not in its repository")
	}
	var described struct {
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	return described.Components.Schemas
}

// fieldsOf returns the JSON names of a struct, and of those that it embeds.
func fieldsOf(of reflect.Type) []string {
	var names []string
	for i := 0; i < of.NumField(); i++ {
		field := of.Field(i)
		name := strings.Split(field.Tag.Get("json"), ",")[0]
		if field.Anonymous {
			names = append(names, fieldsOf(field.Type)...)
		} else if name != "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

func TestTypesHaveTheFieldsOfTheService(t *testing.T) {
	all := schemas(t)
	reason := all["CheckResult"].Properties["reason"]
	merged := func(names ...string) schema {
		both := schema{Properties: map[string]schema{}}
		for _, name := range names {
			for field, of := range all[name].Properties {
				both.Properties[field] = of
			}
		}
		return both
	}
	for _, c := range []struct {
		value any
		of    schema
		// Fields that the client does not send, or has elsewhere.
		without string
	}{
		{Result{}, merged("ReserveResult", "UnreserveResult"), ""},
		{HeldBy{}, all["ReserveResult"].Properties["heldBy"], ""},
		{Waiting{}, all["ReserveResult"].Properties["waiting"], ""},
		{Reason{}, reason, ""},
		{Holder{}, *reason.Properties["holders"].Items, ""},
		{Next{}, *reason.Properties["next"].Items, ""},
		{CheckResult{}, all["CheckResult"], ""},
		{ActiveReservation{}, all["ActiveReservation"], ""},
		{WaitingRequest{}, all["WaitingRequest"], ""},
		{SessionInfo{}, all["Session"], ""},
		{Registration{}, all["Registration"], "outOfService dirty"},
		{Definition{}, all["Definition"], ""},
		{TreeNode{}, all["TreeNode"], ""},
		{ConditionResult{}, all["ConditionResult"], ""},
		{Event{}, all["Event"], ""},
		{Change{}, *all["Event"].Properties["changes"].Items, ""},
		{reserveItem{}, all["ReserveItem"], "resourceType claimSeconds"},
		{renewItem{}, all["RenewItem"], "status explanation expiresAt acquiredSlots acquiredBlockers reservedAtPath " +
			"mode attributes slotAttributes fencingToken waitedMs waiting heldBy slots bookedFrom booking"},
	} {
		var wanted, found []string
		for name := range c.of.Properties {
			if !strings.Contains(" "+c.without+" ", " "+name+" ") {
				wanted = append(wanted, name)
			}
		}
		for _, name := range fieldsOf(reflect.TypeOf(c.value)) {
			if name != "requestType" || c.of.Properties[name].Enum != nil {
				found = append(found, name)
			}
		}
		sort.Strings(wanted)
		equal(t, reflect.TypeOf(c.value).Name(), strings.Join(found, " "), strings.Join(wanted, " "))
	}
}

func TestEventsHaveTheTypesOfTheService(t *testing.T) {
	known := map[EventType]bool{}
	for _, one := range []EventType{
		EventReserved, EventRenewed, EventUnreserved, EventReservationExpired, EventReserveFailed, EventUnreserveFailed,
		EventTransactionApplied, EventTransactionRolledBack, EventWaiting, EventWaitEnded, EventReset, EventCondition,
		EventTierLimitReached, EventEndsSoon, EventWanted, EventBooked, EventBookingChanged, EventBookingCancelled,
		EventBookingDelayed,
	} {
		known[one] = true
	}
	types := schemas(t)["Event"].Properties["type"].Enum
	equal(t, "number", len(types), len(known))
	for _, one := range types {
		equal(t, one.(string), known[EventType(one.(string))], true)
	}
}

func TestARegistrationKeepsWhatItDoesNotName(t *testing.T) {
	none, one := map[string]string{}, map[string]string{"hub": "1"}
	for want, registration := range map[string]Registration{
		`{"name":"a"}`: {Name: "a"},
		`{"name":"a","labels":{},"attributes":{"hub":"1"}}`: {Name: "a", Labels: none, Attributes: one},
	} {
		text := must[[]byte](t)(json.Marshal(registration))
		equal(t, "text", string(text), want)
	}
}
