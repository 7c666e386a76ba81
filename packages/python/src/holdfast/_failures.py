"""The errors of exchanges: made from responses, and what they mean for a repeat (docs/specification.md#errors).

No I/O. Times are in seconds.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

from .errors import HoldfastError, LimitReached, NotAvailable, unexpected

_FIRST_DELAY = 0.05
_MAX_DELAY = 2.0
_MAX_ATTEMPT = 10.0
_MIN_ATTEMPT = 1.0


def error_of(status: int, headers: Mapping[str, str], body: object) -> HoldfastError:
    """Returns the error of a status that is no success.

    `headers` are case-insensitive; `body` is JSON: a string (400), `{error, code}`, or None: the page of a proxy.
    """
    if status in (301, 302, 303, 307, 308):
        return HoldfastError("url redirects elsewhere", "UNEXPECTED_RESPONSE", status=status)
    error: HoldfastError
    if isinstance(body, str) and status >= 400:
        error = HoldfastError(body, headers.get("Holdfast-Error", "MALFORMED_REQUEST"))
    elif isinstance(body, dict) and isinstance(body.get("error"), str) and isinstance(body.get("code"), str):
        error = _described(body["code"], body["error"], body.get("limitType"))
    else:
        error = unexpected("UNAVAILABLE" if status == 503 else "UNEXPECTED_RESPONSE")
    after = headers.get("Retry-After", "")
    error.status = status
    error.request_id = headers.get("X-Request-Id")
    error.retry_after = float(after) if after.isascii() and after.isdigit() else None
    return error


def _described(code: str, message: str, limit_type: object) -> HoldfastError:
    if code == "LIMIT_REACHED":
        error = LimitReached(message, code)
        error.limit_type = limit_type if isinstance(limit_type, str) else None
        return error
    return NotAvailable(message, code) if code == "NOT_AVAILABLE" else HoldfastError(message, code)


def is_retryable(error: HoldfastError) -> bool:
    """Returns whether a repeat may succeed."""
    code, status = error.code, error.status
    if code in ("UNREACHABLE", "REQUEST_RUNNING") or status in (408, 502, 504):
        return True
    return (status == 429 and error.retry_after is not None) or (status == 503 and code != "NOT_CONFIGURED")


def may_have_run(error: HoldfastError) -> bool:
    """Returns whether the request may have been carried out."""
    return (error.status or 500) >= 500 and error.code != "OVERLOADED"


def is_for_all(error: HoldfastError) -> bool:
    """Returns whether every request of this caller gets this error."""
    if error.status == 401 or limit_of(error) == "FailedAuthentications":
        return True
    return error.status != 429 and is_retryable(error)


def is_used_up(error: HoldfastError) -> bool:
    """Returns whether a quota is used up, since a request of one item was refused."""
    return limit_of(error).endswith(("PerMinute", "PerDay"))


def is_unreachable(error: BaseException) -> bool:
    """Returns whether the service could not be reached: then reservations that were not released end by themselves."""
    if not isinstance(error, HoldfastError):
        return False
    return error.code == "UNREACHABLE" or (error.status or 503) >= 500 or error.status in (408, 429)


def limit_of(error: HoldfastError) -> str:
    """Returns the limit that was reached, or an empty text."""
    return error.limit_type or "" if isinstance(error, LimitReached) else ""


def attempt_time(deadline: float) -> float:
    """Returns the timeout of an attempt: a third of the time left, so that there is time for two more."""
    return min(_MAX_ATTEMPT, max(_MIN_ATTEMPT, (deadline - time.monotonic()) / 3))


def delay_before(error: HoldfastError, tries: int, deadline: float) -> float | None:
    """Returns the pause before a request is sent again; None: it is not. `tries`: how often it was sent, at least 1."""
    left = deadline - time.monotonic()
    if left <= 0 or not is_retryable(error):
        return None
    jitter: float = random.random() * min(_MAX_DELAY, _FIRST_DELAY * 2 ** min(tries - 1, 10))
    # With 429 and 409 the service says when. With 503 its time is a guess, and the same for all callers.
    if error.status not in (429, 409):
        return min(jitter, left)
    after = error.retry_after or 0
    return None if after > left else after + jitter
