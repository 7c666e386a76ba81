"""The calls of the client for threads that take nothing, and the thread that carries them out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _bookings as bookings
from ._client import Client
from ._options import Condition, Names, definitions_of, names_of
from ._sync_holds import Hold
from .errors import HoldfastError

if TYPE_CHECKING:
    from ._background import Undo
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

T = TypeVar("T")
C = TypeVar("C", bound="Calls")
_creating = threading.Lock()


def _forked() -> None:
    """Another thread of the parent may have held it."""
    global _creating
    _creating = threading.Lock()


os.register_at_fork(after_in_child=_forked)
_abandoned: list[object] = []
"""The engines of the parent, in a forked child: their destructors must not close what the parent uses."""


class _Engine:
    """The thread and the calls of one process. A forked child makes its own."""

    def __init__(self, client: Calls) -> None:
        from ._background import Background, call_in_thread
        from ._core import Core

        self.pid = os.getpid()
        self.background = Background()
        self.core: Core[Hold] | None = None

        async def prepared() -> Core[Hold]:
            core: Core[Hold] = self.core or Core(
                client._settings, lambda origin, results: Hold(client, origin, results), call_in_thread, None
            )
            self.core = core
            if core.requesters is None:
                await core.prepare()
            return core

        self.prepared = prepared

    async def close(self) -> None:
        if self.core is not None:
            await self.core.close()


class Calls(Client):
    _engine: _Engine | None = None

    @property
    def requester(self) -> str:
        """Who this client is: unique to this object and process, unless you chose a requester.

        In a CI job without a key, the service says so: this asks it once.
        """

        async def base(core: Core[Hold]) -> str:
            return core.known.base

        return self._call(base)

    @overload
    def check(self, resources: str, *, requester: str | None = None) -> CheckResult: ...
    @overload
    def check(self, resources: Names, *, requester: str | None = None) -> list[CheckResult]: ...
    def check(
        self, resources: str | Names, *, requester: str | None = None
    ) -> CheckResult | list[CheckResult]:
        """Says who holds a resource, or several, and whether they could be reserved, by `requester` if it is given."""
        results: list[CheckResult] = self._call(lambda core: core.check(names_of(resources), requester))
        return results[0] if isinstance(resources, str) else results

    def available(self, resource: str) -> bool:
        """Returns whether a slot of it is free."""
        return not self.check(resource)["reserved"]

    def cancel(self, resource: str, *, requester: str | None = None) -> bool:
        """Ends the waits for a resource: of a requester, or of this client. Returns whether there was one.

        Waits of this client end with NotAvailable. If one was granted in that moment, the grant is released.
        """
        return self._call(lambda core: core.cancel(resource, requester))

    def active(self, *, resource: str | None = None, requester: str | None = None) -> list[ActiveReservation]:
        """Lists reservations. `resource` is as it was requested."""
        path = "/Reservation/activeReservations"
        return self._call(lambda core: core.rows(path, resource=resource, requester=requester))

    def waiting(self, *, resource: str | None = None, requester: str | None = None) -> list[WaitingRequest]:
        """Lists who waits, in the order of the queue."""
        return self._call(lambda core: core.rows("/Reservation/waiting", resource=resource, requester=requester))

    def book(
        self, resource: str, *, start: datetime, end: datetime, requester: str | None = None, note: str | None = None
    ) -> BookedSlot:
        """Books a slot from `start` to `end`, cut to whole seconds: for a requester, or for this client.

        Returns what was booked: `booking` names it, `slot` is the slot. Raises HoldfastError CONFLICT or NOT_VALID.
        """
        booked: list[BookedSlot] = self._call(lambda core: bookings.book_all(core, [resource], start, end, requester, note))
        return booked[0]

    def book_all(
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
        return self._call(lambda core: bookings.book_all(core, names, start, end, requester, note, repeat, skip_conflicts))

    def bookings(
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
        return self._call(lambda core: bookings.list_bookings(core, resource, requester, from_, to))

    def change_booking(
        self, booking: str, *, start: datetime | None = None, end: datetime | None = None, note: str | None = None
    ) -> Booking:
        """Changes a booking that has not begun: what is not None. Returns it.

        Raises HoldfastError CONFLICT or NOT_VALID: it is as it was then.
        """
        changed: Booking = self._call(lambda core: bookings.change_booking(core, booking, start, end, note))
        return changed

    def cancel_booking(self, booking: str) -> bool:
        """Cancels a booking. One that is running is released. Returns whether there was one."""
        return self._call(lambda core: bookings.cancel_booking(core, booking))

    def cancel_series(self, series: str, *, from_: datetime | None = None) -> int:
        """Cancels the bookings of a series; with `from_`, those that start then or later.

        One that is running is released. Returns how many.
        """
        return self._call(lambda core: bookings.cancel_series(core, series, from_))

    def sessions(self) -> list[SessionInfo]:
        """Lists sessions."""
        return self._call(lambda core: core.rows("/Session"))

    def register(self, definitions: Registration | Sequence[Registration]) -> list[Definition]:
        """Registers pools, blockers, trees and labels: all of them or none. Returns them as stored."""
        return self._call(lambda core: core.register(definitions_of(definitions)))

    def definitions(self, *, label: str | None = None) -> list[Definition]:
        """Lists definitions. `label`: `os=android`."""
        return self._call(lambda core: core.rows("/Resource/definitions", label=label))

    def tree(self) -> list[TreeNode]:
        """The tree of all definitions, with free slots and waits."""
        return self._call(lambda core: core.rows("/Resource/tree"))

    def set_condition(
        self, resources: str | Sequence[str], condition: Condition, *, reason: str | None = None
    ) -> list[ConditionResult]:
        """Sets the condition of slots; of a pool, of all its slots. Look at `status` of each: it may be `NOT_VALID`."""
        return self._call(lambda core: core.set_condition(names_of(resources), condition, reason))

    def unregister(self, name: str, *, cascade: bool = False) -> list[str]:
        """Deletes a definition; with `cascade`, those below it too. Returns the names that were deleted.

        Raises HoldfastError NOT_REGISTERED, REFUSED if it is held or others are below it.
        """
        return self._call(lambda core: core.unregister(name, cascade))

    def reset(self) -> int:
        """Ends all reservations and waits of the tenant. Definitions stay. Returns how many reservations it ended."""
        return self._call(lambda core: core.reset())

    def close(self) -> None:
        """Stops renewing, and closes all connections. Releases nothing. A later call connects again.

        Calls of other threads end with HoldfastError CANCELLED.
        """
        engine, self._engine = self._engine, None
        if engine is not None and engine.pid == os.getpid():
            engine.background.close(engine.close)

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(
        self,
        act: Callable[[Core[Hold]], Coroutine[Any, Any, T]],
        *,
        cancel: threading.Event | None = None,
        undo: Undo | None = None,
        can_end: bool = True,
    ) -> T:
        engine = self._engine
        if engine is None or engine.pid != os.getpid():
            engine = self._started()
        prepared = engine.prepared

        async def work() -> T:
            return await act(await prepared())

        return engine.background.call(work, cancel=cancel, undo=undo, can_end=can_end)

    def _started(self) -> _Engine:
        with _creating:
            if self._engine is not None and self._engine.pid == os.getpid():
                return self._engine
            if self._engine is not None:
                _abandoned.append(self._engine)
            self._engine = _Engine(self)
            return self._engine

    def _watch(self, hold: Hold, event: threading.Event) -> None:
        """Sets an event once a hold is lost."""

        async def watch(core: Core[Hold]) -> None:
            core.keeper.watch(hold._origin.lease)
            hold._origin.lease.when_lost(event.set)

        self._call(watch)
