package holdfast

import (
	"context"
	"net/url"
	"time"
)

// BookOptions say when a slot is booked.
type BookOptions struct {
	// Start and End are cut to whole seconds. Start is now or later.
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

// Repeat makes a series of a booking (docs/specification.md#series).
type Repeat struct {
	// Every is "day" or "week".
	Every string `json:"every"`
	// On has weekdays: "mon", "tue". Empty: that of Start; with "day", all.
	On []string `json:"on,omitempty"`
	// Until is the last day, included: "2026-12-24".
	Until string `json:"until"`
	// TimeZone is of IANA: "Europe/Berlin". The times of day and the weekdays are those of this zone.
	TimeZone string `json:"timeZone"`
}

// BookAllOptions say when slots are booked.
type BookAllOptions struct {
	BookOptions
	// Repeat books a series. nil: once.
	Repeat *Repeat
	// SkipConflicts leaves out those that conflict, and books the others.
	SkipConflicts bool
}

// BookedItem is the result of one booking.
type BookedItem struct {
	BookedSlot
	// Series that it belongs to; "": none.
	Series string `json:"series"`
	// Status is BOOKED, or says why it was not.
	Status      string           `json:"status"`
	Explanation string           `json:"explanation"`
	Conflict    *BookingConflict `json:"conflict"`
}

// BookingConflict says what is in the way of a booking.
type BookingConflict struct {
	// Kind is BOOKING or HOLD.
	Kind string `json:"kind"`
	Slot string `json:"slot"`
	// Requester whose it is. "": several.
	Requester string    `json:"requester"`
	From      time.Time `json:"from"`
	// Until is nil if it has no end.
	Until *time.Time `json:"until"`
	Note  string     `json:"note"`
}

// Book books a slot for a time ahead. From Start to End it is the requester's: Reserve its Slot then.
//
// Its errors have the codes CONFLICT and NOT_VALID. Nothing was booked then.
func (c *Client) Book(ctx context.Context, resource string, options BookOptions) (BookedSlot, error) {
	booked, err := c.BookAll(ctx, []string{resource}, BookAllOptions{BookOptions: options})
	if err != nil {
		return BookedSlot{}, err
	}
	return booked[0].BookedSlot, nil
}

// BookAll books a slot of each resource, as Book does: all of them or none. It returns a result for each booking, and
// for each occurrence of a series. With SkipConflicts, look at the status of each.
//
// Its errors are those of Book. Nothing was booked then.
func (c *Client) BookAll(ctx context.Context, resources []string, options BookAllOptions) ([]BookedItem, error) {
	type item struct {
		Resource  string  `json:"resource"`
		Requester string  `json:"requester"`
		Start     string  `json:"start"`
		End       string  `json:"end"`
		Note      string  `json:"note,omitempty"`
		Repeat    *Repeat `json:"repeat,omitempty"`
	}
	requester := options.Requester
	if requester == "" {
		requester = c.Requester()
	}
	items := make([]item, len(resources))
	for i, resource := range resources {
		start, end := secondOf(options.Start), secondOf(options.End)
		items[i] = item{resource, requester, start, end, options.Note, options.Repeat}
	}
	type body struct {
		Status   string       `json:"status"`
		Bookings []BookedItem `json:"bookings"`
	}
	sent := map[string]any{"bookings": items, "skipConflicts": options.SkipConflicts}
	got, err := carryOut(ctx, c.api.exchange, call[body]{
		outgoing: post("/Booking", sent, randomText(26)),
		isResult: func(b *body) bool { return len(b.Bookings) > 0 },
	})
	if err != nil {
		return nil, err
	}
	if got.result.Status == "BOOKED" {
		return got.result.Bookings, nil
	}
	for i := range got.result.Bookings {
		if one := &got.result.Bookings[i]; one.Status == "CONFLICT" || one.Status == "NOT_VALID" {
			return nil, notBooked(one.Resource, one.Status, one.Explanation, one.Conflict)
		}
	}
	return nil, unexpected()
}

// notBooked says what is in the way, in UTC.
func notBooked(resource, status, explanation string, conflict *BookingConflict) error {
	if conflict != nil {
		what, who, until := "held", conflict.Requester, "on"
		if conflict.Kind == "BOOKING" {
			what = "booked"
		}
		if who == "" {
			who = "several"
		}
		if conflict.Until != nil {
			until = "until " + instantOf(*conflict.Until)
		}
		explanation = "CONFLICT: " + what + " by " + who + " from " + instantOf(conflict.From) + " " + until
	}
	return &Error{Code: Code(status), Message: resource + ": " + explanation}
}

// Bookings lists bookings that are running or have not begun, in the order of their starts.
func (c *Client) Bookings(ctx context.Context, filter BookingFilter) ([]Booking, error) {
	return list[Booking](ctx, c.api, "/Booking", callOptions{},
		"resource", filter.Resource, "requester", filter.Requester,
		"from", instantOf(filter.From), "to", instantOf(filter.To))
}

// BookingChange says what to change of a booking. An empty field stays as it is.
type BookingChange struct {
	Start, End time.Time
	Note       string
}

// ChangeBooking changes a booking that has not begun, and returns it.
//
// Its errors have the codes CONFLICT and NOT_VALID. The booking is as it was then.
func (c *Client) ChangeBooking(ctx context.Context, booking string, change BookingChange) (Booking, error) {
	type sent struct {
		Start string `json:"start,omitempty"`
		End   string `json:"end,omitempty"`
		Note  string `json:"note,omitempty"`
	}
	type body struct {
		Status      string           `json:"status"`
		Explanation string           `json:"explanation"`
		Conflict    *BookingConflict `json:"conflict"`
		Booking     Booking          `json:"booking"`
	}
	fields := sent{secondOf(change.Start), secondOf(change.End), change.Note}
	out := post(bookingPath+url.PathEscape(booking), fields, "")
	out.method = "PATCH"
	got, err := carryOut(ctx, c.api.exchange, call[body]{
		outgoing: out,
		isResult: func(b *body) bool { return b.Status != "" },
	})
	if err != nil {
		return Booking{}, err
	}
	if b := &got.result; b.Status != "BOOKED" {
		return Booking{}, notBooked(b.Booking.Resource, b.Status, b.Explanation, b.Conflict)
	}
	return got.result.Booking, nil
}

// CancelBooking cancels a booking. One that is running is released. It returns whether there was one.
func (c *Client) CancelBooking(ctx context.Context, booking string) (bool, error) {
	cancelled, err := c.cancelBookings(ctx, url.PathEscape(booking))
	return cancelled > 0, err
}

// CancelSeries cancels the bookings of a series that start at from or later; the zero time: all. One that is running is
// released. It returns how many.
func (c *Client) CancelSeries(ctx context.Context, series string, from time.Time) (int, error) {
	path := "series/" + url.PathEscape(series)
	if !from.IsZero() {
		path += "?from=" + url.QueryEscape(instantOf(from))
	}
	return c.cancelBookings(ctx, path)
}

const bookingPath = "/Booking/"

func (c *Client) cancelBookings(ctx context.Context, path string) (int, error) {
	type body struct {
		Cancelled *int `json:"cancelled"`
	}
	got, err := carryOut(ctx, c.api.exchange, call[body]{
		outgoing: outgoing{method: "DELETE", path: bookingPath + path},
		isResult: func(b *body) bool { return b.Cancelled != nil },
	})
	if err != nil {
		return 0, err
	}
	return *got.result.Cancelled, nil
}

// secondOf is instantOf, cut to whole seconds: the service takes no others.
func secondOf(t time.Time) string { return instantOf(t.Truncate(time.Second)) }

// instantOf returns a time as the service reads it; "" for none.
func instantOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
