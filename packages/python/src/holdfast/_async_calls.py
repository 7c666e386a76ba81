"""The calls of the client for tasks that take nothing, and its connections."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar, overload

from ._async_holds import AsyncHold
from . import _bookings as bookings
from ._client import Client
from ._options import Condition, Names, definitions_of, names_of

if TYPE_CHECKING:
    from ._core import Core
    from .types import (
        ActiveReservation,
        BookedItem,
        BookedSlot,
        Booking,
        CheckResult,
        ConditionResult,
        Definition,
        Registration,
        Repeat,
        SessionInfo,
        TreeNode,
        WaitingRequest,
    )

C = TypeVar("C", bound="AsyncCalls")
_abandoned: list[object] = []
"""The connections of the parent, in a forked child: their destructors must not close what the parent uses."""


class AsyncCalls(Client):
    _core: Core[AsyncHold] | None = None

    async def requester(self) -> str:
        """Who this client is: unique to this object and process, unless you chose a requester.

        In a CI job without a key, the service says so: this asks it once.
        """
        return (await self._prepared()).known.base

    @overload
    async def check(self, resources: str, *, requester: str | None = None) -> CheckResult: ...
    @overload
    async def check(self, resources: Names, *, requester: str | None = None) -> list[CheckResult]: ...
    async def check(
        self, resources: str | Names, *, requester: str | None = None
    ) -> CheckResult | list[CheckResult]:
        """Says who holds a resource, or several, and whether they could be reserved, by `requester` if it is given."""
        results: list[CheckResult] = await (await self._prepared()).check(names_of(resources), requester)
        return results[0] if isinstance(resources, str) else results

    async def available(self, resource: str) -> bool:
        """Returns whether a slot of it is free."""
        return not (await self.check(resource))["reserved"]

    async def cancel(self, resource: str, *, requester: str | None = None) -> bool:
        """Ends the waits for a resource: of a requester, or of this client. Returns whether there was one.

        Waits of this client end with NotAvailable. If one was granted in that moment, the grant is released.
        """
        return await (await self._prepared()).cancel(resource, requester)

    async def active(self, *, resource: str | None = None, requester: str | None = None) -> list[ActiveReservation]:
        """Lists reservations. `resource` is as it was requested."""
        path = "/Reservation/activeReservations"
        return await (await self._prepared()).rows(path, resource=resource, requester=requester)

    async def waiting(self, *, resource: str | None = None, requester: str | None = None) -> list[WaitingRequest]:
        """Lists who waits, in the order of the queue."""
        return await (await self._prepared()).rows("/Reservation/waiting", resource=resource, requester=requester)

    async def book(
        self, resource: str, *, start: datetime, end: datetime, requester: str | None = None, note: str | None = None
    ) -> BookedSlot:
        """Books a slot from `start` to `end`, cut to whole seconds: for a requester, or for this client.

        Returns what was booked: `booking` names it, `slot` is the slot. Raises HoldfastError CONFLICT or NOT_VALID.
        """
        booked: list[BookedSlot] = await bookings.book_all(await self._prepared(), [resource], start, end, requester, note)
        return booked[0]

    async def book_all(
        self,
        resources: str | Sequence[str],
        *,
        start: datetime,
        end: datetime,
        requester: str | None = None,
        note: str | None = None,
        repeat: Repeat | None = None,
        skip_conflicts: bool = False,
    ) -> list[BookedItem]:
        """Books a slot of each resource as `book` does; with `repeat`, a series. All of them or none.

        With `skip_conflicts`, those that conflict are left out: look at `status` of each result. Returns a result for
        each booking, and for each occurrence of a series: `series` names it. Raises as `book`, if none was booked.
        """
        names = names_of(resources)
        return await bookings.book_all(await self._prepared(), names, start, end, requester, note, repeat, skip_conflicts)

    async def bookings(
        self,
        *,
        resource: str | None = None,
        requester: str | None = None,
        from_: datetime | None = None,
        to: datetime | None = None,
    ) -> list[Booking]:
        """Lists bookings that are running or have not begun, in the order of their starts.

        `from_` and `to`: only those that have some of their time between the two.
        """
        return await bookings.list_bookings(await self._prepared(), resource, requester, from_, to)

    async def change_booking(
        self, booking: str, *, start: datetime | None = None, end: datetime | None = None, note: str | None = None
    ) -> Booking:
        """Changes a booking that has not begun: what is not None. Returns it.

        Raises HoldfastError CONFLICT or NOT_VALID: it is as it was then.
        """
        changed: Booking = await bookings.change_booking(await self._prepared(), booking, start, end, note)
        return changed

    async def cancel_booking(self, booking: str) -> bool:
        """Cancels a booking. One that is running is released. Returns whether there was one."""
        return await bookings.cancel_booking(await self._prepared(), booking)

    async def cancel_series(self, series: str, *, from_: datetime | None = None) -> int:
        """Cancels the bookings of a series; with `from_`, those that start then or later.

        One that is running is released. Returns how many.
        """
        return await bookings.cancel_series(await self._prepared(), series, from_)

    async def sessions(self) -> list[SessionInfo]:
        """Lists sessions."""
        return await (await self._prepared()).rows("/Session")

    async def register(self, definitions: Registration | Sequence[Registration]) -> list[Definition]:
        """Registers pools, blockers, trees and labels: all of them or none. Returns them as stored."""
        return await (await self._prepared()).register(definitions_of(definitions))

    async def definitions(self, *, label: str | None = None) -> list[Definition]:
        """Lists definitions. `label`: `os=android`."""
        return await (await self._prepared()).rows("/Resource/definitions", label=label)

    async def tree(self) -> list[TreeNode]:
        """The tree of all definitions, with free slots and waits."""
        return await (await self._prepared()).rows("/Resource/tree")

    async def set_condition(
        self, resources: str | Sequence[str], condition: Condition, *, reason: str | None = None
    ) -> list[ConditionResult]:
        """Sets the condition of slots; of a pool, of all its slots. Look at `status` of each: it may be `NOT_VALID`."""
        return await (await self._prepared()).set_condition(names_of(resources), condition, reason)

    async def unregister(self, name: str, *, cascade: bool = False) -> list[str]:
        """Deletes a definition; with `cascade`, those below it too. Returns the names that were deleted.

        Raises HoldfastError NOT_REGISTERED, REFUSED if it is held or others are below it.
        """
        return await (await self._prepared()).unregister(name, cascade)

    async def reset(self) -> int:
        """Ends all reservations and waits of the tenant. Definitions stay. Returns how many reservations it ended."""
        return await (await self._prepared()).reset()

    async def aclose(self) -> None:
        """Stops renewing, and closes all connections. Releases nothing. A later call connects again."""
        core, self._core = self._core, None
        if core is not None and core.pid == os.getpid() and core.runtime.is_current():
            await core.close()

    async def __aenter__(self: C) -> C:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _prepared(self) -> Core[AsyncHold]:
        """Returns the calls of this process and event loop."""
        core = self._core
        if core is None or core.pid != os.getpid() or not core.runtime.is_current():
            from ._core import Core, call_here

            # Another event loop has other connections, and is the same requester. A forked child is another one.
            is_same = core is not None and core.pid == os.getpid() and self._settings.env is None
            if core is not None and core.pid != os.getpid():
                _abandoned.append(core)
            requesters = core.requesters if core is not None and is_same else None
            core = self._core = Core(self._settings, AsyncHold, call_here, requesters)
        if core.requesters is None:
            await core.prepare()
        return core
