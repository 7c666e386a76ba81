"""The stream of events, opened again whenever it ends (docs/specification.md#the-stream)."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from math import inf

import anyio
import httpx

from ._api import Api
from ._failures import delay_before
from ._plan import Json
from .errors import HoldfastError, Unreachable

_DATA = "data: "
_LASTED = 5.0
"""After a stream that lasted so many seconds, the next one is opened without a long delay."""


def _change(kind: str) -> Json:
    return {"type": kind, "resource": None, "requester": None}


async def stream(api: Api) -> AsyncGenerator[Json, None]:
    """Yields the events, with `CONNECTED` and `DISCONNECTED` in between.

    `CONNECTED`: from here on no event is missing, until `DISCONNECTED`. Between that and the next `CONNECTED` events
    may be missing: the service has no replay. Raises HoldfastError if the first stream cannot be opened within 30 s, or
    the client's `retry_for`; if the service refuses the key.
    """
    deadline = api.retries.deadline()
    tries = 0
    while True:
        tries += 1
        opened_at: float | None = None
        error: HoldfastError = Unreachable("The stream of events ended")
        try:
            async with api.exchange.open("/events") as texts:
                rest: str | None = None
                async for text in texts:
                    # The service begins with a comment.
                    if rest is None:
                        opened_at = time.monotonic()
                        yield _change("CONNECTED")
                    *lines, rest = f"{rest or ''}{text}".split("\n")
                    # An event has one line of data. Its other line is its type, which the data has, too.
                    for line in lines:
                        if line.startswith(_DATA):
                            yield json.loads(line[len(_DATA) :])
        except HoldfastError as refused:
            error = refused
        except (httpx.HTTPError, httpx.StreamError, OSError):
            pass  # A body that broke off.
        if opened_at is not None:
            deadline = inf
            if time.monotonic() - opened_at > _LASTED:
                tries = 1
            yield _change("DISCONNECTED")
        delay = delay_before(error, tries, deadline)
        if delay is None:
            raise error
        api.retries.tell(error, tries, delay)
        await anyio.sleep(delay)
