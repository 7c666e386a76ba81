"""A lease as its holder sees it: it may have ended at the service `ttl` after the request was sent.

The holder counts it as over a margin earlier. No I/O. Times are in seconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from math import inf

from ._clocks import CLOCKS, Clocks
from .errors import LeaseLost


def margin_of(ttl: float) -> float:
    """Returns by how much a lease counts as over before its end: for drift of the clocks, and the way to the work."""
    return min(max(ttl / 10, 0.05), 2.0)


class Lease:
    """`title` has the names of the reservations, for messages."""

    __slots__ = (
        "title", "clocks", "latest_end", "on_extended", "_ttl", "_monotonic", "_wall", "_is_finished", "_lost",
        "_failure", "_listeners", "_pid",
    )  # fmt: skip

    def __init__(self, title: str, clocks: Clocks = CLOCKS) -> None:
        self.title = title
        self.clocks = clocks
        self.latest_end = -inf
        """Monotonic clock: the service has certainly ended the lease by then."""
        self.on_extended: Callable[[], None] | None = None
        """Called each time it was granted or renewed."""
        self._ttl = inf
        # From this moment on, by either clock, the holder counts it as over.
        self._monotonic = inf
        self._wall = inf
        self._is_finished = False
        self._lost: LeaseLost | None = None
        self._failure: BaseException | None = None
        self._listeners: list[Callable[[], object]] = []
        self._pid = os.getpid()

    def extend(self, ttl: float, sent_at: float, offset: float) -> None:
        """The service granted or renewed the lease.

        `sent_at` is the monotonic clock when the request was sent, `offset` is `offset_of(clocks)` before it: if the
        machine slept until the response, it was less than now.
        """
        ahead = min(offset, self.clocks.wall() - self.clocks.monotonic())
        self._ttl = ttl
        self._failure = None
        self._monotonic = sent_at + ttl - margin_of(ttl)
        self._wall = self._monotonic + ahead
        self.may_last(ttl)
        if self.on_extended is not None:
            self.on_extended()

    def announce(self, ttl: float) -> None:
        """A renewal is about to be sent. It may shorten the lease, also if its response is lost."""
        usable = ttl - margin_of(ttl)
        self._monotonic = min(self._monotonic, self.clocks.monotonic() + usable)
        self._wall = min(self._wall, self.clocks.wall() + usable)

    def failed(self, error: BaseException) -> None:
        """A renewal has failed, and is repeated: the reason why the lease was lost, if it is not renewed in time."""
        self._failure = error

    def may_last(self, ttl: float) -> None:
        """A request that begins or renews the lease may be carried out until now: it may last `ttl` longer."""
        self.latest_end = max(self.latest_end, self.clocks.monotonic() + ttl)

    @property
    def ttl(self) -> float:
        return self._ttl

    @property
    def deadline(self) -> float:
        """Monotonic clock: the holder counts the lease as over from then on."""
        return self.clocks.monotonic() + self.remaining

    @property
    def end(self) -> float:
        """Monotonic clock: it has ended by then, unless a renewal whose response was lost was carried out."""
        return self.deadline + margin_of(self._ttl)

    @property
    def remaining(self) -> float:
        """Time until the deadline, by the clock that leaves less."""
        return min(self._monotonic - self.clocks.monotonic(), self._wall - self.clocks.wall())

    @property
    def renew_in(self) -> float:
        """Time until a third of the lease has passed. 0 or less: it has."""
        return inf if self._ttl == inf else self.remaining + margin_of(self._ttl) - self._ttl * 2 / 3

    @property
    def is_half_over(self) -> bool:
        return self._ttl != inf and self.remaining + margin_of(self._ttl) < self._ttl / 2

    @property
    def is_foreign(self) -> bool:
        """Whether this process is a fork of the one that holds it."""
        return os.getpid() != self._pid

    @property
    def lost(self) -> LeaseLost | None:
        """Why it counts as over, if it does. Looks at the clocks."""
        if self._lost is not None or self._is_finished:
            return self._lost
        if self.is_foreign:
            # Its listeners are in the event loop of the other process.
            self._lost = LeaseLost(f"The lease of {self.title} belongs to the process that this one was forked from")
        elif self.remaining <= 0:
            why = "" if self._failure is None else f": {self._failure}"
            error = LeaseLost(f"The lease of {self.title} was not renewed in time{why}")
            error.__cause__ = self._failure
            self.lose(error)
        return self._lost

    def lose(self, error: LeaseLost) -> None:
        """It has ended, or nobody can tell any more that it has not."""
        if self._is_finished or self._lost is not None:
            return
        self._lost = error
        for listener in self._listeners:
            listener()

    def when_lost(self, listener: Callable[[], object]) -> None:
        """Calls a function once it is lost: at once, if it is."""
        self._listeners.append(listener)
        if self._lost is not None:
            listener()

    def finish(self) -> None:
        """The holder gives it back: it is not watched any more, and stays as it is."""
        self._is_finished = True
        self._listeners.clear()
