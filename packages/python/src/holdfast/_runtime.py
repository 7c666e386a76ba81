"""The parts of asyncio and trio that the client needs: work in the background, and waiting for it.

Work of a client outlives the call that began it (a release, the renewals), and often the task of the caller. So it is
spawned beside all tasks, not in a task group of a caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

import anyio
import sniffio

T = TypeVar("T")


class Flag(Protocol):
    """Is set once. Who waits goes on then."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...
    async def wait(self) -> object: ...


class Runtime(Protocol):
    """Of one event loop."""

    def flag(self) -> Flag: ...

    def spawn(self, work: Callable[[], Awaitable[None]]) -> None:
        """Runs work in the background. It must not raise."""

    def later(self, seconds: float, act: Callable[[], object]) -> Callable[[], object]:
        """Calls a function later; 0: after what is ready now. Returns a function that prevents it."""

    def is_current(self) -> bool:
        """Whether the caller runs in this loop."""


class _Event:
    """As asyncio.Event, which takes three times as long: one is made for each call."""

    __slots__ = ("_loop", "_is_set", "_waiters")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_set = False
        self._waiters: list[asyncio.Future[None]] = []

    def set(self) -> None:
        self._is_set = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def is_set(self) -> bool:
        return self._is_set

    async def wait(self) -> None:
        if not self._is_set:
            waiter = self._loop.create_future()
            self._waiters.append(waiter)
            await waiter


class _Asyncio:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    def flag(self) -> Flag:
        return _Event(self._loop)

    def spawn(self, work: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            await work()

        # The loop itself keeps no reference to a task.
        task = self._loop.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def later(self, seconds: float, act: Callable[[], object]) -> Callable[[], object]:
        if seconds <= 0:
            return self._loop.call_soon(act).cancel
        return self._loop.call_later(seconds, act).cancel

    def is_current(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:  # It runs in trio.
            return False


class _Trio:
    def __init__(self) -> None:
        import trio  # type: ignore[import]

        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()

    def flag(self) -> Flag:
        event: Flag = self._trio.Event()
        return event

    def spawn(self, work: Callable[[], Awaitable[None]]) -> None:
        self._trio.lowlevel.spawn_system_task(work)

    def later(self, seconds: float, act: Callable[[], object]) -> Callable[[], object]:
        scope = anyio.CancelScope()

        async def run() -> None:
            with scope:
                await anyio.sleep(seconds)
                act()

        self.spawn(run)
        return scope.cancel

    def is_current(self) -> bool:
        try:
            return self._trio.lowlevel.current_trio_token() is self._token
        except RuntimeError:  # It runs in asyncio.
            return False


def runtime_here() -> Runtime:
    """Returns the runtime of the event loop that the caller runs in."""
    if sniffio.current_async_library() == "trio":
        return _Trio()
    return _Asyncio()


class Running(Generic[T]):
    """Work in the background, with a result."""

    def __init__(self, runtime: Runtime, work: Callable[[], Awaitable[T]]) -> None:
        self._done = runtime.flag()
        self._scope = anyio.CancelScope()
        self._result: list[T] = []
        self.error: Exception | None = None

        async def run() -> None:
            try:
                with self._scope:
                    self._result.append(await work())
            except Exception as error:
                self.error = error
            finally:
                self._done.set()

        runtime.spawn(run)

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    @property
    def value(self) -> T | None:
        """The result, if there is one by now."""
        return self._result[0] if self._result else None

    def cancel(self) -> None:
        self._scope.cancel()

    def fail(self, error: Exception) -> None:
        """Ends it with an error."""
        self.error = error
        self._scope.cancel()

    async def ended(self) -> None:
        """Waits for its end, however it ends."""
        await self._done.wait()

    async def result(self) -> T:
        """Waits for it. If the caller is cancelled, the work goes on."""
        await self._done.wait()
        if self.error is not None:
            raise self.error
        if not self._result:
            raise RuntimeError("The event loop was closed meanwhile")
        return self._result[0]
