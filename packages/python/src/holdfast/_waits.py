"""The waits of a client that are under way: `cancel` ends them wherever they are, also between two of their calls."""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from ._runtime import Runtime
from .errors import HoldfastError, refusal


class Wait:
    """One wait, from before its first call until it has got something, or nothing of it is left.

    `names` is what it waits for; of a match, its text. `requester`: who waits; the next number may be tried.
    """

    def __init__(self, waits: Waits, title: str, names: Sequence[str]) -> None:
        self.names = names
        self.requester = ""
        self.is_cancelled = False
        self._waits = waits
        self._title = title
        self._scope: anyio.CancelScope | None = None
        self._ended = waits.runtime.flag()

    def asking(self) -> anyio.CancelScope:
        """Returns the scope of its calls, which `cancel` ends."""
        self._scope = anyio.CancelScope()
        return self._scope

    def cancel(self) -> None:
        self.is_cancelled = True
        if self._scope is not None:
            self._scope.cancel()

    def error(self) -> HoldfastError:
        """Returns what its caller gets if it was cancelled."""
        return refusal("NOT_AVAILABLE", f"{self._title}: NOT_AVAILABLE: cancelled")

    def end(self) -> None:
        """To be called when it is over."""
        self._waits.open.discard(self)
        self._ended.set()

    async def ended(self) -> None:
        """Waits until it is over."""
        await self._ended.wait()


class Waits:
    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.open: set[Wait] = set()

    def begin(self, title: str, names: Sequence[str]) -> Wait:
        """As the constructor of Wait."""
        wait = Wait(self, title, names)
        self.open.add(wait)
        return wait

    def cancel(self, name: str, requesters: Sequence[str]) -> list[Wait]:
        """Ends the waits of requesters for a name, and returns them. Nothing of one is left when it has `ended`."""
        meant = [wait for wait in self.open if name in wait.names and wait.requester in requesters]
        for wait in meant:
            wait.cancel()
        return meant
