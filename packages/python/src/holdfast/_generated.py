# Made by `npm run generate`. Do not edit.
"""Requests and responses of the service, with its names of fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

Not = TypedDict("Not", {
    "not": 'str | Sequence[str]',
})


class ReserveItem(TypedDict):
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    resource: NotRequired[str]
    """The name of the resource."""
    match: NotRequired[Mapping[str, str | Sequence[str] | Not]]
    """Labels that the resource must have, instead of `resource`: any resource that fits is taken. An array: one of
    these values. `not`: none of these."""
    ttlSeconds: NotRequired[int]
    """The lease, in seconds. Without it the reservation never expires, unless the tenant has a default lease."""
    minTtlSeconds: NotRequired[int]
    """Of a bookable resource: the lease may be cut to the start of the next booking if so many seconds are left.
    Default `ttlSeconds`."""
    session: NotRequired[str]
    """The reservation lasts as long as this session of its requester. Instead of `ttlSeconds`."""
    resourceType: NotRequired[str]
    """A tag of your choice, repeated in events. Default `UserDefined`."""
    note: NotRequired[str]
    """Why it is reserved, for people: the purpose, a link to the build."""
    count: NotRequired[int]
    """How many slots of a pool to take, all of them or none. Default 1. Each counts as one item."""
    mode: NotRequired[Literal["EXCLUSIVE", "SHARED"]]
    """SHARED: others may hold it SHARED too, and nobody EXCLUSIVE. Default EXCLUSIVE."""
    condition: NotRequired[Literal["dirty", "out"]]
    """The condition that the slot must have. Without it: ready. `dirty` is for those who clean, `out` for those who
    repair: it needs the right `define`."""
    waitSeconds: NotRequired[int]
    """How long to wait if it cannot be had now, in seconds. 0 or absent: not at all."""
    priority: NotRequired[int]
    """Higher is served first. Default 0. With a derived token at most what its registration allows."""
    claimSeconds: NotRequired[int]
    """How long the place in the queue is kept after a call ended, and how long a reservation waits for its caller once
    its turn has come. Default 10."""


class HeldBy(TypedDict):
    resource: str
    """What is held: the resource itself, a slot, an ancestor or a blocker."""
    requester: str | None
    """The holder. Null: it is held as a blocker of another resource, or SHARED."""
    since: str | None
    """Null, as the next two, if it is held along with another resource."""
    expiresAt: str | None
    """When the lease of its holder ends. Null: never."""
    note: str | None
    """The `note` of its holder."""


class Holder(TypedDict):
    requester: str
    """Who holds it: never a system requester."""
    resource: str | None
    """What it asked for: perhaps something that takes `slot` along. Null, as the times: not known."""
    slot: str
    """The slot that is in the way."""
    since: str | None
    """When it was reserved."""
    until: str | None
    """When the lease ends. Null, with `since`: never."""
    note: str | None
    """The `note` of the reservation."""


class Next(TypedDict):
    requester: str
    """Who waits."""
    since: str
    """When the wait began."""
    until: str
    """The wait ends then."""
    note: str | None
    """The first `note` among the items of the request."""


class Reason(TypedDict):
    kind: Literal["SLOTS", "ANCESTOR", "BLOCKER", "BOOKING", "QUEUE"]
    """What is taken: slots of the resource itself, of an ancestor, or of a blocker. BOOKING: it is free, and booked.
    QUEUE: it is free, and kept for those who wait."""
    resource: str
    """The resource or slot that is taken."""
    holders: Sequence[Holder]
    """Who holds it: the first few slots. Of a BOOKING: who has booked it, from `since` to `until`."""
    more: int
    """How many of its slots are held besides."""
    next: Sequence[Next]
    """The first few who wait for it, in the order of the queue; of a request that waits: those before it."""


class Waiting(TypedDict):
    ahead: int
    """How many requests are ahead of it at `waitsFor`."""
    waitsFor: str
    """The first thing that it needs and cannot have yet."""
    since: str
    """When the wait began."""
    until: str
    """The wait ends then. A repeat after that begins a new wait."""
    reason: NotRequired[Reason]
    """Who is in the way. Left out if a request waits for too much at once."""


class ReserveResult(TypedDict):
    resource: str
    """The name that was asked for. With a `match`: the resource that was picked."""
    requester: str
    """The requester of the item."""
    status: Literal["ACQUIRED", "ALREADY_HAD", "WAITING", "ALREADY_HELD", "NOT_AVAILABLE", "NOT_VALID"]
    """ACQUIRED and ALREADY_HAD: the requester holds it."""
    explanation: str
    """The status again, or the status and a reason: for people."""
    releaseToken: str | None
    """Releases and renews the reservation. Null: there is none, or it was a dry run."""
    expiresAt: str | None
    """When the lease ends. Null: never, or it is not held."""
    ttlSeconds: NotRequired[int]
    """Only of a bookable resource: the seconds that are left of the lease, if that ends sooner than asked."""
    bookedFrom: NotRequired[str]
    """Only if a booking is in the way: the latest end of a lease that would do."""
    acquiredSlots: Mapping[str, str] | None
    """The slot that it has of each pool: of the resource itself, and of its ancestors. Null: of none."""
    acquiredBlockers: Sequence[str] | None
    """What is taken along, as slots: its blockers and their ancestors. Null: nothing."""
    reservedAtPath: str | None
    """The ancestors and the resource itself, joined by `>`. Null: it has no ancestors."""
    mode: NotRequired[Literal["EXCLUSIVE", "SHARED"]]
    """Left out if the request did not say it and the reservation is EXCLUSIVE."""
    slots: NotRequired[Sequence[str]]
    """Only with a `count` of more than 1: its slots of the pool, in the order of their numbers."""
    attributes: NotRequired[Mapping[str, str]]
    """The attributes of the resource and of the slot. Left out if it has none, or if it is not held."""
    slotAttributes: NotRequired[Sequence[Mapping[str, str]]]
    """With several slots: the attributes of each of `slots`."""
    booking: NotRequired[str]
    """The booking that the reservation is the running time of."""
    fencingToken: int | None
    """Grows with every ACQUIRED of the tenant."""
    waitedMs: NotRequired[int]
    """How long the item waited until it was ACQUIRED. Only with `waitSeconds`."""
    heldBy: NotRequired[HeldBy]
    """Who holds it, if one certain slot was in the way. Left out if any slot of a pool would do."""
    waiting: NotRequired[Waiting]
    """Only with the status WAITING: send the same request again."""


class UnreserveItem(TypedDict):
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    resource: str
    """The name of the resource."""
    releaseToken: NotRequired[str]
    """The token that the reserve call returned."""
    condition: NotRequired[Literal["ready", "dirty", "out"]]
    """The condition of its slots from now on. Slots that are out of service stay so, unless the reservation asked for
    `out`."""
    reason: NotRequired[str]
    """Why, for people."""
    slots: NotRequired[Sequence[str]]
    """With `condition`: the slots that get it. Default: all slots of the reservation."""
    status: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    explanation: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    expiresAt: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    acquiredSlots: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    acquiredBlockers: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    reservedAtPath: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    mode: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    attributes: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    slotAttributes: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    fencingToken: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    waitedMs: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    waiting: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    heldBy: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    ttlSeconds: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    bookedFrom: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    booking: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""


class UnreserveResult(TypedDict):
    resource: str
    """The name that was asked for. With a `match`: the resource that was picked."""
    requester: str
    """The requester of the item."""
    status: Literal["RELINQUISHED", "NOT_RESERVED", "DOESNT_OWN_RESERVATION"]
    """RELINQUISHED: it was released. NOT_RESERVED: nobody held it."""
    explanation: str
    """The status again, or the status and a reason: for people."""
    released: Sequence[str] | None
    """The slots that became free."""
    condition: NotRequired[Literal["dirty", "out"]]
    """Only if slots of the resource are not ready now: `out` if one of them is out of service, else `dirty`."""


class RenewItem(TypedDict):
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    resource: str
    """The name of the resource."""
    releaseToken: NotRequired[str]
    """The token that the reserve call returned."""
    status: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    explanation: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    expiresAt: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    acquiredSlots: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    acquiredBlockers: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    reservedAtPath: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    mode: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    attributes: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    slotAttributes: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    fencingToken: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    waitedMs: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    waiting: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    heldBy: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    bookedFrom: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    booking: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    slots: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    ttlSeconds: int
    """The new lease, in seconds from now."""
    minTtlSeconds: NotRequired[int]
    """Of a bookable resource: the lease may be cut to the start of the next booking if so many seconds are left.
    Default `ttlSeconds`."""


class RenewResult(TypedDict):
    resource: str
    """The name that was asked for. With a `match`: the resource that was picked."""
    requester: str
    """The requester of the item."""
    status: Literal["RENEWED", "NOT_AVAILABLE", "NOT_RESERVED", "DOESNT_OWN_RESERVATION"]
    """NOT_AVAILABLE: a booking begins before the new lease would end, and the lease stays as it is. With any other
    status but RENEWED, the requester does not hold it."""
    explanation: str
    """The status again, or the status and a reason: for people."""
    expiresAt: str | None
    """When the lease ends now. Null: never, or it is not held."""
    ttlSeconds: NotRequired[int]
    """Only of a bookable resource: the seconds that are left of the lease, if that ends sooner than asked."""
    bookedFrom: NotRequired[str]
    """Only if a booking is in the way: the latest end of a lease that would do."""
    booking: NotRequired[str]
    """The booking that the reservation is the running time of."""


class Transaction(TypedDict):
    method: Literal["ALL_OR_NONE", "AS_MANY_AS_POSSIBLE", "FIRST"]
    """`ALL_OR_NONE`: all items or nothing. `AS_MANY_AS_POSSIBLE`: each item on its own. `FIRST`: the first item that
    succeeds."""
    requests: Sequence[TransactionRequest]
    session: NotRequired[str]
    """Stands for the same `session` on each RESERVE."""
    waitSeconds: NotRequired[int]
    """How long to wait if it cannot be had now, in seconds. 0 or absent: not at all."""
    priority: NotRequired[int]
    """Higher is served first. Default 0. With a derived token at most what its registration allows."""
    claimSeconds: NotRequired[int]
    """How long the place in the queue is kept after a call ended, and how long a reservation waits for its caller once
    its turn has come. Default 10."""


class Reserve(TypedDict):
    requestType: Literal["RESERVE"]
    """What the item does."""
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    resource: NotRequired[str]
    """The name of the resource."""
    match: NotRequired[Mapping[str, str | Sequence[str] | Not]]
    """Labels that the resource must have, instead of `resource`: any resource that fits is taken. An array: one of
    these values. `not`: none of these."""
    ttlSeconds: NotRequired[int]
    """The lease, in seconds. Without it the reservation never expires, unless the tenant has a default lease."""
    minTtlSeconds: NotRequired[int]
    """Of a bookable resource: the lease may be cut to the start of the next booking if so many seconds are left.
    Default `ttlSeconds`."""
    session: NotRequired[str]
    """The reservation lasts as long as this session of its requester. Instead of `ttlSeconds`."""
    resourceType: NotRequired[str]
    """A tag of your choice, repeated in events. Default `UserDefined`."""
    note: NotRequired[str]
    """Why it is reserved, for people: the purpose, a link to the build."""
    count: NotRequired[int]
    """How many slots of a pool to take, all of them or none. Default 1. Each counts as one item."""
    mode: NotRequired[Literal["EXCLUSIVE", "SHARED"]]
    """SHARED: others may hold it SHARED too, and nobody EXCLUSIVE. Default EXCLUSIVE."""
    condition: NotRequired[Literal["dirty", "out"]]
    """The condition that the slot must have. Without it: ready. `dirty` is for those who clean, `out` for those who
    repair: it needs the right `define`."""
    waitSeconds: NotRequired[object]
    """Refused: it stands beside `method`."""
    priority: NotRequired[object]
    """Refused: it stands beside `method`."""
    claimSeconds: NotRequired[object]
    """Refused: it stands beside `method`."""


class Unreserve(TypedDict):
    requestType: Literal["UNRESERVE"]
    """What the item does."""
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    resource: str
    """The name of the resource."""
    releaseToken: NotRequired[str]
    """The token that the reserve call returned."""
    condition: NotRequired[Literal["ready", "dirty", "out"]]
    """The condition of its slots from now on. Slots that are out of service stay so, unless the reservation asked for
    `out`."""
    reason: NotRequired[str]
    """Why, for people."""
    slots: NotRequired[Sequence[str]]
    """With `condition`: the slots that get it. Default: all slots of the reservation."""
    status: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    explanation: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    expiresAt: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    acquiredSlots: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    acquiredBlockers: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    reservedAtPath: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    mode: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    attributes: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    slotAttributes: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    fencingToken: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    waitedMs: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    waiting: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    heldBy: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    ttlSeconds: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    bookedFrom: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    booking: NotRequired[object]
    """Ignored, so that a result of a reserve call can be sent as it is."""
    waitSeconds: NotRequired[object]
    """Refused: it stands beside `method`."""
    priority: NotRequired[object]
    """Refused: it stands beside `method`."""
    claimSeconds: NotRequired[object]
    """Refused: it stands beside `method`."""


TransactionRequest = Reserve | Unreserve


class TransactionResult(TypedDict):
    method: Literal["ALL_OR_NONE", "AS_MANY_AS_POSSIBLE", "FIRST"]
    """`ALL_OR_NONE`: all items or nothing. `AS_MANY_AS_POSSIBLE`: each item on its own. `FIRST`: the first item that
    succeeds."""
    status: Literal["APPLIED", "WAITING", "ROLLED_BACK"]
    """ROLLED_BACK: nothing has changed."""
    results: Sequence[ReserveResult | UnreserveResult | UndoneUnreserveResult]
    """A result for each item, as of a reserve or an unreserve. Of items that are not kept: NOT_AVAILABLE."""


class UndoneUnreserveResult(TypedDict):
    resource: str
    """The name that was asked for. With a `match`: the resource that was picked."""
    requester: str
    """The requester of the item."""
    status: Literal["NOT_AVAILABLE"]
    explanation: str
    """The status again, or the status and a reason: for people."""
    released: Sequence[str] | None
    """The slots that became free."""
    condition: NotRequired[Literal["dirty", "out"]]
    """Only if slots of the resource are not ready now: `out` if one of them is out of service, else `dirty`."""


class CheckItem(TypedDict):
    resource: str
    """The name of the resource."""
    requester: NotRequired[str]
    """Who asks: `heldByRequester` and `reservable` are about this requester."""


class CheckResult(TypedDict):
    resource: str
    """The name that was asked about."""
    reserved: bool
    """True if no slot of the resource is free and ready."""
    requester: str | None
    """The owner, if the resource has one slot. Null if several hold it SHARED."""
    heldByRequester: bool | None
    """True if the requester of the item holds it. Null if the item names no requester."""
    expiresAt: str | None
    """When the reservation of this requester ends, else that of the one owner."""
    waiting: int
    """The number of requests that wait for it."""
    note: NotRequired[str]
    """The `note` of the request that made the reservation."""
    reservable: bool | None
    """Whether a reserve of it would succeed now, with some lease: by the requester of the item, or by a new one if it
    names none. Null if the request asks about too much."""
    bookedFrom: NotRequired[str]
    """From when on it is booked for others than the requester. Of a pool: the latest of its free slots, or that of the
    slot that the requester holds. Left out: never."""
    mode: NotRequired[Literal["SHARED"]]
    """Only if the resource has one slot, and it is held SHARED."""
    reason: NotRequired[Reason]
    """Who is in the way, if `reservable` is false. Left out if the request asks about too much."""
    condition: NotRequired[Literal["dirty", "out"]]
    """Only of a single slot that is not ready: dirty, or out of service."""
    conditionReason: NotRequired[str]
    """Only with `condition`: why, if somebody said so."""
    holders: NotRequired[int]
    """Only with `mode`: how many requesters hold it."""


class CancelItem(TypedDict):
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    resource: str
    """The name of the resource. Of a `match`: the `resource` of the result that said WAITING."""


class CancelResult(TypedDict):
    resource: str
    """The resource of the item."""
    requester: str
    """The requester of the item."""
    status: Literal["CANCELLED", "NOT_WAITING"]
    """NOT_WAITING: there was no wait to end. The requester may hold it, if a response was lost."""


class ActiveReservation(TypedDict):
    resource: str
    """The name that was asked for. With a `match`: the resource that was picked."""
    requester: str
    """Who holds it."""
    resourceType: str
    """The tag of the request."""
    reservedAt: str
    """When it was reserved."""
    expiresAt: str | None
    """When the lease ends. Null: never."""
    claimBy: str | None
    """When it ends if the caller that waited for it does not get the response. Null: the caller has it."""
    acquiredSlots: Mapping[str, str] | None
    """The slot that it has of each pool: of the resource itself, and of its ancestors. Null: of none."""
    acquiredBlockers: Sequence[str] | None
    """What is taken along, as slots: its blockers and their ancestors. Null: nothing."""
    reservedAtPath: str | None
    """The ancestors and the resource itself, joined by `>`. Null: it has no ancestors."""
    mode: NotRequired[Literal["EXCLUSIVE", "SHARED"]]
    """Left out if the request did not say it and the reservation is EXCLUSIVE."""
    slots: NotRequired[Sequence[str]]
    """Only with a `count` of more than 1: its slots of the pool, in the order of their numbers."""
    fencingToken: int
    """Grows with every ACQUIRED of the tenant."""
    apiKeyLabel: str | None
    """The label of the API key that made the request. Null: the key has none, or there was no key."""
    note: NotRequired[str]
    """The `note` of the request that made the reservation."""
    condition: NotRequired[Literal["dirty", "out"]]
    """The condition that it asked for. Left out: ready."""
    session: NotRequired[str]
    """The session that it lasts as long as."""
    booking: NotRequired[str]
    """The booking that the reservation is the running time of."""


class WaitingRequest(TypedDict):
    requester: str
    """Who waits."""
    resources: Sequence[str]
    """What the request names, in its order."""
    counts: Sequence[int]
    """The `count` of each of `resources`: how many slots it asks for."""
    conditions: NotRequired[Sequence[Literal["ready", "dirty", "out"]]]
    """The `condition` of each of `resources`: which slots it asks for. Left out: all `ready`."""
    ttlSeconds: float | None
    """The longest lease that it asks for. Null: that of a session."""
    method: Literal["ALL_OR_NONE", "AS_MANY_AS_POSSIBLE", "FIRST", None]
    """Null: a reserve item."""
    priority: int
    """Higher is served first."""
    since: str
    """When the wait began."""
    until: str
    """The wait ends then."""
    waitsFor: str
    """The first thing that it needed and could not have, when the service looked last."""
    attended: bool
    """False: it is detached (`pollSeconds=0`), or passed over until its caller comes back."""
    apiKeyLabel: str | None
    """The label of the API key that made the request. Null: the key has none, or there was no key."""
    note: NotRequired[str]
    """The first `note` among its items."""
    reason: NotRequired[Reason]
    """Who holds what it waits for."""


class Cleared(TypedDict):
    cleared: int
    """The number of reservations that ended."""


class NewSession(TypedDict):
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    ttlSeconds: int
    """How long the session lasts after it began or was renewed, in seconds."""


class BegunSession(TypedDict):
    session: str
    """Names the session in other calls."""
    token: str
    """Needed to renew and to end the session."""
    expiresAt: str
    """When it ends if nobody renews it."""


class RenewedSession(TypedDict):
    status: Literal["RENEWED", "NOT_FOUND"]
    """NOT_FOUND: it has ended, or the token is wrong."""
    expiresAt: str | None
    """When it ends now. Null: there is none."""


class EndedSession(TypedDict):
    status: Literal["ENDED", "NOT_FOUND"]
    """NOT_FOUND: it has ended, or the token is wrong."""
    released: int
    """The number of reservations that ended with it."""


class SessionProof(TypedDict):
    session: str
    """The id of a session."""
    token: NotRequired[str]
    """The token of the session."""


class Session(TypedDict):
    session: str
    """Names the session in other calls."""
    requester: str
    """Whose session it is."""
    ttlSeconds: int
    """How long it lasts after a renewal, in seconds."""
    createdAt: str
    """When it began."""
    expiresAt: str
    """When it ends if nobody renews it."""
    holds: int
    """The number of its reservations."""
    apiKeyLabel: str | None
    """The label of the API key that made the request. Null: the key has none, or there was no key."""


class Repeat(TypedDict):
    every: Literal["day", "week"]
    """How often it comes."""
    on: NotRequired[Sequence[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]]
    """Its weekdays in its zone. Default: that of `start`; with `day`, all."""
    until: str
    """The last day in its zone, included."""
    timeZone: str
    """An IANA time zone."""


class BookingItem(TypedDict):
    resource: NotRequired[str]
    """The name of the resource."""
    match: NotRequired[Mapping[str, str | Sequence[str] | Not]]
    """Labels that the resource must have, instead of `resource`: any resource that fits is taken. An array: one of
    these values. `not`: none of these."""
    requester: str
    """Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out."""
    start: str
    """When it begins: from now to 366 days ahead. Up to 60 s ago means now."""
    end: str
    """When it ends: at least 60 s after its start."""
    note: NotRequired[str]
    """Why it is reserved, for people: the purpose, a link to the build."""
    resourceType: NotRequired[str]
    """A tag of your choice, repeated in events. Default `UserDefined`."""
    claimWithinSeconds: NotRequired[int]
    """It ends if its requester has not reserved it so long after its start."""
    repeat: NotRequired[Repeat]
    """A series of such bookings."""


class BookResult(TypedDict):
    status: Literal["BOOKED", "CONFLICT", "NOT_VALID"]
    """BOOKED: all of them; with `skipConflicts`, at least one."""
    bookings: Sequence[BookedItem]
    """One for each item, and for each occurrence of a series."""


Conflict = TypedDict("Conflict", {
    "kind": 'Literal["BOOKING", "HOLD"]',
    "slot": 'str',
    "requester": 'str | None',
    "from": 'str',
    "until": 'str | None',
    "note": 'str | None',
})


class BookedItem(TypedDict):
    booking: str | None
    """Names it in other calls. Null: it was not booked."""
    series: NotRequired[str]
    """The series that it belongs to. Left out: none."""
    status: Literal["BOOKED", "CONFLICT", "NOT_VALID", "ROLLED_BACK"]
    """ROLLED_BACK: another one of the call was not booked."""
    explanation: str
    """The status again, or the status and a reason: for people."""
    conflict: NotRequired[Conflict]
    """Only with the status CONFLICT."""
    resource: str
    """The resource. With a `match`: the one that was picked."""
    requester: str
    slot: str | None
    """The slot that is booked. Null: none."""
    start: str
    """ISO 8601, UTC."""
    end: str
    """ISO 8601, UTC."""


class Booking(TypedDict):
    booking: str
    """Names the booking in other calls."""
    series: NotRequired[str]
    """The series that it belongs to. Left out: none."""
    resource: str
    slot: str
    """The slot that is booked."""
    requester: str
    start: str
    """ISO 8601, UTC."""
    end: str
    """ISO 8601, UTC."""
    state: Literal["BOOKED", "RUNNING", "DELAYED"]
    """DELAYED: its time is running, and no slot could be had for it yet."""
    note: str | None
    resourceType: str
    claimWithinSeconds: NotRequired[int]
    """Left out: it need not be claimed."""
    isClaimed: NotRequired[bool]
    """Only with `claimWithinSeconds`, while it runs."""
    bookedAt: str
    """ISO 8601, UTC."""
    bookedBy: str | None
    """Who booked it, if that was not its requester."""
    apiKeyLabel: str | None
    """The label of the API key that made the request. Null: the key has none, or there was no key."""


class CancelledBookings(TypedDict):
    cancelled: int
    """The number of bookings that ended."""


class Registration(TypedDict):
    name: str
    """The name of the resource."""
    capacity: NotRequired[int | None]
    """The number of slots. Default 1."""
    blocks: NotRequired[Sequence[str] | None]
    """Resources that are acquired along with this one."""
    treePath: NotRequired[str | None]
    """The ancestors, from the root down."""
    group: NotRequired[bool | None]
    """Whether it only groups what is below it: a folder without slots. Absent, this stays as it is."""
    labels: NotRequired[Mapping[str, str]]
    """Describes the resource, as key and value. Absent, its labels stay as they are; {} removes them."""
    groups: NotRequired[bool | None]
    """Whether missing ancestors are registered as groups, instead of with capacity 1."""
    afterUse: NotRequired[Literal["ready", "dirty", None]]
    """The condition of its slots after a reservation. `dirty`: somebody must clean them first. Absent, this stays as it
    is; at first `ready`."""
    attributes: NotRequired[Mapping[str, str]]
    """What those who hold it need, such as its address. Stored in clear: no place for passwords. Absent, they stay as
    they are; {} removes them."""
    slotAttributes: NotRequired[Sequence[Mapping[str, str]]]
    """The attributes of each slot of a pool, in order. Absent, they stay as they are; [] removes them."""
    bookable: NotRequired[bool | None]
    """Whether its slots can be booked for a time ahead. Absent, this stays as it is; at first false. Set it once all
    instances of the service know it."""
    outOfService: NotRequired[object]
    """Ignored, so that a definition can be registered again as it is listed."""
    dirty: NotRequired[object]
    """Ignored, so that a definition can be registered again as it is listed."""


class Definition(TypedDict):
    name: str
    """The name of the resource."""
    capacity: int | None
    """The number of slots; null for a group."""
    blocks: Sequence[str]
    """Resources that are taken along with this one."""
    treePath: str | None
    """The ancestors, from the root down; null for a root."""
    group: NotRequired[bool]
    """True for a group; left out for others."""
    labels: NotRequired[Mapping[str, str]]
    """Its labels; left out if it has none."""
    afterUse: NotRequired[Literal["ready", "dirty"]]
    """The condition of its slots after a reservation; left out if that is `ready`."""
    attributes: NotRequired[Mapping[str, str]]
    """Its attributes; left out if it has none, or without the right `define`."""
    slotAttributes: NotRequired[Sequence[Mapping[str, str]]]
    """The attributes of its slots; left out as `attributes`."""
    bookable: NotRequired[bool]
    """True if its slots can be booked; left out for others."""
    outOfService: NotRequired[int]
    """The number of slots that are out of service; left out if none is."""
    dirty: NotRequired[int]
    """The number of slots that are dirty; left out if none is."""


class TreeNode(TypedDict):
    name: str
    """The name of the resource."""
    path: str
    """From the root down, its own name included."""
    capacity: int | None
    """The number of slots; null for a group."""
    available: int | None
    """Slots that are free and ready; null for a group."""
    waiting: int
    """The number of requests that wait for it."""
    group: NotRequired[Literal[True]]
    """True for a group; left out for others."""
    labels: NotRequired[Mapping[str, str]]
    """Its labels; left out if it has none."""
    outOfService: NotRequired[int]
    """The number of slots that are out of service; left out if none is."""
    dirty: NotRequired[int]
    """The number of slots that are dirty; left out if none is."""
    bookedFrom: NotRequired[str]
    """From when on it is booked: of a pool, the latest of its free slots. Left out: never."""
    children: Sequence[TreeNode]
    """The resources below it, of the same shape."""


class ConditionItem(TypedDict):
    resource: str
    """A slot, or a registered resource: of a pool, all its slots."""
    condition: Literal["ready", "dirty", "out"]
    """The condition that it gets."""
    reason: NotRequired[str]
    """Why, for people."""


class ConditionResult(TypedDict):
    resource: str
    """The resource of the item."""
    condition: Literal["ready", "dirty", "out"]
    """The condition of the item."""
    status: Literal["CHANGED", "UNCHANGED", "NOT_VALID"]
    """CHANGED: at least one slot had another condition."""
    explanation: str
    """The status again, or the status and a reason: for people."""


class Deleted(TypedDict):
    deleted: Sequence[str]
    """The names of the resources that were deleted."""


class Booked(TypedDict):
    requester: str
    """Whose booking it is."""
    start: str
    """When it begins."""
    end: str
    """When it ends."""


class Change(TypedDict):
    resource: str
    """The resource of the item."""
    requester: str
    """The requester of the item."""
    requestType: Literal["RESERVE", "UNRESERVE"]
    """What the item does."""
    explanation: str
    """The status that the item got."""
    actor: NotRequired[str]
    """Who released it: only with RELINQUISHED."""
    expiresAt: NotRequired[str | None]
    """End of the lease. null: the reservation has none."""
    acquiredSlots: NotRequired[Mapping[str, str] | None]
    """The slot that the reservation has of each pool."""
    slots: NotRequired[Sequence[str]]
    """Only if the reservation has several slots of a pool: all of them, in the order of their numbers."""
    mode: NotRequired[Literal["SHARED"]]
    """Only if the reservation is SHARED."""
    fencingToken: NotRequired[int | None]
    """The fencing token of the reservation."""
    note: NotRequired[str]
    """Only of a reservation whose request had a `note`."""


class Event(TypedDict):
    type: Literal[
        "RESERVED",
        "RENEWED",
        "UNRESERVED",
        "RESERVATION_EXPIRED",
        "RESERVE_FAILED",
        "UNRESERVE_FAILED",
        "TRANSACTION_APPLIED",
        "TRANSACTION_ROLLED_BACK",
        "WAITING",
        "WAIT_ENDED",
        "RESET",
        "CONDITION",
        "TIER_LIMIT_REACHED",
        "ENDS_SOON",
        "WANTED",
        "BOOKED",
        "BOOKING_CHANGED",
        "BOOKING_CANCELLED",
        "BOOKING_DELAYED",
    ]
    """What happened. It is the name of the event, too."""
    tenantId: str
    """The id of the tenant."""
    resource: str | None
    """The name that was reserved. Of failures and waits, the name that was asked for, or the text of a match. Of
    CONDITION, the slot. Null: the event is about no single resource."""
    requester: str | None
    """The requester of the item."""
    explanation: str | None
    """The status that the request got. Of CONDITION: `ready`, `dirty` or `out`."""
    resourceType: str | None
    """The tag of the reservation."""
    apiKeyLabel: str | None
    """The label of the API key that made the request. Null: the key has none, or there was no key."""
    actor: str | None
    """Who did it: UNRESERVED, RESET, CONDITION and bookings only. null: it happened by itself."""
    requestType: Literal[
        "RESERVE",
        "UNRESERVE",
        "RENEW",
        "TRANSACTION",
        "EXPIRE",
        "RESET",
        "WAIT",
        "SESSION",
        "READ",
        "CONNECT",
        "CONDITION",
        "BOOK",
        None,
    ]
    """The kind of request that caused it."""
    timestamp: str
    """The time of the change."""
    expiresAt: str | None
    """End of the lease. null: the reservation has none."""
    claimBy: NotRequired[str]
    """RESERVED only, of a grant that has to be claimed: until when."""
    acquiredSlots: Mapping[str, str] | None
    """The slot that the reservation has of each pool."""
    slots: NotRequired[Sequence[str]]
    """Only if the reservation has several slots of a pool: all of them, in the order of their numbers."""
    mode: NotRequired[Literal["SHARED"]]
    """Only if the reservation is SHARED."""
    fencingToken: int | None
    """The fencing token of the reservation."""
    note: NotRequired[str]
    """Only of a reservation whose request had a `note`."""
    waiting: NotRequired[int]
    """WANTED only: the number of tickets that wait for it."""
    booking: NotRequired[str]
    """Bookings only: its id."""
    start: NotRequired[str]
    """Bookings only: when it begins."""
    end: NotRequired[str]
    """Bookings only: when it ends."""
    reason: NotRequired[str | None]
    """CONDITION only: why. null: nobody said so."""
    booked: NotRequired[Sequence[Booked]]
    """CONDITION only, of a slot that is booked and goes out of service or comes back: the first of its bookings that
    have not begun."""
    method: Literal["ALL_OR_NONE", "AS_MANY_AS_POSSIBLE", "FIRST", None]
    """Transactions only."""
    changes: Sequence[Change] | None
    """Transactions only: the result of each of its requests, in order."""
    limitType: Literal[
        "OperationsPerMinute",
        "ReadsPerMinute",
        "OperationsPerDay",
        "ConcurrentReservations",
        "Bookings",
        "EventConnections",
        "ApiKeys",
        "Notices",
        "ResourceDefinitions",
        "StoredBytes",
        None,
    ]
    """TIER_LIMIT_REACHED only."""
    limit: int | None
    """TIER_LIMIT_REACHED only."""


class Failure(TypedDict):
    error: str
    """What is wrong, for people."""
    code: FailureCode
    upgradeRequired: NotRequired[Literal[True]]
    """Only with UPGRADE_REQUIRED: a higher tier has it."""


FailureCode = Literal[
    "MALFORMED_REQUEST",
    "UNKNOWN_FIELD",
    "INVALID_HOST",
    "REFUSED",
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "UPGRADE_REQUIRED",
    "INVALID_RELEASE_TOKEN",
    "PATH_NOT_FOUND",
    "NOT_REGISTERED",
    "NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "BODY_TIMEOUT",
    "BODY_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "LIMIT_REACHED",
    "IDEMPOTENCY_MISMATCH",
    "REQUEST_RUNNING",
    "RESPONSE_NOT_KEPT",
    "INTERNAL",
    "OVERLOADED",
    "UNAVAILABLE",
    "NOT_CONFIGURED",
]


class LimitReached(TypedDict):
    error: str
    """What is wrong, for people."""
    code: FailureCode
    tier: str | None
    """The tier of the tenant. Null: the limit depends on no tier."""
    limit: int
    """The limit that is reached."""
    retryAfter: int
    """Seconds to wait."""
    upgradeRequired: bool
    """True if a higher tier would have allowed the request."""
    limitType: str
    """Which limit is reached."""
