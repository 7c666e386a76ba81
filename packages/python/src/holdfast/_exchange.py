"""One HTTP request and its response: the key, a timeout, JSON, and typed errors.

Nothing is repeated here, and no error has the key.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

import anyio
import httpx

from ._failures import error_of
from ._settings import check_key
from .errors import Unreachable, unexpected

KeySource = Callable[[str | None], Awaitable[str]]
"""Returns the key. It gets the key that the service has refused, or None."""

_MAX_BODY = 64 * 1024 * 1024
"""The longest response in bytes, but for lists and streams."""
_SILENT = 45.0
"""A stream that is silent for so many seconds, three keepalives, counts as lost."""
_OPEN = 10.0
_KEEPALIVE = httpx.Limits(max_connections=None, max_keepalive_connections=16, keepalive_expiry=4)
"""The service closes a connection that nobody has used for 5 s."""
_BATCHES = frozenset(f"/Reservation/{name}" for name in ("reserve", "unreserve", "renew", "check", "cancel"))
_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "holdfast-python"}


class Incoming(NamedTuple):
    body: object
    sent_at: float
    """The monotonic clock at which the request was sent."""


class Exchange:
    """`base` is the address of the service with `/api/v1`, as `base_of` returns it."""

    def __init__(self, base: str, key: KeySource) -> None:
        self._base = base
        self._key = key
        self._urls: dict[str, httpx.URL] = {}
        self._client = httpx.AsyncClient(
            limits=_KEEPALIVE,
            # Without it, httpx sends what a .netrc says.
            auth=_no_auth,
            # Loading the certificate authorities takes 20 ms.
            verify=base.startswith("https:"),
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def send(
        self,
        method: str,
        path: str,
        body: str | None,
        *,
        timeout: float,
        idempotency_key: str | None = None,
        minimal: bool = False,
        is_long: bool = False,
    ) -> Incoming:
        """Sends a request. `timeout`: seconds until the whole response; with `is_long`, the longest pause within it.

        Raises HoldfastError unless the status is 200 or 201, or the body is an array of results; UNREACHABLE.
        """
        headers: dict[str, str] = {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if minimal:
            headers["Prefer"] = "return=minimal"

        async def ask(key: str) -> tuple[httpx.Response, bytes, float]:
            request = self._request(method, path, headers, key, timeout, body)
            with anyio.fail_after(None if is_long else timeout + 0.5):
                sent_at = time.monotonic()
                response = await self._client.send(request, stream=True)
                try:
                    return response, await _whole(response, is_long), sent_at
                finally:
                    await response.aclose()

        with _as_unreachable(self._base, timeout):
            response, content, sent_at = await self._with_key(ask)
        answered = _parsed(content)
        if response.status_code in (200, 201) or isinstance(answered, list):
            return Incoming(answered, sent_at)
        raise error_of(response.status_code, response.headers, answered)

    @asynccontextmanager
    async def open(self, path: str) -> AsyncIterator[AsyncIterator[str]]:
        """Opens a stream of events. Its text comes as the service sends it, until its connection ends.

        Raises HoldfastError for any status but 200; UNREACHABLE.
        """

        async def ask(key: str) -> tuple[httpx.Response, bytes, float]:
            request = self._request("GET", path, {}, key, _OPEN, None)
            request.extensions["timeout"]["read"] = _SILENT
            with anyio.fail_after(_OPEN):
                return await self._client.send(request, stream=True), b"", 0

        with _as_unreachable(self._base, _OPEN):
            response, _, _ = await self._with_key(ask)
        try:
            if response.status_code != 200 or "text/event-stream" not in response.headers.get("Content-Type", ""):
                with _as_unreachable(self._base, _OPEN):
                    raise error_of(response.status_code, response.headers, _parsed(await _whole(response, False)))
            yield response.aiter_text()
        finally:
            await response.aclose()

    def _request(
        self, method: str, path: str, headers: dict[str, str], key: str, timeout: float, body: str | None
    ) -> httpx.Request:
        """Makes a request as `build_request` of httpx does, which parses and merges twice as long."""
        url = self._urls.get(path)
        if url is None:
            url = httpx.URL(self._base + path)
            if path in _BATCHES:
                self._urls[path] = url
        credential = {"Authorization": f"Bearer {key}"} if key.startswith("hfm_") else {"X-Api-Key": key}
        times = {"connect": timeout, "read": timeout, "write": timeout, "pool": timeout}
        return httpx.Request(
            method, url, content=body, headers={**_HEADERS, **headers, **credential}, extensions={"timeout": times}
        )

    async def _with_key(
        self, ask: Callable[[str], Awaitable[tuple[httpx.Response, bytes, float]]]
    ) -> tuple[httpx.Response, bytes, float]:
        key = check_key(await self._key(None))
        asked = await ask(key)
        if asked[0].status_code != 401:
            return asked
        # Rotated since the function was asked?
        following = check_key(await self._key(key))
        if following == key:
            return asked
        await asked[0].aclose()
        return await ask(following)


class _as_unreachable:
    """Turns errors of the connection into HoldfastError UNREACHABLE."""

    def __init__(self, base: str, timeout: float) -> None:
        self._base = base
        self._timeout = timeout

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        service = f"The service at {self._base.removesuffix('/api/v1')}"
        if isinstance(error, (httpx.TimeoutException, TimeoutError)):
            raise Unreachable(f"{service} could not be reached within {self._timeout:.3g} s") from error
        if isinstance(error, (httpx.HTTPError, httpx.StreamError, OSError, anyio.ClosedResourceError)):
            raise Unreachable(f"{service} could not be reached: {error or type(error).__name__}") from error


def _no_auth(request: httpx.Request) -> httpx.Request:
    return request


async def _whole(response: httpx.Response, is_long: bool) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > _MAX_BODY and not is_long:
            raise unexpected()
    return b"".join(parts)


def _parsed(content: bytes) -> object:
    """Returns a body as JSON; None if it is none: the page of a proxy."""
    try:
        return json.loads(content)
    except ValueError:
        return None
