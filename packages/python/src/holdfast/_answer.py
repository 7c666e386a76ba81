"""The answer of a call of the service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .errors import HoldfastError

OnFailure = Callable[[HoldfastError], None]
"""Called with the error of each attempt that is repeated."""


class Answer(NamedTuple):
    result: Any
    sent_at: float
    """The monotonic clock at which the last attempt was sent, the one that was answered.

    What it began or renewed lasts from then, or later. `ALREADY_HAD`, or a response that was kept for an
    Idempotency-Key, is of an earlier attempt.
    """
    is_repeated: bool
    """Whether an earlier attempt may have been carried out: its response was lost."""
