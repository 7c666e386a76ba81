"""Reservations, kept up to date by events. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ._plan import Json


class MirroredReservation(NamedTuple):
    """A reservation in a mirror: the fields of `activeReservations` that events carry."""

    resource: str
    """As it was reserved."""
    requester: str
    reserved_at: str
    expires_at: str | None
    """When the lease ends. None: never."""
    acquired_slots: dict[str, str] | None
    """The slot that it has of each pool."""
    fencing_token: int
    slots: Sequence[str] | None
    """Its slots of the pool, if it has several."""
    mode: str
    note: str | None


class Reservations:
    """`rows` are those of `activeReservations`."""

    def __init__(self, rows: Sequence[Json] = ()) -> None:
        # Resource as requested → requester → reservation. A requester has at most one of a resource.
        self._by_resource: dict[str, dict[str, MirroredReservation]] = {}
        # The last results of `get`, which it returns again until they change.
        self._tuples: dict[str, tuple[MirroredReservation, ...]] = {}
        for row in rows:
            self._set(_mirrored(row, row["reservedAt"]))

    def __len__(self) -> int:
        return len(self._by_resource)

    def get(self, resource: str) -> tuple[MirroredReservation, ...]:
        """Returns the same tuple until it changes."""
        own = self._by_resource.get(resource)
        if own is None:
            return ()
        if resource not in self._tuples:
            self._tuples[resource] = tuple(own.values())
        return self._tuples[resource]

    def resources(self) -> list[str]:
        return list(self._by_resource)

    def apply(self, event: Json) -> list[str]:
        """Returns the resources whose reservations have changed.

        Events that came before the rows were read may be applied, too: the last ones decide.
        """
        kind, resource, requester = event["type"], event.get("resource"), event.get("requester")
        if kind == "RESET":
            names = self.resources()
            self._by_resource.clear()
            self._tuples.clear()
            return names
        if kind == "TRANSACTION_APPLIED":
            changes = event.get("changes") or []
            return [name for change in changes for name in self._change(change, event["timestamp"])]
        if resource is None or requester is None:
            return []
        if kind == "RESERVED":
            return self._set(_mirrored(event, event["timestamp"]))
        if kind == "UNRESERVED":
            return self._delete(resource, requester)
        known = self._by_resource.get(resource, {}).get(requester)
        # Otherwise the event is older than the rows.
        if kind != "RENEWED" or known is None or known.fencing_token != event.get("fencingToken"):
            return []
        return self._set(known._replace(expires_at=event.get("expiresAt")))

    def replace(self, before: Reservations) -> list[str]:
        """Replaces all that was known before. Returns the resources whose reservations have changed."""
        names = dict.fromkeys([*self._by_resource, *before._by_resource])
        changed = [name for name in names if self._state_of(name) != before._state_of(name)]
        for name in names.keys() - set(changed):
            self._tuples[name] = before.get(name)
        return changed

    def _state_of(self, resource: str) -> Any:
        """A fencing token stands for a reservation, and only the end of its lease ever changes."""
        return sorted((one.fencing_token, one.expires_at or "") for one in self.get(resource))

    def _change(self, change: Json, timestamp: str) -> list[str]:
        if change["explanation"] == "ACQUIRED":
            return self._set(_mirrored(change, timestamp))
        if change["explanation"] != "RELINQUISHED":
            return []
        return self._delete(self._name_of(change["resource"], change["requester"]), change["requester"])

    def _name_of(self, released: str, requester: str) -> str:
        """Returns the name of a reservation that was released by another name: a slot, or a path."""
        if requester in self._by_resource.get(released, {}):
            return released
        slot = released.split(">")[-1]
        for resource, own in self._by_resource.items():
            one, last = own.get(requester), resource.split(">")[-1]
            if one is not None and slot in (last, (one.acquired_slots or {}).get(last), *(one.slots or ())):
                return resource
        return released

    def _set(self, reservation: MirroredReservation) -> list[str]:
        name = reservation.resource
        self._by_resource.setdefault(name, {})[reservation.requester] = reservation
        self._tuples.pop(name, None)
        return [name]

    def _delete(self, resource: str, requester: str) -> list[str]:
        own = self._by_resource.get(resource, {})
        if own.pop(requester, None) is None:
            return []
        if not own:
            del self._by_resource[resource]
        self._tuples.pop(resource, None)
        return [resource]


def _mirrored(row: Json, reserved_at: str) -> MirroredReservation:
    """Takes the same fields from a row, an event and a change of a transaction."""
    return MirroredReservation(
        resource=row["resource"],
        requester=row["requester"],
        reserved_at=reserved_at,
        expires_at=row.get("expiresAt"),
        acquired_slots=row.get("acquiredSlots"),
        fencing_token=row.get("fencingToken") or 0,
        slots=row.get("slots"),
        mode=row.get("mode") or "EXCLUSIVE",
        note=row.get("note"),
    )
