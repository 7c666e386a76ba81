"""Locks, leases, pools and queues: the client of Holdfast.

`Holdfast` is for threads, `AsyncHoldfast` for asyncio and trio. See README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._async import AsyncHoldfast
from ._async_holds import AsyncHold, AsyncSession
from ._durations import Duration
from ._hold import Reservation, ReservationKey
from ._plan import Match
from ._retries import Retry
from ._sync import Holdfast
from ._sync_holds import Hold, Session
from .errors import HoldfastError, LeaseLost, LimitReached, NotAvailable, Unreachable

if TYPE_CHECKING:
    from ._mirrored import MirroredReservation
    from ._mirrors import AsyncMirror, Mirror

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


def __getattr__(name: str) -> object:
    """Loads what needs anyio and httpx, only if it is used."""
    if name == "MirroredReservation":
        from ._mirrored import MirroredReservation

        return MirroredReservation
    if name in ("AsyncMirror", "Mirror"):
        from . import _mirrors

        return getattr(_mirrors, name)
    raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
