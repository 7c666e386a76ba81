"""Holds and sessions of the client for tasks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TYPE_CHECKING

from ._durations import Duration
from ._hold import BaseHold, Origin
from ._options import Condition, Mode, OnWaiting, Wanted
from ._plan import Json, Match, Plan, Target, plan_of
from ._session import BaseSession, LiveSession
from ._use import raise_for

if TYPE_CHECKING:
    import anyio

    from ._async_calls import AsyncCalls
    from ._runtime import Flag

RELEASE_TIME = 5.0
"""Longest time in seconds for which the end of a block waits for its release. It goes on in the background."""


class AsyncLost:
    """An event that is set once a lease is lost."""

    def __init__(self, hold: AsyncHold) -> None:
        self._origin = hold._origin
        self._flag: Flag | None = None

    def is_set(self) -> bool:
        """Looks at the clocks."""
        return self._origin.lease.lost is not None

    async def wait(self) -> None:
        """Waits until it is set."""
        # Nobody else looks at the lease in a forked child.
        if self.is_set():
            return
        if self._flag is None:
            self._flag = self._origin.api.runtime.flag()
            self._origin.lease.when_lost(self._flag.set)
            self._origin.keeper.watch(self._origin.lease)
        await self._flag.wait()


class AsyncHold(BaseHold):
    """A hold. `async with await client.reserve(…) as hold` releases it at the end of the block."""

    __slots__ = ("_lost",)

    def __init__(self, origin: Origin, results: Sequence[Json]) -> None:
        super().__init__(origin, results)
        self._lost: AsyncLost | None = None

    @property
    def lost(self) -> AsyncLost:
        """Is set once the lease has ended, or may end within its margin."""
        if self._lost is None:
            self._lost = AsyncLost(self)
        return self._lost

    async def renew(self, ttl: Duration | None = None) -> None:
        """Renews the lease: it then ends `ttl` from now; without `ttl`, the last one again.

        A booking of somebody else may end it before: `fixed_end`. Raises LeaseLost; NotAvailable if that begins within
        seconds; HoldfastError NOT_RESERVED after a release, INVALID_OPTION in a session.
        """
        await self._renew(ttl)

    async def release(self, condition: Condition | None = None, reason: str | None = None) -> bool:
        """Releases all of it. If the service cannot be reached, it tries until the lease has ended by itself.

        If the caller is cancelled, it goes on in the background. `condition` is that of its slots from now on. Within
        `using`, release it so as the last step of the work. Returns whether it was held until now. Raises HoldfastError
        if the service refuses it.
        """
        if self._origin.lease.is_foreign:
            return False
        return await self._origin.api.background(lambda: self._release(condition, reason)).result()

    async def leave(self) -> bool:
        """Ends the work: releases it, but for what is booked. That stays its requester's until the booking ends.

        Returns whether it was held until now. Raises as `release`.
        """
        if self._origin.lease.is_foreign:
            return False
        return await self._origin.api.background(self._leave).result()

    async def __aenter__(self) -> AsyncHold:
        return self

    async def __aexit__(self, *_: object) -> None:
        import anyio

        with anyio.move_on_after(RELEASE_TIME, shield=True):
            await self.leave()


class AsyncUsing(AbstractAsyncContextManager[AsyncHold]):
    """`interrupts`: whether a lost lease cancels the block."""

    def __init__(self, client: AsyncCalls, plan: Plan, interrupts: bool) -> None:
        self._client = client
        self._plan = plan
        self._interrupts = interrupts
        self._hold: AsyncHold | None = None
        self._scope: anyio.CancelScope | None = None

    async def __aenter__(self) -> AsyncHold:
        core = await self._client._prepared()
        hold = self._hold = await core.use(self._plan)
        if self._interrupts:
            import anyio

            lease = hold._origin.lease
            self._scope = anyio.CancelScope()
            self._scope.__enter__()
            lease.when_lost(self._scope.cancel)
            core.keeper.watch(lease)
        return hold

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import anyio

        hold = self._hold
        if hold is None:
            return
        failed: BaseException | None = None
        try:
            if self._scope is not None and self._scope.__exit__(kind, error, trace):
                error = None
        except BaseException as raised:
            # What is left of a group of errors without the cancellation; or this is another task.
            error = failed = raised
        lost = hold._origin.lease.lost
        was_held = True
        try:
            with anyio.move_on_after(RELEASE_TIME, shield=True):
                was_held = await hold.leave()
        except Exception:
            # The error of the work tells more.
            if error is None and lost is None:
                raise
        raise_for(hold, lost, was_held, error)
        if failed is not None:
            raise failed


class AsyncSession(BaseSession):
    """Many reservations of one requester that end together, kept by one heartbeat. It renews itself until it ends."""

    def __init__(self, client: AsyncCalls, live: LiveSession) -> None:
        super().__init__(live)
        self._client = client

    async def reserve(
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
        on_waiting: OnWaiting | None = None,
    ) -> AsyncHold:
        """Reserves in this session. Its holds last as long as it does, and can be released one by one.

        Raises HoldfastError ALREADY_HAD if the session holds it; LeaseLost if it has ended; as `client.reserve`.
        """
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, wait=wait, priority=priority, mode=mode,
            condition=condition, note=note, on_waiting=on_waiting, session=self._live.id,
        )  # fmt: skip
        owner = self._live.owner
        return await (await self._client._prepared()).reserver.take(plan, owner)

    async def try_reserve(
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
        on_waiting: OnWaiting | None = None,
    ) -> AsyncHold | None:
        """As `reserve`; None if somebody else has it."""
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, wait=wait, priority=priority, mode=mode,
            condition=condition, note=note, on_waiting=on_waiting, session=self._live.id,
        )  # fmt: skip
        owner = self._live.owner
        return await (await self._client._prepared()).reserver.try_take(plan, owner)

    async def end(self) -> int:
        """Ends it, and all its reservations. Returns how many; 0 if they ended by themselves."""
        if self._live.lease.is_foreign:
            return 0
        # If the caller is cancelled, this goes on in the background.
        return await (await self._client._prepared()).api.background(self._live.end).result()

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        import anyio

        with anyio.move_on_after(RELEASE_TIME, shield=True):
            await self.end()
