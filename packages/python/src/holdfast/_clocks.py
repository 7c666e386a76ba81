"""The two clocks that leases are measured with, in seconds.

The monotonic one is never set; on Linux it stands still while the machine sleeps. The clock of the wall goes on then.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clocks(Protocol):
    def monotonic(self) -> float:
        """Seconds, from any beginning."""

    def wall(self) -> float:
        """Seconds since 1970."""


class _System:
    monotonic = staticmethod(time.monotonic)
    wall = staticmethod(time.time)


CLOCKS: Clocks = _System()


def offset_of(clocks: Clocks) -> float:
    """Returns by how much the clock of the wall is ahead of the monotonic one. Sleep makes it greater."""
    return clocks.wall() - clocks.monotonic()
