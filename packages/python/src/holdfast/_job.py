"""The token of a CI job: exchanged for the job's JWT, and again before it ends.

docs/specification.md#jwt-exchange. Times are in seconds.
"""

from __future__ import annotations

import re
import time
from typing import NamedTuple
from urllib.parse import urlsplit

import anyio
import httpx

from ._environment import Environment
from ._failures import attempt_time, delay_before, error_of
from ._jwts import jwt_source_in, mask, parsed
from ._requesters import random_text
from ._runtime import Running, Runtime
from .errors import HoldfastError, Unreachable, invalid, unexpected

_RETRIES = 30.0
_RENEW_AFTER = 2 / 3
"""The part of its lifetime after which a token is exchanged for the next one, while it still counts."""
_NEARLY_OVER = 5.0
"""A token that ends so soon may end before a request with it arrives."""
_RENEW_EVERY = 5.0
"""Time between two tries to renew a token that still counts."""
_LOOPBACK = re.compile(r"localhost|.+\.localhost|127\.\d+\.\d+\.\d+|::1")


class _Token(NamedTuple):
    token: str
    requester: str
    ends_at: float
    renew_at: float


class Job:
    """Raises HoldfastError INVALID_OPTION if the environment lacks something. `base`: the address with `/api/v1`."""

    def __init__(self, base: str, env: Environment) -> None:
        self._env = env
        self._tenant = env.get("HOLDFAST_TENANT", "")
        if not re.fullmatch("[a-z0-9-]{1,40}", self._tenant):
            raise invalid("HOLDFAST_TENANT must be 1 to 40 lower-case letters, digits and hyphens")
        self._instance = env.get("HOLDFAST_INSTANCE") or random_text(16)
        if not re.fullmatch("[a-z0-9]{10,32}", self._instance):
            raise invalid("HOLDFAST_INSTANCE must be 10 to 32 of a-z and 0-9")
        address = urlsplit(base)
        # A JWT that is sent in clear can be used by whoever reads it.
        if address.scheme != "https" and not _LOOPBACK.fullmatch(address.hostname or ""):
            raise invalid("HOLDFAST_URL must be https, or an address of this machine: a JWT is not sent in clear")
        self._address = f"{base}/auth/token"
        self._source = jwt_source_in(env)
        self._current: _Token | None = None
        self._renewal: Running[None] | None = None
        self._tried_at = 0.0

    async def requester(self, runtime: Runtime) -> str:
        """Returns the requester that the tokens act for, after the first exchange. Raises HoldfastError."""
        if self._current is None:
            await self._renew(runtime)
        if self._current is None:
            raise unexpected()
        return self._current.requester

    async def key(self, runtime: Runtime, refused: str | None) -> str:
        """Returns the token. Raises HoldfastError if the present one has ended, and there is no other."""
        now = time.monotonic()
        current = self._current
        if current is None or refused == current.token or now > current.ends_at - _NEARLY_OVER:
            await self._renew(runtime)
        elif now > current.renew_at and now > self._tried_at + _RENEW_EVERY:
            # Until it ends, a failure does no harm.
            self._begin(runtime)
        if self._current is None:
            raise unexpected()
        return self._current.token

    async def _renew(self, runtime: Runtime) -> None:
        """All who need the next token share one exchange."""
        await self._begin(runtime).result()

    def _begin(self, runtime: Runtime) -> Running[None]:
        if self._renewal is None or self._renewal.is_done:
            self._tried_at = time.monotonic()
            self._renewal = Running(runtime, self._exchange_again)
        return self._renewal

    async def _exchange_again(self) -> None:
        deadline = time.monotonic() + _RETRIES
        tries = 0
        while True:
            tries += 1
            try:
                token = await self._exchange(attempt_time(deadline))
                break
            except HoldfastError as error:
                delay = delay_before(error, tries, deadline)
                if delay is None:
                    raise
            await anyio.sleep(delay)
        if self._current is not None and token.requester != self._current.requester:
            raise HoldfastError(
                f"The requester of this job is {token.requester} by now, and its reservations are of "
                f"{self._current.requester}",
                "FORBIDDEN",
            )
        self._current = token

    async def _exchange(self, timeout: float) -> _Token:
        jwt = await self._source(f"holdfast:{self._tenant}", timeout)
        await mask(self._env, jwt)
        body = {"jwt": jwt, "tenant": self._tenant, "instance": self._instance}
        if self._env.get("HOLDFAST_ISSUER"):
            body["issuer"] = self._env["HOLDFAST_ISSUER"]
        sent_at = time.monotonic()
        try:
            # Without encryption, only to this machine: not by way of a proxy.
            is_direct = self._address.startswith("http:")
            async with httpx.AsyncClient(timeout=timeout, trust_env=not is_direct) as client:
                response = await client.post(self._address, json=body)
        except httpx.HTTPError as error:
            raise Unreachable(f"The service could not be reached: {error or type(error).__name__}") from error
        answer = parsed(response.content)
        if response.status_code != 200:
            raise error_of(response.status_code, response.headers, answer)
        token, requester, lifetime = answer.get("token"), answer.get("requester"), answer.get("expiresIn")
        if not isinstance(token, str) or not isinstance(requester, str) or not isinstance(lifetime, (int, float)):
            raise unexpected()
        await mask(self._env, token)
        return _Token(token, requester, sent_at + lifetime, sent_at + lifetime * _RENEW_AFTER)
