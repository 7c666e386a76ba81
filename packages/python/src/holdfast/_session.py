"""A session: many reservations of one requester, kept by one heartbeat (docs/specification.md#sessions).

It renews itself until it ends.
"""

from __future__ import annotations

from datetime import datetime
from math import inf

from ._api import Api
from ._clocks import Clocks, offset_of
from ._durations import Duration, ttl_of
from ._failures import is_unreachable
from ._reservations import time_of
from ._keeper import Keeper
from ._lease import Lease
from ._plan import Json
from ._requesters import Requesters, random_text
from ._reserver import Owner
from .errors import HoldfastError, LeaseLost, invalid


class LiveSession:
    """Begun by `begin`."""

    def __init__(self, api: Api, keeper: Keeper, requester: str, ttl: float, lease: Lease, begun: Json) -> None:
        self._api = api
        self._keeper = keeper
        self._ttl = ttl
        self._token: str = begun["token"]
        self._released: int | None = None
        self.id: str = begun["session"]
        self.requester = requester
        self.lease = lease
        self.expires_at: datetime = datetime.fromisoformat(begun["expiresAt"])

    @staticmethod
    async def begin(
        api: Api, keeper: Keeper, requesters: Requesters, clocks: Clocks, ttl: Duration, chosen: str | None
    ) -> LiveSession:
        """Raises HoldfastError."""
        seconds = ttl_of(ttl)
        if seconds == inf:
            raise invalid("a session has a ttl that ends, not math.inf")
        requester = requesters.for_session(chosen)
        while True:
            lease = Lease("the session", clocks)
            offset = offset_of(clocks)
            answer = await api.request(
                "POST",
                "/Session",
                body={"requester": requester, "ttlSeconds": int(seconds)},
                has="token",
                idempotency_key=random_text(26),
            )
            lease.extend(seconds, answer.sent_at, offset)
            session = LiveSession(api, keeper, requester, seconds, lease, answer.result)
            # The response may be that of an earlier attempt. Only a renewal says whether the session has ended, and
            # when it ends. It has the time that any call has: the lease may be much longer, or over.
            if answer.is_repeated:
                await session._renew(None)
                if lease.lost is not None:
                    continue
            keeper.keep(lease, lambda: session._renew(lease.deadline))
            return session

    def by(self, api: Api) -> LiveSession:
        """After `close`, the client has other connections."""
        self._api = api
        return self

    @property
    def owner(self) -> Owner:
        """The session, for reservations in it. Raises LeaseLost."""
        if self.lease.lost is not None:
            raise self.lease.lost
        return Owner(self.id, self.requester, self.lease, lambda: self.expires_at)

    async def _renew(self, deadline: float | None) -> None:
        offset = offset_of(self.lease.clocks)
        try:
            answer = await self._api.request(
                "POST",
                "/Session/renew",
                body={"session": self.id, "token": self._token},
                has="status",
                deadline=deadline,
                on_failure=self.lease.failed,
            )
        finally:
            self.lease.may_last(self._ttl)
        if answer.result["status"] == "NOT_FOUND":
            self.lease.lose(LeaseLost("The session has ended"))
            return
        self.expires_at = time_of(answer.result["expiresAt"]) or self.expires_at
        self.lease.extend(self._ttl, answer.sent_at, offset)

    async def end(self) -> int:
        """Ends it, and all its reservations with it. A second call gets the result of the first, unless that failed.

        Returns how many reservations it ended; 0 if they ended by themselves, which it waits for if the service cannot
        be reached. In a forked child it does nothing. Raises HoldfastError if the service refuses it.
        """
        if self._released is not None or self.lease.is_foreign:
            return self._released or 0
        self._keeper.forget(self.lease)
        self.lease.finish()
        try:
            answer = await self._api.request(
                "POST",
                "/Session/end",
                body={"session": self.id, "token": self._token},
                has="released",
                deadline=self.lease.end,
            )
            released: int = answer.result["released"]
        except HoldfastError as error:
            if not is_unreachable(error):
                raise
            released = 0
        self._released = released
        return released


class BaseSession:
    """What the sessions of the clients for threads and for tasks have in common."""

    def __init__(self, live: LiveSession) -> None:
        self._live = live

    @property
    def id(self) -> str:
        return self._live.id

    @property
    def requester(self) -> str:
        """The requester of all its reservations: they do not exclude each other."""
        return self._live.requester

    @property
    def expires_at(self) -> datetime:
        """When it ends if it is not renewed, by the clock of the service."""
        return self._live.expires_at

    def raise_if_lost(self) -> None:
        """Raises LeaseLost if it has ended, or may end within its margin. Looks at the clocks, asks nobody."""
        if (lost := self._live.lease.lost) is not None:
            raise lost

    def __repr__(self) -> str:
        return f"{type(self).__name__}(requester={self.requester!r})"
