"""The daemon thread of a client for threads: an event loop that carries out its calls and renews its holds."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from .errors import HoldfastError

T = TypeVar("T")
Undo = Callable[[Any], Awaitable[object]]

_LOOK_EVERY = 0.02
"""Seconds until an event that cancels a call is noticed: nothing can wait for it and the call at the same time."""
_PATIENCE = 5.0
"""Longest time for which a caller that gives up waits until what it got is released."""


class _Call(Generic[T]):
    """`work` is carried out in the loop. `undo` gets its result if the caller does not wait for it any more."""

    __slots__ = ("work", "undo", "reply", "task", "is_given_up")

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], undo: Undo | None) -> None:
        self.work = work
        self.undo = undo
        self.reply: SimpleQueue[asyncio.Task[T]] = SimpleQueue()
        self.task: asyncio.Task[T] | None = None
        self.is_given_up = False

    async def run(self) -> T:
        result = await self.work()
        if self.is_given_up and self.undo is not None:
            await self.undo(result)
        return result


class Background:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._inbox: deque[_Call[Any]] = deque()
        self._is_woken = False
        threading.Thread(target=self._loop.run_forever, name="holdfast", daemon=True).start()

    def call(
        self,
        work: Callable[[], Coroutine[Any, Any, T]],
        *,
        cancel: threading.Event | None = None,
        undo: Undo | None = None,
        can_end: bool = True,
    ) -> T:
        """Carries out work in the loop, and waits for its result.

        `cancel` and Ctrl-C end it, and wait until it has cleaned up; `can_end` False: it goes on in the background.
        Raises what the work raises; HoldfastError CANCELLED.
        """
        call = _Call(work, undo)
        self._inbox.append(call)
        if not self._is_woken:
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._drain)
        try:
            task = call.reply.get() if cancel is None else self._answer_or_cancel(call, cancel)
        except BaseException:
            # KeyboardInterrupt, or what a handler of a signal raises.
            if can_end:
                self._give_up(call)
            raise
        if task is None or task.cancelled():
            raise HoldfastError("The call was cancelled", "CANCELLED")
        return task.result()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _drain(self) -> None:
        self._is_woken = False
        while self._inbox:
            call = self._inbox.popleft()
            call.task = self._loop.create_task(call.run())
            call.task.add_done_callback(call.reply.put)

    def _answer_or_cancel(self, call: _Call[T], cancel: threading.Event) -> asyncio.Task[T] | None:
        while not cancel.is_set():
            try:
                return call.reply.get(timeout=_LOOK_EVERY)
            except Empty:
                pass
        self._give_up(call)
        return None

    def _give_up(self, call: _Call[Any]) -> None:
        """Ends a call, and what it got in the same moment."""

        def end() -> None:
            call.is_given_up = True
            task = call.task
            if task is None or not task.done():
                if task is not None:
                    task.cancel()
                return
            if call.undo is not None and not task.cancelled() and task.exception() is None:
                self._inbox.append(_Call(partial(_undone, call.undo, task.result()), None))
                self._drain()

        self._loop.call_soon_threadsafe(end)
        try:
            call.reply.get(timeout=_PATIENCE)
        except Empty:
            pass


async def _undone(undo: Undo, result: object) -> None:
    await undo(result)


async def call_in_thread(function: Callable[..., Any], *arguments: object) -> Any:
    """Calls a function of the user in a thread of its own: it may block, and renewals must go on meanwhile."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: Exception | None) -> None:
        if not done.done():
            done.set_result(result) if error is None else done.set_exception(error)

    def run() -> None:
        try:
            result, error = function(*arguments), None
        except Exception as raised:
            result, error = None, raised
        loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="holdfast-call", daemon=True).start()
    return await done
