package holdfast

// reserveItem is an item of a reserve, and of a transaction.
type reserveItem struct {
	RequestType   string    `json:"requestType,omitempty"`
	Requester     string    `json:"requester"`
	Resource      string    `json:"resource,omitempty"`
	Match         Match     `json:"match,omitempty"`
	TTLSeconds    int64     `json:"ttlSeconds,omitempty"`
	MinTTLSeconds int64     `json:"minTtlSeconds,omitempty"`
	Session       string    `json:"session,omitempty"`
	Note          string    `json:"note,omitempty"`
	Count         int       `json:"count,omitempty"`
	Mode          Mode      `json:"mode,omitempty"`
	Condition     Condition `json:"condition,omitempty"`
	WaitSeconds   int64     `json:"waitSeconds,omitempty"`
	Priority      int       `json:"priority,omitempty"`
}

type unreserveItem struct {
	RequestType string `json:"requestType,omitempty"`
	ReservationKey
	Condition Condition `json:"condition,omitempty"`
	Reason    string    `json:"reason,omitempty"`
}

type renewItem struct {
	ReservationKey
	TTLSeconds    int64 `json:"ttlSeconds"`
	MinTTLSeconds int64 `json:"minTtlSeconds,omitempty"`
}

type checkItem struct {
	Resource  string `json:"resource"`
	Requester string `json:"requester,omitempty"`
}

type cancelItem struct {
	Resource  string `json:"resource"`
	Requester string `json:"requester"`
}

var reserveKind = kind[reserveItem, Result]{
	path: "/Reservation/reserve",
	pathOf: func(item *reserveItem) string {
		if item.WaitSeconds == 0 {
			return ""
		}
		return "/Reservation/reserve?pollSeconds=0" // It joins the queue, and gets a response at once.
	},
	nameOf: func(item *reserveItem) string { return item.Resource },
	sizeOf: func(item *reserveItem) int {
		if item.Count == 0 {
			return 1
		}
		return item.Count
	},
	// In one request, a second item with the same match would take a second resource.
	markOf: func(item *reserveItem) string {
		if item.Match == nil {
			return ""
		}
		return item.Requester
	},
	restore:  func(result *Result, item *reserveItem) { restore(result, item.Resource, item.Requester) },
	isResult: hasStatus,
}

var unreserveKind = kind[unreserveItem, Result]{
	path:     "/Reservation/unreserve",
	restore:  func(result *Result, item *unreserveItem) { restore(result, item.Resource, item.Requester) },
	isResult: hasStatus,
}

var renewKind = kind[renewItem, Result]{
	path:     "/Reservation/renew",
	restore:  func(result *Result, item *renewItem) { restore(result, item.Resource, item.Requester) },
	isResult: hasStatus,
}

var checkKind = kind[checkItem, checkAnswer]{
	path:     "/Reservation/check",
	isResult: func(result *checkAnswer) bool { return result.IsReserved != nil },
}

var cancelKind = kind[cancelItem, Result]{path: "/Reservation/cancel", isResult: hasStatus}

// checkAnswer is a CheckResult that says whether it has the field that each of them has.
type checkAnswer struct {
	CheckResult
	IsReserved *bool `json:"reserved"`
}

func (a checkAnswer) result() CheckResult {
	a.Reserved = *a.IsReserved
	return a.CheckResult
}

func hasStatus(result *Result) bool { return result.Status != "" }

// restore puts back what a minimal result leaves out.
func restore(result *Result, resource, requester string) {
	if result.Resource == "" {
		result.Resource = resource
	}
	if result.Requester == "" {
		result.Requester = requester
	}
	if result.Explanation == "" {
		result.Explanation = result.Status
	}
}
