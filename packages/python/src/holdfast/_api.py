"""The calls of the service, one item each. How they travel (batches, retries, connections) is hidden behind this.

Lost connections and 503 are repeated with backoff, and 429 after `Retry-After`, until the deadline passes. A reserve
that was repeated may answer `ALREADY_HAD` where the first answer, `ACQUIRED`, was lost.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from urllib.parse import urlencode

import anyio

from ._answer import Answer, OnFailure
from ._exchange import Exchange
from ._failures import attempt_time, delay_before, may_have_run
from ._kinds import CANCEL, CHECK, RENEW, RESERVE, UNRESERVE, key_of
from ._lane import Lane
from ._plan import Json
from ._retries import Retries
from ._runtime import Running, Runtime
from .errors import HoldfastError, unexpected

T = TypeVar("T")


class Api:
    def __init__(self, exchange: Exchange, retries: Retries, runtime: Runtime) -> None:
        self.exchange = exchange
        self.retries = retries
        self.runtime = runtime
        self._unreserves = Lane(exchange, retries, runtime, UNRESERVE)
        self._reserves = Lane(exchange, retries, runtime, RESERVE, self._release_late)
        self.unreserve = self._unreserves.call
        self.renew = Lane(exchange, retries, runtime, RENEW).call
        self.check = Lane(exchange, retries, runtime, CHECK).call
        self.cancel = Lane(exchange, retries, runtime, CANCEL).call

    async def reserve(
        self, item: Json, poll_seconds: int = 0, deadline: float | None = None, on_failure: OnFailure | None = None
    ) -> Answer:
        """A try, or, with `waitSeconds` in the item, one long poll: `WAITING` means to call again with the same item.

        With `poll_seconds` 0 it is not held, and calls of one name are carried out in their order.
        """
        if not item.get("waitSeconds") or poll_seconds == 0:
            return await self._reserves.call(item, deadline, on_failure)
        answer = await self.request(
            "POST",
            "/Reservation/reserve",
            query={"pollSeconds": str(poll_seconds)},
            body=[item],
            deadline=deadline,
            on_failure=on_failure,
        )
        results = answer.result
        if len(results) != 1 or not isinstance(results[0], dict) or "status" not in results[0]:
            raise unexpected()
        return answer._replace(result=results[0])

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str] | None = None,
        body: object = None,
        has: str | None = None,
        idempotency_key: str | None = None,
        deadline: float | None = None,
        on_failure: OnFailure | None = None,
    ) -> Answer:
        """Anything but a batch: a transaction, a definition, a list.

        `path` is below `/api/v1`, encoded. `query` has `pollSeconds` if the response is held that long. `has` is a
        field of the response; without it, the response is a list. If the caller is cancelled, the connection is closed.

        Raises HoldfastError for any status but 200 and 201.
        """
        end = self.retries.deadline() if deadline is None else deadline
        held = int((query or {}).get("pollSeconds", 0))
        search = f"?{urlencode(query)}" if query else ""
        text = None if body is None else json.dumps(body, separators=(",", ":"))
        is_repeated, tries = False, 0
        while True:
            tries += 1
            try:
                incoming = await self.exchange.send(
                    method,
                    path + search,
                    text,
                    timeout=held + attempt_time(end),
                    idempotency_key=idempotency_key,
                    is_long=method == "GET",
                )
                result = incoming.body
                is_whole = isinstance(result, list) if has is None else isinstance(result, dict) and has in result
                if not is_whole:
                    raise unexpected()
                return Answer(result, incoming.sent_at, is_repeated)
            except HoldfastError as error:
                delay = delay_before(error, tries, end)
                if delay is None:
                    raise
                is_repeated = is_repeated or may_have_run(error)
                if on_failure is not None:
                    on_failure(error)
                self.retries.tell(error, tries, delay)
            await anyio.sleep(delay)

    async def together(self, works: Sequence[Callable[[], Awaitable[Answer]]]) -> Sequence[Answer]:
        """Makes several calls side by side: they travel together. Raises the error of the first that has failed."""
        if len(works) == 1:
            # Most holds have one reservation.
            return [await works[0]()]
        running = [Running(self.runtime, work) for work in works]
        return [await one.result() for one in running]

    def background(self, work: Callable[[], Awaitable[T]]) -> Running[T]:
        """Does something that goes on if the caller is cancelled."""
        return Running(self.runtime, work)

    def release(self, results: list[Json]) -> Running[None]:
        """Releases, in the background, what nobody wants. If that fails, the lease ends it."""

        async def work() -> None:
            for result in results:
                try:
                    await self.unreserve(key_of(result))
                except HoldfastError:
                    pass

        return Running(self.runtime, work)

    def _release_late(self, result: Json) -> None:
        if result["status"] == "ACQUIRED" and result["releaseToken"] is not None:
            self.release([result])
