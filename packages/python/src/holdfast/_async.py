"""The client for tasks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import TYPE_CHECKING

from ._async_calls import AsyncCalls
from ._async_holds import AsyncHold, AsyncSession, AsyncUsing
from ._durations import Duration
from ._hold import BaseHold
from ._reservations import Reservation, ReservationKey
from ._options import Condition, Method, Mode, OnEndFixed, OnWaiting, Requests, Wanted
from ._plan import Match, Target, plan_of

if TYPE_CHECKING:
    from ._mirror import OnChange, OnConnection
    from ._mirrors import AsyncMirror
    from .types import ConnectionChange, Event, TransactionResult


class AsyncHoldfast(AsyncCalls):
    """A client of a service, for asyncio and trio. It connects at the first call.

    `url` is the address of the service, without `/api/v1`; `key` an API key or a token, or a function that returns one.
    `requester` says who reserves: by default, each client is somebody else (README.md#who-reserves). `retry_for` is how
    long a call is repeated while the service cannot be reached; "0s": not at all. `on_retry` is called before each
    repeat. Functions may be async.

    Raises HoldfastError INVALID_OPTION.
    """

    def using(
        self,
        target: Target | None = None,
        *,
        match: Match | None = None,
        quantity: int | None = None,
        count: int | None = None,
        ttl: Duration = "30s",
        min_ttl: Duration | None = None,
        wait: Duration | None = None,
        priority: int = 0,
        mode: Mode | None = None,
        condition: Wanted | None = None,
        note: str | None = None,
        requester: str | None = None,
        on_waiting: OnWaiting | None = None,
        on_end_fixed: OnEndFixed | None = None,
    ) -> AbstractAsyncContextManager[AsyncHold]:
        """Reserves for an `async with` block, renews the lease each time a third of it has passed, and always releases.

        A lost lease cancels the block at its next `await`, and `async with` raises LeaseLost. A cancellation from
        outside stays one. The release is shielded, for at most 5 s. Enter and leave it in one task. Raises as
        `reserve`.
        """
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, ttl=ttl, min_ttl=min_ttl, wait=wait, priority=priority,
            mode=mode, condition=condition, note=note, requester=requester, on_waiting=on_waiting,
            on_end_fixed=on_end_fixed,
        )  # fmt: skip
        return AsyncUsing(self, plan, interrupts=True)

    def hold(
        self,
        target: Target | None = None,
        *,
        match: Match | None = None,
        quantity: int | None = None,
        count: int | None = None,
        ttl: Duration = "30s",
        min_ttl: Duration | None = None,
        wait: Duration | None = None,
        priority: int = 0,
        mode: Mode | None = None,
        condition: Wanted | None = None,
        note: str | None = None,
        requester: str | None = None,
        on_waiting: OnWaiting | None = None,
        on_end_fixed: OnEndFixed | None = None,
    ) -> AbstractAsyncContextManager[AsyncHold]:
        """As `using`, for fixtures and generators that yield inside: a lost lease sets `hold.lost`, cancels nothing.

        It may be left in another task than the one that entered it.
        """
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, ttl=ttl, min_ttl=min_ttl, wait=wait, priority=priority,
            mode=mode, condition=condition, note=note, requester=requester, on_waiting=on_waiting,
            on_end_fixed=on_end_fixed,
        )  # fmt: skip
        return AsyncUsing(self, plan, interrupts=False)

    async def reserve(
        self,
        target: Target | None = None,
        *,
        match: Match | None = None,
        quantity: int | None = None,
        count: int | None = None,
        ttl: Duration = "30s",
        min_ttl: Duration | None = None,
        wait: Duration | None = None,
        priority: int = 0,
        mode: Mode | None = None,
        condition: Wanted | None = None,
        note: str | None = None,
        requester: str | None = None,
        on_waiting: OnWaiting | None = None,
        on_end_fixed: OnEndFixed | None = None,
    ) -> AsyncHold:
        """Reserves, and waits for its turn if `wait` says so. Nothing renews it: call `renew`, or use `using`.

        Several names are taken together or not at all. If it is cancelled, it leaves the queue.
        Raises NotAvailable; HoldfastError NOT_VALID, and ALREADY_HAD if another hold of this client has it under a
        requester that you chose.
        """
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, ttl=ttl, min_ttl=min_ttl, wait=wait, priority=priority,
            mode=mode, condition=condition, note=note, requester=requester, on_waiting=on_waiting,
            on_end_fixed=on_end_fixed,
        )  # fmt: skip
        return await (await self._prepared()).reserver.take(plan)

    async def try_reserve(
        self,
        target: Target | None = None,
        *,
        match: Match | None = None,
        quantity: int | None = None,
        count: int | None = None,
        ttl: Duration = "30s",
        min_ttl: Duration | None = None,
        wait: Duration | None = None,
        priority: int = 0,
        mode: Mode | None = None,
        condition: Wanted | None = None,
        note: str | None = None,
        requester: str | None = None,
        on_waiting: OnWaiting | None = None,
        on_end_fixed: OnEndFixed | None = None,
    ) -> AsyncHold | None:
        """As `reserve`, but returns None instead of raising NotAvailable."""
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, ttl=ttl, min_ttl=min_ttl, wait=wait, priority=priority,
            mode=mode, condition=condition, note=note, requester=requester, on_waiting=on_waiting,
            on_end_fixed=on_end_fixed,
        )  # fmt: skip
        return await (await self._prepared()).reserver.try_take(plan)

    async def release(
        self,
        target: AsyncHold | Reservation | ReservationKey,
        condition: Condition | None = None,
        reason: str | None = None,
    ) -> bool:
        """Releases a hold, or a reservation by its token. `condition` is that of its slots from now on.

        Returns whether it was held until now. Raises HoldfastError DOESNT_OWN_RESERVATION.
        """
        if isinstance(target, BaseHold):
            return await target.release(condition, reason)
        return await (await self._prepared()).release(target, condition, reason)

    async def renew(
        self, target: AsyncHold | Reservation | ReservationKey, ttl: Duration | None = None
    ) -> datetime | None:
        """Renews a hold, or a reservation by its token: it then ends `ttl` from now.

        Returns when it ends, by the clock of the service; None: never. Raises LeaseLost (a hold); HoldfastError
        NOT_RESERVED, DOESNT_OWN_RESERVATION.
        """
        if isinstance(target, BaseHold):
            await target.renew(ttl)
            return target.expires_at
        return await (await self._prepared()).renew(target, "30s" if ttl is None else ttl)

    async def transaction(
        self,
        method: Method,
        requests: Requests,
        *,
        wait: Duration | None = None,
        priority: int = 0,
    ) -> TransactionResult:
        """Sends a transaction as it is (docs/specification.md#transactions), with durations: `ttl`, not `ttlSeconds`.

        Requests without a requester get the client's. Returns the response: look at `status`, and at that of each
        result. A transaction that is under way when it is cancelled may still be carried out.
        """
        from ._transaction import Transaction

        transaction = Transaction(method, requests, wait, priority)
        response: TransactionResult = await (await self._prepared()).transaction(transaction)
        return response

    async def session(
        self, *, ttl: Duration = "30s", requester: str | None = None
    ) -> AsyncSession:
        """Begins a session: many reservations of one requester that end together, kept by one heartbeat.

        It renews itself, each time a third of its `ttl` has passed. It ends at the end of a `with` block.
        """
        return AsyncSession(self, await (await self._prepared()).session(ttl, requester))

    async def events(self, *, types: Sequence[str] | None = None) -> AsyncGenerator[Event | ConnectionChange, None]:
        """Iterates over every change as it happens, with `CONNECTED` and `DISCONNECTED` in between.

        Events that came while it was not connected are missing. It connects again by itself. A loop that falls more
        than 1 MiB behind loses its connection. Raises HoldfastError if it cannot connect within 30 s at first; if the
        service refuses the key.
        """
        events = (await self._prepared()).events(types)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def mirror(
        self,
        *,
        on_change: OnChange | None = None,
        on_connection: OnConnection | None = None,
        waiting: bool = False,
    ) -> AsyncMirror:
        """Follows everything that is held, also across lost connections, until it is closed.

        Returns the mirror as soon as it has everything. `on_change` is called with a name and its reservations after
        each change, `on_connection` each time `connected` changes, in a thread of their own. `waiting` follows who
        waits, too: this costs a read after each change of the queue, at most one a second. Raises as `events`.
        """
        from ._mirrors import AsyncMirror

        return await AsyncMirror.open(await self._prepared(), on_change, on_connection, waiting)
