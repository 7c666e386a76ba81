"""Reads what a caller wants to reserve, and how: names or a match, and the options. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import inf
from typing import Any, Literal

from ._durations import Duration, ttl_of, wait_of
from .errors import invalid

Match = Mapping[str, str | Sequence[str] | Mapping[Literal["not"], str | Sequence[str]]]
"""Labels: `{"os": ["android", "ios"], "site": {"not": "berlin"}}`."""
Target = str | Sequence[str]
"""A name, or several names to take together."""
Json = dict[str, Any]
OnWaiting = Callable[[Any], object]
OnEndFixed = Callable[[datetime], object]

WAIT_NEEDS_TTL = "a request that waits needs a ttl that ends, not math.inf"
"""Otherwise a grant to a caller that has died unnoticed would never end."""
_MAX_TEXT = 200


class Plan:
    """What a call takes. `title` is for messages; `keys` are its names, and the text of its match.

    `wait` is None for a try. `ttl` and `wait` are in seconds; an infinite `ttl` never ends.
    """

    __slots__ = (
        "title", "keys", "items", "ttl", "wait", "priority", "requester", "on_waiting", "on_end_fixed", "is_match",
    )  # fmt: skip

    def __init__(self, keys: Sequence[str], items: Sequence[Json], ttl: float, wait: float | None) -> None:
        self.title = ", ".join(keys)
        self.keys = keys
        self.items = items
        self.ttl = ttl
        self.wait = wait
        self.priority = 0
        self.requester: str | None = None
        self.on_waiting: OnWaiting | None = None
        self.on_end_fixed: OnEndFixed | None = None
        self.is_match = False


def plan_of(
    target: Target | None,
    *,
    match: Match | None = None,
    quantity: int | None = None,
    count: int | None = None,
    ttl: Duration = "30s",
    min_ttl: Duration | None = None,
    wait: Duration | None = None,
    priority: int = 0,
    mode: str | None = None,
    condition: str | None = None,
    note: str | None = None,
    requester: str | None = None,
    on_waiting: OnWaiting | None = None,
    on_end_fixed: OnEndFixed | None = None,
    session: str | None = None,
) -> Plan:
    """Returns the plan of a call. `session`: its reservations belong to it, instead of a lease of their own.

    Raises HoldfastError INVALID_OPTION.
    """
    seconds = ttl_of(ttl)
    waits = wait_of(wait)
    check_priority(priority)
    if waits > 0 and seconds == inf and session is None:
        raise invalid(WAIT_NEEDS_TTL)
    names = _names_of(target, match)
    text = "" if match is None else text_of(match)
    copies = _copies_of(match, quantity)
    lease = None if seconds == inf or session is not None else int(seconds)
    least = None if min_ttl is None else int(ttl_of(min_ttl))
    common = item_of(
        ttlSeconds=lease, minTtlSeconds=least, session=session, note=note, count=count, mode=mode, condition=condition,
    )  # fmt: skip
    # A match does not pick what its requester has: so names come first.
    items: list[Json] = [{"resource": name, **common} for name in names]
    items += [{"match": match, **common} for _ in range(copies)]
    plan = Plan([*names, *[text] * copies], items, seconds, waits if waits > 0 else None)
    if copies > 1:
        plan.title = ", ".join([*names, f"{copies} × {text}"])
    plan.priority = priority
    plan.requester = requester
    plan.on_waiting = on_waiting
    plan.on_end_fixed = on_end_fixed
    plan.is_match = not names
    return plan


def item_of(**fields: object) -> Json:
    """Returns the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def check_priority(priority: int) -> None:
    """Checks it also without a wait, which the service would not see. Raises HoldfastError INVALID_OPTION."""
    if not isinstance(priority, int) or abs(priority) > 100:
        raise invalid(f"priority is an integer from -100 to 100, not {priority!r}")


def _names_of(target: Target | None, match: Match | None) -> list[str]:
    if target is None:
        if match is not None:
            return []
        raise invalid("the target is a name, several names, or match=")
    names = [target] if isinstance(target, str) else list(target)
    if not all(isinstance(name, str) for name in names):
        raise invalid("names are text")
    if not names:
        raise invalid("at least one name is needed")
    if len(set(names)) < len(names):
        raise invalid("a name is there twice")
    return names


def _copies_of(match: Match | None, quantity: int | None) -> int:
    if quantity is not None and (match is None or not isinstance(quantity, int) or quantity < 1):
        raise invalid(f"quantity is a number of resources with a match, at least 1, not {quantity!r}")
    return 0 if match is None else quantity or 1


def text_of(match: Match) -> str:
    """Returns the text that the service has for a match (docs/specification.md#any-resource-that-fits)."""
    lines: set[str] = set()
    for key, values in match.items():
        is_not = isinstance(values, Mapping)
        wanted = values["not"] if isinstance(values, Mapping) else values
        for value in [wanted] if isinstance(wanted, str) else wanted:
            lines.add(f"{key}{'!=' if is_not else '='}{value}")
    # JavaScript sorts by UTF-16 units.
    text = ",".join(sorted(lines, key=lambda line: line.encode("utf-16-be")))
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT - 1]}…"
