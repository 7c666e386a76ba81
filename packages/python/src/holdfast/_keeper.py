"""Renews the leases of a client in the background, each time a third of one has passed, and tells when one is lost.

One round renews all that are due, and those that will be soon: so they travel in joined requests, and stay together.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf

import anyio

from ._clocks import Clocks, offset_of
from ._lease import Lease
from ._runtime import Flag, Runtime
from .errors import NotAvailable

_PAUSE_SHARE, _PAUSE = 1 / 20, 0.05
"""The pause after a failed renewal: a share of the time left, at least some seconds."""
_LOOK_EVERY = 1.0
"""A clock of the wall that was set forward is noticed within so many seconds."""
_JUMP = 0.2
_SOON = 1 / 6
"""The part of its lease by which a renewal may come early, to travel with others."""

Renew = Callable[[], Awaitable[object]]


class _Kept:
    """`due` is the monotonic clock of the next renewal; infinity while one is under way."""

    __slots__ = ("lease", "renew", "due")

    def __init__(self, lease: Lease, renew: Renew) -> None:
        self.lease = lease
        self.renew = renew
        self.due = inf


class Keeper:
    def __init__(self, runtime: Runtime, clocks: Clocks) -> None:
        self._runtime = runtime
        self._clocks = clocks
        self._kept: dict[Lease, _Kept] = {}
        self._watched: set[Lease] = set()
        self._is_running = False
        self._wakes_at = inf
        self._wake: Flag = runtime.flag()
        self._is_closed = False

    def keep(self, lease: Lease, renew: Renew) -> None:
        """Renews a lease from now on. If a renewal fails, it is repeated until the lease counts as over."""
        kept = _Kept(lease, renew)
        self._kept[lease] = kept

        # Also after a renewal by the holder, which may have changed the length.
        def plan() -> None:
            self._plan(kept, lease.renew_in)

        lease.on_extended = plan
        plan()

    def watch(self, lease: Lease) -> None:
        """Looks at a lease when its time is over, so that its listeners hear of it."""
        self._watched.add(lease)
        self._run_by(self._clocks.monotonic() + lease.remaining)

    def forget(self, lease: Lease) -> None:
        lease.on_extended = None
        self._kept.pop(lease, None)
        self._watched.discard(lease)

    def close(self) -> None:
        """Stops all renewals."""
        self._is_closed = True
        self._wake.set()

    def _plan(self, kept: _Kept, seconds: float) -> None:
        kept.due = self._clocks.monotonic() + max(0, seconds)
        self._run_by(kept.due)

    def _run_by(self, moment: float) -> None:
        if moment < self._wakes_at:
            self._wakes_at = moment
            self._wake.set()
        if not self._is_running and not self._is_closed:
            self._is_running = True
            self._runtime.spawn(self._run)

    async def _run(self) -> None:
        offset = offset_of(self._clocks)
        while (self._kept or self._watched) and not self._is_closed:
            now = self._clocks.monotonic()
            has_jumped = abs(offset_of(self._clocks) - offset) > _JUMP
            if has_jumped or self._wakes_at <= now:
                offset = offset_of(self._clocks)
                self._look(now, has_jumped)
            self._wake = self._runtime.flag()
            with anyio.move_on_after(min(_LOOK_EVERY, max(0, self._wakes_at - now))):
                await self._wake.wait()
        self._is_running = False
        self._wakes_at = inf

    def _look(self, now: float, has_jumped: bool) -> None:
        """Renews what is due, and finds what is lost."""
        self._wakes_at = inf
        for lease in [lease for lease in self._watched if lease.lost is not None]:
            self._watched.discard(lease)
        for lease in self._watched:
            self._wakes_at = min(self._wakes_at, now + max(lease.remaining, 0.001))
        if has_jumped:
            for kept in self._kept.values():
                kept.due = min(kept.due, now + max(0, kept.lease.renew_in))
        if any(kept.due <= now for kept in self._kept.values()):
            for kept in list(self._kept.values()):
                if kept.due - now <= kept.lease.ttl * _SOON:
                    self._begin(kept)
        for kept in self._kept.values():
            self._wakes_at = min(self._wakes_at, kept.due)

    def _begin(self, kept: _Kept) -> None:
        lease = kept.lease
        kept.due = inf
        if lease.lost is not None:
            self._kept.pop(lease, None)
            return

        async def renew() -> None:
            try:
                await kept.renew()
            except NotAvailable as error:
                # A booking begins within seconds: the lease ends before.
                lease.failed(error)
            except Exception as error:
                lease.failed(error)
                if lease in self._kept and lease.lost is None:
                    self._plan(kept, max(_PAUSE, lease.remaining * _PAUSE_SHARE))

        self._runtime.spawn(renew)
