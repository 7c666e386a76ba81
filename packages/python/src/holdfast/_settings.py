"""The options of a client, checked when it is made."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable

from ._durations import Duration, seconds_of
from ._environment import Environment, key_in, url_in
from ._retries import Retry
from .errors import invalid

Key = str | Callable[[str | None], str | Awaitable[str]]
"""A key, or a function that returns one. It is called for each request, with None; and once more, with the key that the
service has refused."""


class Settings:
    """Raises HoldfastError INVALID_OPTION.

    `env` is the environment of a CI job, whose JWT is exchanged for a token, instead of a key.
    """

    def __init__(
        self,
        url: str,
        key: Key | None,
        requester: str | None,
        retry_for: Duration,
        on_retry: Callable[[Retry], object] | None,
        env: Environment | None = None,
    ) -> None:
        self.base = base_of(url)
        self.key = key
        if not callable(key) and env is None:
            check_key(key)
        self.requester = requester
        seconds_of(retry_for, "retry_for")
        self.retry_for = retry_for
        self.on_retry = on_retry
        self.env = env


def settings_of_process(
    requester: str | None, retry_for: Duration, on_retry: Callable[[Retry], object] | None
) -> Settings:
    """Reads HOLDFAST_URL and HOLDFAST_KEY, HOLDFAST_KEY_FILE or the JWT of a CI job. Raises HoldfastError."""
    env = os.environ
    url = url_in(env)
    if env.get("HOLDFAST_TENANT") and not (env.get("HOLDFAST_KEY") or env.get("HOLDFAST_KEY_FILE")):
        return Settings(url, None, requester, retry_for, on_retry, env)
    found = key_in(env)
    return Settings(url, found, requester, retry_for, on_retry)


def base_of(url: str) -> str:
    """Returns the address of the API. Raises HoldfastError INVALID_OPTION."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_whole = False
    if not is_whole or "@" in parts.netloc:
        raise invalid("url must begin with https:// or http://, and name no user: https://holdfast.example.com")
    path = parts.path.rstrip("/")
    if path.endswith("/api/v1"):
        raise invalid("url (HOLDFAST_URL) must end before /api/v1: https://holdfast.example.com")
    return f"{parts.scheme}://{parts.netloc}{path}/api/v1"


def check_key(key: object) -> str:
    """Anything else would make httpx fail, with the key in its message. Raises HoldfastError INVALID_OPTION."""
    if isinstance(key, str) and key and all("\x21" <= letter <= "\x7e" for letter in key):
        return key
    raise invalid("key must be a non-empty line of ASCII")
