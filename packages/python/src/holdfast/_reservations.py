"""The reservations of a hold, as their results have them. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ._plan import Json


class ReservationKey(NamedTuple):
    """The fields that renew and release a reservation, which another process may have made."""

    resource: str
    requester: str
    release_token: str

    def __repr__(self) -> str:
        return f"ReservationKey(resource={self.resource!r}, requester={self.requester!r})"


class Reservation(NamedTuple):
    """One reservation of a hold."""

    resource: str
    requester: str
    release_token: str
    fencing_token: int
    """Higher than that of every earlier reservation. Pass it to whatever the resource protects."""
    slots: Sequence[str]
    """Its slots of a pool; otherwise its own name."""
    acquired_slots: Mapping[str, str] | None
    """The slot that it has of its resource and of each ancestor, if they are pools."""
    acquired_blockers: Sequence[str]
    """The slots of blockers that the service holds for it."""
    reserved_at_path: str | None
    """Its path in the tree, if it has ancestors."""
    mode: str
    attributes: Mapping[str, str]
    """The attributes of the resource and, unless it has several slots, of its slot."""
    slot_attributes: Sequence[Mapping[str, str]]
    """If it has several slots: the attributes of each of `slots`."""
    expires_at: datetime | None
    """When the lease ends, by the clock of the service. None: it never ends by itself."""

    def __repr__(self) -> str:
        return f"Reservation(resource={self.resource!r}, requester={self.requester!r}, slots={self.slots!r})"


def reservation_of(result: Json) -> Reservation:
    name, path, acquired = result["resource"], result.get("reservedAtPath"), result.get("acquiredSlots")
    slot = (acquired or {}).get(path.split(">")[-1] if path else name, name)
    return Reservation(
        resource=name,
        requester=result["requester"],
        release_token=result["releaseToken"] or "",
        fencing_token=result.get("fencingToken") or 0,
        slots=result.get("slots") or [slot],
        acquired_slots=acquired,
        acquired_blockers=result.get("acquiredBlockers") or [],
        reserved_at_path=path,
        mode=result.get("mode", "EXCLUSIVE"),
        attributes=result.get("attributes") or {},
        slot_attributes=result.get("slotAttributes") or [],
        expires_at=time_of(result.get("expiresAt")),
    )


def lease_of(results: Sequence[Json], ttl: float) -> float:
    """Returns the lease that results have, of which `ttl` was asked, in seconds: bookings may have cut it."""
    return min([ttl, *(float(result["ttlSeconds"]) for result in results if "ttlSeconds" in result)])


def time_of(text: str | None) -> datetime | None:
    """Returns the time that the service writes as text."""
    return None if text is None else datetime.fromisoformat(text)
