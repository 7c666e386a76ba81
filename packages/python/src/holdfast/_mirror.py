"""A live copy of all reservations.

It opens a stream of events, reads all reservations, and applies the events that came meanwhile and that come from then
on. When the stream was lost, it does so again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import anyio

from ._api import Api
from ._mirrored import MirroredReservation, Reservations
from ._plan import Json
from ._runtime import Flag, Running
from ._stream import stream
from .errors import invalid

if TYPE_CHECKING:
    from .types import WaitingRequest

OnChange = Callable[[str, Sequence[MirroredReservation]], object]
OnConnection = Callable[[bool], object]

_MAX_EARLY = 20_000
"""Events that are kept while the reservations are read. If there are more, reading begins anew, without them."""
_READ_EVERY = 1.0
"""The queue is read again after each event that has changed it, at most once in so many seconds."""
_CHANGES = frozenset(("WAITING", "WAIT_ENDED", "RESET"))


class BaseMirror:
    """Opened by `mirror()`."""

    def __init__(
        self,
        api: Api,
        call_user: Callable[..., Awaitable[Any]],
        on_change: OnChange | None,
        on_connection: OnConnection | None,
        waiting: bool,
    ) -> None:
        self._api = api
        self._call_user = call_user
        self._on_change = on_change
        self._on_connection = on_connection
        self._has_waiting = waiting
        self._listeners: list[Callable[[], object]] = []
        self._held = Reservations()
        # The events that have come since the reservations were asked for; None once they are there.
        self._early: list[Json] | None = []
        self._waiting: Sequence[Any] = ()
        self._is_stale: Flag = api.runtime.flag()
        self._loading: Running[None] | None = None
        self._ready: Flag = api.runtime.flag()
        self._was_connected = True
        self._running = Running(api.runtime, self._run)

    @property
    def connected(self) -> bool:
        """Whether it follows the service. False after a lost connection, until everything has been read again."""
        return self._early is None

    @property
    def waiting(self) -> Sequence[WaitingRequest]:
        """Who waits, in the order of the queue: the same list until it changes."""
        if self._has_waiting:
            return self._waiting
        raise invalid("waiting: open the mirror with waiting=True")

    def __len__(self) -> int:
        """The number of resources that are held."""
        return len(self._held)

    def get(self, resource: str) -> Sequence[MirroredReservation]:
        """Returns the reservations of a resource, as it was reserved: the same tuple until they change."""
        return self._held.get(resource)

    def entries(self) -> Iterator[tuple[str, Sequence[MirroredReservation]]]:
        """Iterates over all names that are held, with their reservations."""
        return ((name, self.get(name)) for name in self._held.resources())

    def subscribe(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Calls a function after each change of what the mirror has. Returns a function that ends this."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def _open(self) -> None:
        """Waits until everything that is held is in it. Raises HoldfastError."""
        ended = Running(self._api.runtime, self._when_ended)
        try:
            await self._ready.wait()
        except BaseException:
            self._running.cancel()
            raise
        finally:
            ended.cancel()
        if self._running.is_done:
            await self._running.result()

    async def _when_ended(self) -> None:
        await self._running.ended()
        self._ready.set()

    async def _close(self) -> None:
        self._running.cancel()
        await self._running.ended()

    async def _closed(self) -> None:
        """Waits until it has ended. Raises HoldfastError if the service refuses the key; what a function raises."""
        await self._running.ended()
        if self._running.error is not None:
            raise self._running.error

    async def _run(self) -> None:
        events = stream(self._api)
        reader: Running[None] | None = None
        try:
            if self._has_waiting:
                reader = Running(self._api.runtime, self._read_waiting)
            async for event in events:
                if event["type"] == "CONNECTED":
                    self._load()
                elif event["type"] == "DISCONNECTED":
                    await self._disconnected()
                elif self._early is None:
                    await self._apply(event)
                else:
                    self._early.append(event)
                    if len(self._early) > _MAX_EARLY:
                        self._load()
        finally:
            for background in (reader, self._loading):
                if background is not None:
                    background.cancel()
            with anyio.CancelScope(shield=True):
                await events.aclose()
                await self._disconnected()

    def _load(self) -> None:
        """Reads everything that is held. What came before this begins need not be applied."""
        self._forget_early()
        self._loading = Running(self._api.runtime, self._or_fail(self._read))

    def _or_fail(self, act: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Does something in the background. If it fails, so does the mirror."""

        async def work() -> None:
            try:
                await act()
            except Exception as error:
                self._running.fail(error)

        return work

    async def _read(self) -> None:
        early = self._early = []
        rows = await self._api.request("GET", "/Reservation/activeReservations", deadline=inf)
        if self._has_waiting:
            await self._read_queue()
        before, self._held = self._held, Reservations(rows.result)
        for event in early:
            self._held.apply(event)
        self._early = None
        changed = self._held.replace(before)
        was_ready = self._ready.is_set()
        self._ready.set()
        if was_ready:
            await self._tell(changed)
        await self._connection()

    async def _apply(self, event: Json) -> None:
        if event["type"] in _CHANGES:
            self._is_stale.set()
        await self._tell(self._held.apply(event))

    async def _read_waiting(self) -> None:
        async def follow() -> None:
            while True:
                await self._is_stale.wait()
                self._is_stale = self._api.runtime.flag()
                if self.connected and await self._read_queue():
                    await self._notify()
                await anyio.sleep(_READ_EVERY)

        await self._or_fail(follow)()

    async def _read_queue(self) -> bool:
        """Returns whether it has changed."""
        rows = (await self._api.request("GET", "/Reservation/waiting", deadline=inf)).result
        if rows == self._waiting:
            return False
        self._waiting = rows
        return True

    async def _disconnected(self) -> None:
        self._forget_early()
        await self._connection()

    def _forget_early(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
        self._early = []

    async def _connection(self) -> None:
        """Tells if the connection has changed."""
        if not self._ready.is_set() or self.connected == self._was_connected:
            return
        self._was_connected = self.connected
        if self._on_connection is not None:
            await self._call_user(self._on_connection, self.connected)
        await self._notify()

    async def _tell(self, resources: Sequence[str]) -> None:
        if self._on_change is not None:
            for resource in resources:
                await self._call_user(self._on_change, resource, self.get(resource))
        if resources:
            await self._notify()

    async def _notify(self) -> None:
        for listener in list(self._listeners):
            await self._call_user(listener)
