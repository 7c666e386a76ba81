"""Every call of the service, and holds that look after themselves: of one process and one event loop.

The clients for threads and for tasks both stand on this.
"""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Generic, cast
from urllib.parse import quote

import anyio

from ._api import Api
from ._clocks import CLOCKS
from ._durations import Duration, ttl_of
from ._exchange import Exchange
from ._hold import Origin
from ._reservations import Reservation, ReservationKey, time_of
from ._job import Job
from ._keeper import Keeper
from ._plan import Json, Plan, item_of
from ._requesters import Requesters, random_text
from ._reserver import CallUser, H, Reserver
from ._retries import Retries, Retry
from ._runtime import runtime_here
from ._session import LiveSession
from ._settings import Settings
from ._stream import stream
from ._transaction import Transaction
from .errors import HoldfastError, invalid, refusal


class Core(Generic[H]):
    """Made in the event loop that it belongs to.

    `make` makes a hold, `call_user` calls a function of the user and returns what it returns. `requesters`: those of
    this process, if the client was used in another loop before.
    """

    def __init__(
        self,
        settings: Settings,
        make: Callable[[Origin, Sequence[Json]], H],
        call_user: Callable[..., Any],
        requesters: Requesters | None,
    ) -> None:
        self.pid = os.getpid()
        self.runtime = runtime_here()
        self.call_user = call_user
        self._settings = settings
        self._make = make
        self._job = None if settings.env is None else Job(settings.base, settings.env)
        retries = Retries(settings.retry_for)
        if settings.on_retry is not None:
            retries.on_retry = self._tell
        self.api = Api(Exchange(settings.base, self._key), retries, self.runtime)
        self.keeper = Keeper(self.runtime, CLOCKS)
        self.requesters = requesters
        self._reserver: Reserver[H] | None = None
        if requesters is None and (self._job is None or settings.requester is not None):
            self.requesters = Requesters(settings.requester)

    async def prepare(self) -> None:
        """Has to be called first, if there are no `requesters`: a CI job learns from the service who it is."""
        if self._job is not None:
            self.requesters = Requesters(await self._job.requester(self.runtime))

    async def close(self) -> None:
        """Stops renewing, and closes all connections. Releases nothing."""
        self.keeper.close()
        await self.api.exchange.close()

    async def _key(self, refused: str | None) -> str:
        key = self._settings.key
        if self._job is not None:
            return await self._job.key(self.runtime, refused)
        if isinstance(key, str):
            return key
        try:
            return cast(str, await self.call_user(key, refused))
        except HoldfastError:
            raise
        except Exception as cause:
            raise invalid("The function key failed") from cause

    def _tell(self, retry: Retry) -> None:
        async def tell() -> None:
            try:
                await self.call_user(self._settings.on_retry, retry)
            except Exception:
                # It must not break the retry.
                logging.getLogger("holdfast").exception("on_retry failed")

        self.runtime.spawn(tell)

    @property
    def known(self) -> Requesters:
        if self.requesters is None:
            raise RuntimeError("prepare() was not called")
        return self.requesters

    @property
    def reserver(self) -> Reserver[H]:
        if self._reserver is None:
            call_user = cast(CallUser, self.call_user)
            self._reserver = Reserver(self.api, self.known, self.keeper, CLOCKS, self._make, call_user)
        return self._reserver

    async def use(self, plan: Plan) -> H:
        """Reserves, and renews it in the background until it is released."""
        hold = await self.reserver.take(plan)
        self.keeper.keep(hold._origin.lease, hold._renew)
        return hold

    async def release(self, key: Reservation | ReservationKey, condition: str | None, reason: str | None) -> bool:
        item = {**_proof(key), **item_of(condition=condition, reason=reason)}
        result = (await self.api.unreserve(item)).result
        if result["status"] == "DOESNT_OWN_RESERVATION":
            raise refusal(result["status"], f"{key.resource}: {result['explanation']}")
        return bool(result["status"] == "RELINQUISHED")

    async def renew(self, key: Reservation | ReservationKey, ttl: Duration) -> datetime | None:
        seconds = ttl_of(ttl)
        item = {**_proof(key), "ttlSeconds": int(seconds)} if seconds != float("inf") else _proof(key)
        result = (await self.api.renew(item)).result
        if result["status"] != "RENEWED":
            raise refusal(result["status"], f"{key.resource}: {result['explanation']}")
        return time_of(result["expiresAt"])

    async def transaction(self, transaction: Transaction) -> Any:
        return await transaction.send(self.api, self.known.base, self.reserver.waits)

    async def session(self, ttl: Duration, requester: str | None) -> LiveSession:
        return await LiveSession.begin(self.api, self.keeper, self.known, CLOCKS, ttl, requester)

    async def check(self, names: Sequence[str], requester: str | None) -> list[Any]:
        items = [item_of(resource=name, requester=requester) for name in names]
        answers = await self.api.together([partial(self.api.check, item) for item in items])
        return [answer.result for answer in answers]

    async def cancel(self, resource: str, requester: str | None) -> bool:
        # Tasks that were started before begin first. trio runs those that are ready in any order: so twice.
        await anyio.sleep(0)
        await anyio.sleep(0)
        requesters = self.known.waiting_for(resource) if requester is None else [requester]
        items = [{"resource": resource, "requester": one} for one in requesters]
        waits = self.reserver.waits.cancel(resource, requesters)
        answers = await self.api.together([partial(self.api.cancel, item) for item in items])
        for wait in waits:
            await wait.ended()
        return len(waits) > 0 or any(answer.result["status"] == "CANCELLED" for answer in answers)

    async def rows(self, path: str, **query: str | None) -> list[Any]:
        rows: list[Any] = (await self.api.request("GET", path, query=item_of(**query))).result
        return rows

    async def register(self, definitions: Sequence[object]) -> list[Any]:
        rows: list[Any] = (await self.api.request("POST", "/Resource/register", body=definitions)).result
        return rows

    async def set_condition(self, resources: Sequence[str], condition: str, reason: str | None) -> list[Any]:
        body = [item_of(resource=name, condition=condition, reason=reason) for name in resources]
        rows: list[Any] = (await self.api.request("PUT", "/Resource/condition", body=body)).result
        return rows

    async def unregister(self, name: str, cascade: bool) -> list[str]:
        path = f"/Resource/{quote(name, safe='')}"
        query = {"cascade": "true"} if cascade else {}
        deleted: list[str] = (await self.api.request("DELETE", path, query=query, has="deleted")).result["deleted"]
        return deleted

    async def reset(self) -> int:
        request = self.api.request("POST", "/Reservation/reset", has="cleared", idempotency_key=random_text(26))
        cleared: int = (await request).result["cleared"]
        return cleared

    async def open_events(self, types: Sequence[str] | None) -> AsyncGenerator[Any, None]:
        return self.events(types)

    async def close_events(self, events: AsyncGenerator[Any, None]) -> None:
        await events.aclose()

    async def next_event(self, events: AsyncGenerator[Any, None]) -> Any:
        """Returns None at their end."""
        return await anext(events, None)

    async def events(self, types: Sequence[str] | None) -> AsyncGenerator[Any, None]:
        wanted = None if types is None else {*types, "CONNECTED", "DISCONNECTED"}
        async for event in stream(self.api):
            if wanted is None or event["type"] in wanted:
                yield event


def _proof(key: Reservation | ReservationKey) -> Json:
    return {"resource": key.resource, "requester": key.requester, "releaseToken": key.release_token}


async def call_here(function: Callable[..., Any], *arguments: object) -> Any:
    """Calls a function of the user in this task. It may be async."""
    result = function(*arguments)
    return await result if inspect.isawaitable(result) else result
