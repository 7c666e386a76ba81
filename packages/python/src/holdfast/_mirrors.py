"""The mirrors of the two clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from ._core import Core
from ._mirror import BaseMirror, OnChange, OnConnection

if TYPE_CHECKING:
    from ._sync_calls import Calls
    from ._sync_holds import Hold


class Mirror(BaseMirror):
    """A copy of what is held. It follows until it is closed, also by the end of a `with` block."""

    _client: Calls

    @staticmethod
    async def open(
        client: Calls,
        core: Core[Hold],
        on_change: OnChange | None,
        on_connection: OnConnection | None,
        waiting: bool,
    ) -> Mirror:
        mirror = Mirror(core.api, core.call_user, on_change, on_connection, waiting)
        mirror._client = client
        await mirror._open()
        return mirror

    def close(self) -> None:
        """Ends it. It keeps its last state."""
        self._client._call(lambda core: self._close(), can_end=False)

    def wait_closed(self) -> None:
        """Waits until it has ended. Raises HoldfastError if the service refuses the key; what a function raises."""
        self._client._call(lambda core: self._closed())

    def __enter__(self) -> Mirror:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMirror(BaseMirror):
    """A copy of what is held. It follows until it is closed, also by the end of an `async with` block."""

    @staticmethod
    async def open(
        core: Core[Any], on_change: OnChange | None, on_connection: OnConnection | None, waiting: bool
    ) -> AsyncMirror:
        mirror = AsyncMirror(core.api, core.call_user, on_change, on_connection, waiting)
        await mirror._open()
        return mirror

    async def aclose(self) -> None:
        """Ends it. It keeps its last state."""
        with anyio.CancelScope(shield=True):
            await self._close()

    async def wait_closed(self) -> None:
        """Waits until it has ended. Raises HoldfastError if the service refuses the key; what a function raises."""
        await self._closed()

    async def __aenter__(self) -> AsyncMirror:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
