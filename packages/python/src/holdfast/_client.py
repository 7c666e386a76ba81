"""What the clients for threads and for tasks have in common: how they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ._durations import Duration
from ._retries import Retry
from ._settings import Key, Settings, settings_of_process

C = TypeVar("C", bound="Client")


class Client:
    def __init__(
        self,
        url: str,
        *,
        key: Key,
        requester: str | None = None,
        retry_for: Duration = "30s",
        on_retry: Callable[[Retry], object] | None = None,
    ) -> None:
        self._settings = Settings(url, key, requester, retry_for, on_retry)

    @classmethod
    def from_env(
        cls: type[C],
        *,
        requester: str | None = None,
        retry_for: Duration = "30s",
        on_retry: Callable[[Retry], object] | None = None,
    ) -> C:
        """Makes a client of HOLDFAST_URL, and HOLDFAST_KEY, HOLDFAST_KEY_FILE or the JWT of a CI job.

        Raises HoldfastError INVALID_OPTION: it names the variable.
        """
        client = cls.__new__(cls)
        client._settings = settings_of_process(requester, retry_for, on_retry)
        return client

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.base.removesuffix('/api/v1')!r})"
