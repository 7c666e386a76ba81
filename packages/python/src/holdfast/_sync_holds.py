"""Holds and sessions of the client for threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from ._durations import Duration
from ._hold import BaseHold, Origin
from ._options import Condition, Mode, OnWaiting, Wanted
from ._plan import Json, Match, Plan, Target, plan_of
from ._session import BaseSession, LiveSession
from ._use import raise_for

if TYPE_CHECKING:
    from ._core import Core
    from ._sync_calls import Calls


class Lost:
    """An event that is set once a lease is lost."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._event: threading.Event | None = None

    def is_set(self) -> bool:
        """Looks at the clocks."""
        return self._hold._origin.lease.lost is not None

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it is set, for at most `timeout` seconds. Returns whether it is."""
        # Nobody else looks at the lease in a forked child.
        if self.is_set():
            return True
        if self._event is None:
            self._event = threading.Event()
            self._hold._client._watch(self._hold, self._event)
        self._event.wait(timeout)
        return self.is_set()


class Hold(BaseHold):
    """A hold. `with client.reserve(…) as hold` releases it at the end of the block."""

    __slots__ = ("_client", "_lost")

    def __init__(self, client: Calls, origin: Origin, results: Sequence[Json]) -> None:
        super().__init__(origin, results)
        self._client = client
        self._lost: Lost | None = None

    @property
    def lost(self) -> Lost:
        """Is set once the lease has ended, or may end within its margin."""
        if self._lost is None:
            self._lost = Lost(self)
        return self._lost

    def renew(self, ttl: Duration | None = None) -> None:
        """Renews the lease: it then ends `ttl` from now; without `ttl`, the last one again.

        A booking of somebody else may end it before: `fixed_end`. Raises LeaseLost; NotAvailable if that begins within
        seconds; HoldfastError NOT_RESERVED after a release, INVALID_OPTION in a session.
        """
        self._client._call(lambda core: self._by(core)._renew(ttl))

    def release(self, condition: Condition | None = None, reason: str | None = None) -> bool:
        """Releases all of it. If the service cannot be reached, it tries until the lease has ended by itself.

        `condition` is that of its slots from now on. Within `using`, release it so as the last step of the work.
        Returns whether it was held until now. Raises HoldfastError if the service refuses it.
        """
        if self._origin.lease.is_foreign:
            return False
        return self._client._call(lambda core: self._by(core)._release(condition, reason), can_end=False)

    def leave(self) -> bool:
        """Ends the work: releases it, but for what is booked. That stays its requester's until the booking ends.

        Returns whether it was held until now. Raises as `release`.
        """
        if self._origin.lease.is_foreign:
            return False
        return self._client._call(lambda core: self._by(core)._leave(), can_end=False)

    def _by(self, core: Core[Hold]) -> Hold:
        """After `close`, the client has other connections."""
        self._origin.api, self._origin.keeper = core.api, core.keeper
        return self

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()


class Using(AbstractContextManager[Hold]):
    def __init__(self, client: Calls, plan: Plan, cancel: threading.Event | None) -> None:
        self._client = client
        self._plan = plan
        self._cancel = cancel
        self._hold: Hold | None = None

    def __enter__(self) -> Hold:
        plan = self._plan
        self._hold = self._client._call(lambda core: core.use(plan), cancel=self._cancel, undo=release_unwanted)
        return self._hold

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        hold = self._hold
        if hold is None:
            return
        lost = hold._origin.lease.lost
        try:
            was_held = hold.leave()
        except Exception:
            # The error of the work tells more.
            if error is None and lost is None:
                raise
            was_held = True
        raise_for(hold, lost, was_held, error)


class Session(BaseSession, AbstractContextManager["Session"]):
    """Many reservations of one requester that end together, kept by one heartbeat. It renews itself until it ends."""

    def __init__(self, client: Calls, live: LiveSession) -> None:
        super().__init__(live)
        self._client = client

    def reserve(
        self,
        target: Target | None = None,
        *,
        match: Match | None = None,
        quantity: int | None = None,
        count: int | None = None,
        wait: Duration | None = None,
        priority: int = 0,
        mode: Mode | None = None,
        condition: Wanted | None = None,
        note: str | None = None,
        cancel: threading.Event | None = None,
        on_waiting: OnWaiting | None = None,
    ) -> Hold:
        """Reserves in this session. Its holds last as long as it does, and can be released one by one.

        Raises HoldfastError ALREADY_HAD if the session holds it; LeaseLost if it has ended; as `client.reserve`.
        """
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, wait=wait, priority=priority, mode=mode,
            condition=condition, note=note, on_waiting=on_waiting, session=self._live.id,
        )  # fmt: skip
        owner = self._live.owner
        return self._client._call(lambda core: core.reserver.take(plan, owner), cancel=cancel, undo=release_unwanted)

    def try_reserve(
        self,
        target: Target | None = None,
        *,
        match: Match | None = None,
        quantity: int | None = None,
        count: int | None = None,
        wait: Duration | None = None,
        priority: int = 0,
        mode: Mode | None = None,
        condition: Wanted | None = None,
        note: str | None = None,
        cancel: threading.Event | None = None,
        on_waiting: OnWaiting | None = None,
    ) -> Hold | None:
        """As `reserve`; None if somebody else has it."""
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, wait=wait, priority=priority, mode=mode,
            condition=condition, note=note, on_waiting=on_waiting, session=self._live.id,
        )  # fmt: skip
        owner = self._live.owner
        call = self._client._call
        return call(lambda core: core.reserver.try_take(plan, owner), cancel=cancel, undo=release_unwanted)

    def end(self) -> int:
        """Ends it, and all its reservations. Returns how many; 0 if they ended by themselves."""
        if self._live.lease.is_foreign:
            return 0
        return self._client._call(lambda core: self._live.by(core.api).end(), can_end=False)

    def __exit__(self, *_: object) -> None:
        self.end()


async def release_unwanted(hold: Hold | None) -> None:
    if hold is not None:
        await hold._leave()


async def end_unwanted(live: LiveSession) -> None:
    await live.end()
