"""For how long calls are repeated, and who hears of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from ._durations import Duration, seconds_of
from .errors import HoldfastError


class Retry(NamedTuple):
    """A request that failed and is sent again."""

    error: HoldfastError
    attempt: int
    """Number of times that it was sent until now."""
    delay: float
    """When it is sent again, in seconds from now."""



class Retries:
    """Raises HoldfastError INVALID_OPTION."""

    def __init__(self, retry_for: Duration) -> None:
        self._seconds = seconds_of(retry_for, "retry_for")
        self.on_retry: Callable[[Retry], None] | None = None
        """Must not raise, and return at once."""

    def deadline(self) -> float:
        """Returns the monotonic clock after which a call that begins now is not repeated, if it does not say."""
        return time.monotonic() + self._seconds

    def tell(self, error: HoldfastError, attempt: int, delay: float) -> None:
        if self.on_retry is not None:
            self.on_retry(Retry(error, attempt, delay))
