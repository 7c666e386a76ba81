"""Who reserves. A client's own requester is unique.

Reservations that one client makes at the same time exclude each other too: while one of the same name is wanted or
held, the next one is made by `<requester>#2`, and so on. No I/O.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from math import inf

from ._clocks import CLOCKS, Clocks

_DRIFT = 1.0
"""Clocks drift: a number is used again so many seconds later than the lease of the last one ends."""
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


class Use:
    """One reservation, from when it is wanted until it has ended.

    `number` is 1 for the requester itself, 2 for `<requester>#2`; 0: the caller chose the requester. `ends_by` returns
    the monotonic clock by which it has ended even if nobody says so.
    """

    __slots__ = ("requester", "number", "keys", "tokens", "ends_by")

    def __init__(self, requester: str, number: int, keys: Sequence[str]) -> None:
        self.requester = requester
        self.number = number
        self.keys = keys
        self.tokens: Sequence[str] = ()
        self.ends_by: Callable[[], float] = _never


class Requesters:
    """`chosen` is the requester that the user chose for the client."""

    def __init__(self, chosen: str | None, clocks: Clocks = CLOCKS) -> None:
        self._is_chosen = chosen is not None
        self.base = unique_requester() if chosen is None else chosen
        self._clocks = clocks
        self._uses: dict[tuple[int, str], Use] = {}
        self._by_token: dict[str, Use] = {}
        self._sessions = 0
        self._sweep_at = 1024

    def begin(self, keys: Sequence[str], chosen: str | None, above: int) -> Use:
        """Finds the requester for a reservation of some names; `above`: only with higher numbers than this."""
        self._sweep()
        if chosen is not None or self._is_chosen:
            return Use(self.base if chosen is None else chosen, 0, keys)
        number = above + 1
        while not all(self._is_free(key, number) for key in keys):
            number += 1
        use = Use(f"{self.base}#{number}" if number > 1 else self.base, number, keys)
        for key in keys:
            self._uses[number, key] = use
        return use

    def made(self, use: Use, tokens: Sequence[str], ends_by: Callable[[], float]) -> None:
        """The reservation was made. `ends_by` returns the latest end of its lease, by the monotonic clock."""
        use.ends_by = ends_by
        use.tokens = tokens
        for token in tokens:
            self._by_token[token] = use

    def end(self, use: Use) -> None:
        """It was not made, or it has been released."""
        for token in use.tokens:
            if self._by_token.get(token) is use:
                del self._by_token[token]
        for key in use.keys:
            if self._uses.get((use.number, key)) is use:
                del self._uses[use.number, key]

    def is_held(self, token: str) -> bool:
        """Returns whether a reservation that this client made, and that may be in force, has this release token."""
        use = self._by_token.get(token)
        return use is not None and not self._is_over(use)

    def waiting_for(self, key: str) -> list[str]:
        """Returns all requesters that may wait for a name now: the client's own, and its numbers."""
        uses = [use for use in self._uses.values() if key in use.keys]
        return list(dict.fromkeys([self.base, *(use.requester for use in uses)]))

    def for_session(self, chosen: str | None) -> str:
        """Returns a requester for a session: sessions of one client exclude each other too."""
        if chosen is not None or self._is_chosen:
            return self.base if chosen is None else chosen
        self._sessions += 1
        return f"{self.base}/session-{self._sessions}"

    def _is_over(self, use: Use) -> bool:
        return use.ends_by() + _DRIFT < self._clocks.monotonic()

    def _is_free(self, key: str, number: int) -> bool:
        use = self._uses.get((number, key))
        return use is None or self._is_over(use)

    def _sweep(self) -> None:
        """Forgets reservations that were never released, whose leases have ended."""
        if len(self._by_token) < self._sweep_at:
            return
        for use in set(self._by_token.values()):
            if self._is_over(use):
                self.end(use)
        self._sweep_at = max(1024, 2 * len(self._by_token))


def _never() -> float:
    return inf


def unique_requester() -> str:
    """Returns `<host>-<pid>-<random>`."""
    return f"{socket.gethostname()[:64]}-{os.getpid()}-{random_text(8)}"


def random_text(length: int) -> str:
    """Returns random letters and digits, 5 bits each."""
    return "".join(_LETTERS[byte % 32] for byte in os.urandom(length))
