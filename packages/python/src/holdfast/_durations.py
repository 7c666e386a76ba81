"""Durations in options: text with a unit, such as "30s", or a timedelta. The service counts whole seconds."""

from __future__ import annotations

import math
import re
from datetime import timedelta

from .errors import invalid

Duration = str | timedelta | float
"""`"500ms"`, `"30s"`, `"10m"`, `"1.5h"`, `"1d"` or a `timedelta`. Of a lease also `math.inf`: it never ends."""

_TEXT = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST_WAIT = 86_400


def seconds_of(duration: Duration, name: str) -> float:
    """Returns seconds, 0 or more, rounded up to whole ones. `name` is the option, for the message.

    Raises HoldfastError INVALID_OPTION. A plain number is refused: is it seconds or milliseconds?
    """
    seconds = math.nan
    if isinstance(duration, timedelta):
        seconds = duration.total_seconds()
    elif isinstance(duration, str):
        parts = _TEXT.fullmatch(duration)
        seconds = math.nan if parts is None else float(parts[1]) * _UNITS[parts[2]]
    elif duration == math.inf and name == "ttl":
        return math.inf
    if seconds >= 0:
        # 0.3 s are 300 ms, whatever the last bits of the number say.
        return float(math.ceil(round(seconds, 6)))
    endless = ", or math.inf" if name == "ttl" else ""
    raise invalid(f"{name} is text such as '30s', or a timedelta{endless}; not {duration!r}")


def ttl_of(ttl: Duration) -> float:
    """Returns the seconds of a lease, at least 1; infinity: it never ends. Raises HoldfastError INVALID_OPTION."""
    seconds = seconds_of(ttl, "ttl")
    if seconds > 0:
        return seconds
    raise invalid("ttl is at least '1s'")


def wait_of(wait: Duration | None) -> float:
    """Returns the seconds of a wait; 0: not at all. Raises HoldfastError INVALID_OPTION."""
    seconds = 0 if wait is None else seconds_of(wait, "wait")
    if seconds <= _LONGEST_WAIT:
        return seconds
    raise invalid("wait is at most '1d'")
