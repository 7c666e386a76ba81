"""Transactions as the service has them, with durations, a requester and an Idempotency-Key."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from ._answer import Answer
from ._api import Api
from ._ask import Asking, ask_until_decided
from ._attempts import Attempt, Outcome, ask_transaction
from ._durations import Duration, ttl_of, wait_of
from ._plan import WAIT_NEEDS_TTL, Json, check_priority, item_of, text_of
from ._requesters import random_text
from ._waits import Waits
from .errors import invalid

_POLL_SECONDS = 10


class Transaction:
    """Reads the options of a transaction. Raises HoldfastError INVALID_OPTION."""

    def __init__(
        self, method: str, requests: Sequence[Mapping[str, Any]], wait: Duration | None, priority: int
    ) -> None:
        self.wait = wait_of(wait)
        check_priority(priority)
        if not requests:
            raise invalid("at least one request is needed")
        is_endless = any(one.get("ttl") == inf and one.get("session") is None for one in requests)
        if self.wait > 0 and is_endless:
            raise invalid(WAIT_NEEDS_TTL)
        self._method = method
        self._requests = requests
        self._waits = {"waitSeconds": int(self.wait), "priority": priority} if self.wait > 0 else {}

    async def send(self, api: Api, requester: str, waits: Waits) -> Json:
        """`requester` is that of items that name none, `waits` those of the client. Raises HoldfastError."""
        requests = [_item_of(request, requester) for request in self._requests]
        ask = ask_transaction(api, {"method": self._method, "requests": requests, **self._waits}, random_text(26))
        if not self._waits:
            return _response_of(await ask(0, None, None))
        names = [request.get("resource") or text_of(request.get("match") or {}) for request in requests]
        ticket = {"resource": names[0], "requester": requests[0]["requester"]}
        asking = Asking(api, Attempt(names[0], ask, ticket), time.monotonic() + self.wait)
        asking.poll_seconds = _POLL_SECONDS
        asking.release = lambda outcome: api.release(
            [result for result in outcome.results if result["status"] == "ACQUIRED"]
        )
        wait = asking.wait = waits.begin(names[0], names)
        wait.requester = ticket["requester"]
        try:
            answer = await ask_until_decided(asking)
            if wait.is_cancelled:
                await asking.release(answer.result).ended()
                raise wait.error()
            return _response_of(answer)
        finally:
            wait.end()


def _response_of(answer: Answer) -> Json:
    outcome: Outcome = answer.result
    return outcome.response or {}


def _item_of(request: Mapping[str, Any], requester: str) -> Json:
    fields = {"requester": requester, **request}
    if request.get("requestType") != "RESERVE":
        return fields
    ttl = fields.pop("ttl", "30s")
    seconds = ttl_of(ttl)
    return item_of(ttlSeconds=None if seconds == inf or "session" in fields else int(seconds), **fields)
