"""Locks, leases, pools and queues: the client of Holdfast.

`Holdfast` is for threads, `AsyncHoldfast` for asyncio and trio. See README.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._async import AsyncHoldfast
    from ._async_holds import AsyncHold, AsyncSession
    from ._durations import Duration
    from ._mirrored import MirroredReservation
    from ._mirrors import AsyncMirror, Mirror
    from ._plan import Match
    from ._reservations import Reservation, ReservationKey
    from ._retries import Retry
    from ._sync import Holdfast
    from ._sync_holds import Hold, Session
    from .errors import HoldfastError, LeaseLost, LimitReached, NotAvailable, Unreachable

__all__ = [
    "AsyncHold",
    "AsyncHoldfast",
    "AsyncMirror",
    "AsyncSession",
    "Duration",
    "Hold",
    "Holdfast",
    "HoldfastError",
    "LeaseLost",
    "LimitReached",
    "Match",
    "Mirror",
    "MirroredReservation",
    "NotAvailable",
    "Reservation",
    "ReservationKey",
    "Retry",
    "Session",
    "Unreachable",
]

_HOMES = {
    "_async": ("AsyncHoldfast",),
    "_async_holds": ("AsyncHold", "AsyncSession"),
    "_durations": ("Duration",),
    "_mirrored": ("MirroredReservation",),
    "_mirrors": ("AsyncMirror", "Mirror"),
    "_plan": ("Match",),
    "_reservations": ("Reservation", "ReservationKey"),
    "_retries": ("Retry",),
    "_sync": ("Holdfast",),
    "_sync_holds": ("Hold", "Session"),
    "errors": ("HoldfastError", "LeaseLost", "LimitReached", "NotAvailable", "Unreachable"),
}


def __getattr__(name: str) -> object:
    """Loads a module when a name of it is used: pytest loads the plugin of this package in every run."""
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists the names that load themselves, too, for `dir` and for completion."""
    return [*globals(), *__all__]
