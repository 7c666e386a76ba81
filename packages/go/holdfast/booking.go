package holdfast

import (
	"context"
	"net/url"
	"time"
)

// BookOptions say when a slot is booked.
type BookOptions struct {
	// Start and End are of whole seconds. Start is now or later.
	Start, End time.Time
	// Requester says for whom. "": for this client.
	Requester string
	// Note says why, for people.
	Note string
}

// BookedSlot is what was booked.
type BookedSlot struct {
	// Booking names it in other calls.
	Booking   string    `json:"booking"`
	Resource  string    `json:"resource"`
	Requester string    `json:"requester"`
	Slot      string    `json:"slot"`
	Start     time.Time `json:"start"`
	End       time.Time `json:"end"`
}

// Booking is a booking in a list.
type Booking struct {
	BookedSlot
	// State is BOOKED, RUNNING or DELAYED: its time is running, and no slot could be had for it yet.
	State string `json:"state"`
	Note  string `json:"note"`
	// Series that it belongs to; "": none.
	Series string `json:"series"`
}

// BookingFilter says which bookings to list. An empty field is no condition.
type BookingFilter struct {
	Resource  string
	Requester string
	// From and To: those that have some of their time between the two.
	From, To time.Time
}

// Book books a slot for a time ahead. From Start to End it is the requester's: Reserve its Slot then.
//
// Its errors have the codes CONFLICT and NOT_VALID. Nothing was booked then.
func (c *Client) Book(ctx context.Context, resource string, options BookOptions) (BookedSlot, error) {
	type item struct {
		Resource  string `json:"resource"`
		Requester string `json:"requester"`
		Start     string `json:"start"`
		End       string `json:"end"`
		Note      string `json:"note,omitempty"`
	}
	requester := options.Requester
	if requester == "" {
		requester = c.Requester()
	}
	one := item{resource, requester, instantOf(options.Start), instantOf(options.End), options.Note}
	type result struct {
		BookedSlot
		Status      string `json:"status"`
		Explanation string `json:"explanation"`
	}
	type body struct {
		Bookings []result `json:"bookings"`
	}
	got, err := carryOut(ctx, c.api.exchange, call[body]{
		outgoing: post("/Booking", map[string][]item{"bookings": {one}}, randomText(26)),
		isResult: func(b *body) bool { return len(b.Bookings) == 1 },
	})
	if err != nil {
		return BookedSlot{}, err
	}
	booked := got.result.Bookings[0]
	if booked.Status != "BOOKED" {
		return BookedSlot{}, &Error{Code: Code(booked.Status), Message: resource + ": " + booked.Explanation}
	}
	return booked.BookedSlot, nil
}

// Bookings lists bookings that are running or have not begun, in the order of their starts.
func (c *Client) Bookings(ctx context.Context, filter BookingFilter) ([]Booking, error) {
	return list[Booking](ctx, c.api, "/Booking", callOptions{},
		"resource", filter.Resource, "requester", filter.Requester,
		"from", instantOf(filter.From), "to", instantOf(filter.To))
}

// CancelBooking cancels a booking. One that is running is released. It returns whether there was one.
func (c *Client) CancelBooking(ctx context.Context, booking string) (bool, error) {
	type body struct {
		Cancelled *int `json:"cancelled"`
	}
	got, err := carryOut(ctx, c.api.exchange, call[body]{
		outgoing: outgoing{method: "DELETE", path: "/Booking/" + url.PathEscape(booking)},
		isResult: func(b *body) bool { return b.Cancelled != nil },
	})
	return err == nil && *got.result.Cancelled > 0, err
}

// instantOf returns a time as the service reads it; "" for none.
func instantOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
