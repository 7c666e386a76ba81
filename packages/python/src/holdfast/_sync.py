"""The client for threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING

from ._durations import Duration
from ._hold import BaseHold
from ._reservations import Reservation, ReservationKey
from ._options import Condition, Method, Mode, OnEndFixed, OnWaiting, Requests, Wanted
from ._plan import Match, Target, plan_of
from ._sync_calls import Calls
from ._sync_holds import Hold, Session, Using, end_unwanted, release_unwanted
from .errors import HoldfastError

if TYPE_CHECKING:
    from ._mirror import OnChange, OnConnection
    from ._mirrors import Mirror
    from .types import ConnectionChange, Event, TransactionResult


class Holdfast(Calls):
    """A client of a service, for any number of threads. It connects at the first call.

    `url` is the address of the service, without `/api/v1`; `key` an API key or a token, or a function that returns one.
    `requester` says who reserves: by default, each client is somebody else (README.md#who-reserves). `retry_for` is how
    long a call is repeated while the service cannot be reached; "0s": not at all. `on_retry` is called before each
    repeat. Functions are called in a thread of their own.

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
        cancel: threading.Event | None = None,
        on_waiting: OnWaiting | None = None,
        on_end_fixed: OnEndFixed | None = None,
    ) -> AbstractContextManager[Hold]:
        """Reserves for a `with` block, renews the lease each time a third of it has passed, and always releases.

        Nothing interrupts the block: call `hold.raise_if_lost()` before each step that matters. Raises LeaseLost at its
        end if the lease was lost meanwhile; as `reserve`.
        """
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, ttl=ttl, min_ttl=min_ttl, wait=wait, priority=priority,
            mode=mode, condition=condition, note=note, requester=requester, on_waiting=on_waiting,
            on_end_fixed=on_end_fixed,
        )  # fmt: skip
        return Using(self, plan, cancel)

    def reserve(
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
        cancel: threading.Event | None = None,
        on_waiting: OnWaiting | None = None,
        on_end_fixed: OnEndFixed | None = None,
    ) -> Hold:
        """Reserves, and waits for its turn if `wait` says so. Nothing renews it: call `renew`, or use `using`.

        Several names are taken together or not at all. `cancel` leaves the queue: HoldfastError CANCELLED.
        Raises NotAvailable; HoldfastError NOT_VALID, and ALREADY_HAD if another hold of this client has it under a
        requester that you chose.
        """
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, ttl=ttl, min_ttl=min_ttl, wait=wait, priority=priority,
            mode=mode, condition=condition, note=note, requester=requester, on_waiting=on_waiting,
            on_end_fixed=on_end_fixed,
        )  # fmt: skip
        return self._call(lambda core: core.reserver.take(plan), cancel=cancel, undo=release_unwanted)

    def try_reserve(
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
        cancel: threading.Event | None = None,
        on_waiting: OnWaiting | None = None,
        on_end_fixed: OnEndFixed | None = None,
    ) -> Hold | None:
        """As `reserve`, but returns None instead of raising NotAvailable."""
        plan = plan_of(
            target, match=match, quantity=quantity, count=count, ttl=ttl, min_ttl=min_ttl, wait=wait, priority=priority,
            mode=mode, condition=condition, note=note, requester=requester, on_waiting=on_waiting,
            on_end_fixed=on_end_fixed,
        )  # fmt: skip
        return self._call(lambda core: core.reserver.try_take(plan), cancel=cancel, undo=release_unwanted)

    def release(
        self, target: Hold | Reservation | ReservationKey, condition: Condition | None = None, reason: str | None = None
    ) -> bool:
        """Releases a hold, or a reservation by its token. `condition` is that of its slots from now on.

        Returns whether it was held until now. Raises HoldfastError DOESNT_OWN_RESERVATION.
        """
        if isinstance(target, BaseHold):
            return target.release(condition, reason)
        key = target
        return self._call(lambda core: core.release(key, condition, reason))

    def renew(self, target: Hold | Reservation | ReservationKey, ttl: Duration | None = None) -> datetime | None:
        """Renews a hold, or a reservation by its token: it then ends `ttl` from now.

        Returns when it ends, by the clock of the service; None: never. Raises LeaseLost (a hold); HoldfastError
        NOT_RESERVED, DOESNT_OWN_RESERVATION.
        """
        if isinstance(target, BaseHold):
            target.renew(ttl)
            return target.expires_at
        key = target
        return self._call(lambda core: core.renew(key, "30s" if ttl is None else ttl))

    def transaction(
        self,
        method: Method,
        requests: Requests,
        *,
        wait: Duration | None = None,
        priority: int = 0,
        cancel: threading.Event | None = None,
    ) -> TransactionResult:
        """Sends a transaction as it is (docs/specification.md#transactions), with durations: `ttl`, not `ttlSeconds`.

        Requests without a requester get the client's. Returns the response: look at `status`, and at that of each
        result. A transaction that is under way when it is cancelled may still be carried out.
        """
        from ._transaction import Transaction

        transaction = Transaction(method, requests, wait, priority)
        response: TransactionResult = self._call(lambda core: core.transaction(transaction), cancel=cancel)
        return response

    def session(
        self, *, ttl: Duration = "30s", requester: str | None = None, cancel: threading.Event | None = None
    ) -> Session:
        """Begins a session: many reservations of one requester that end together, kept by one heartbeat.

        It renews itself, each time a third of its `ttl` has passed. It ends at the end of a `with` block.
        """
        live = self._call(lambda core: core.session(ttl, requester), cancel=cancel, undo=end_unwanted)
        return Session(self, live)

    def events(
        self, *, types: Sequence[str] | None = None, cancel: threading.Event | None = None
    ) -> Iterator[Event | ConnectionChange]:
        """Iterates over every change as it happens, with `CONNECTED` and `DISCONNECTED` in between.

        Events that came while it was not connected are missing. It connects again by itself until `cancel` is set,
        which ends the iteration without an error. A loop that falls more than 1 MiB behind loses its connection.
        Raises HoldfastError if it cannot connect within 30 s at first; if the service refuses the key.
        """
        events = self._call(lambda core: core.open_events(types))
        try:
            while True:
                event = self._call(lambda core: core.next_event(events), cancel=cancel)
                if event is None:
                    return
                yield event
        except HoldfastError as error:
            if error.code != "CANCELLED":
                raise
        finally:
            self._call(lambda core: core.close_events(events), can_end=False)

    def mirror(
        self,
        *,
        on_change: OnChange | None = None,
        on_connection: OnConnection | None = None,
        waiting: bool = False,
    ) -> Mirror:
        """Follows everything that is held, also across lost connections, until it is closed.

        Returns the mirror as soon as it has everything. `on_change` is called with a name and its reservations after
        each change, `on_connection` each time `connected` changes, in a thread of their own. `waiting` follows who
        waits, too: this costs a read after each change of the queue, at most one a second. Raises as `events`.
        """
        from ._mirrors import Mirror

        return self._call(
            lambda core: Mirror.open(self, core, on_change, on_connection, waiting), undo=Mirror._close
        )
