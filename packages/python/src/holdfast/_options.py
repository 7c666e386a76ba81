"""Types of options that the clients for threads and for tasks have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .types import Waiting

Condition = Literal["ready", "dirty", "out"]
"""Of a slot: ready for use, to be cleaned, or out of service."""
Mode = Literal["EXCLUSIVE", "SHARED"]
Wanted = Literal["dirty", "out"]
"""A slot in this condition, for those who clean or repair."""
Method = Literal["ALL_OR_NONE", "AS_MANY_AS_POSSIBLE", "FIRST"]
Requests = Sequence[Mapping[str, object]]
"""Of a transaction: as the service has them, with `ttl` instead of `ttlSeconds`."""
OnWaiting = Callable[["Waiting"], object]
"""Called with its place in the queue and who is in the way, while it waits."""
OnEndFixed = Callable[[datetime], object]
"""Called when a booking of somebody else fixes the end of the lease, and each time that this end changes."""
Registration = Mapping[str, object]
Names = list[str] | tuple[str, ...]
"""Of resources. A plain string is a Sequence, too: so a type checker tells one name from several."""


def names_of(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def definitions_of(definitions: Registration | Sequence[Registration]) -> Sequence[Registration]:
    return [definitions] if isinstance(definitions, Mapping) else definitions
