"""The daemon thread of a client for threads: an event loop that carries out its calls and renews its holds."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import suppress
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
    """`work` is carried out in the loop. `undo` gets its result if the caller does not wait for it any more.

    `reply` gets its task when that has ended; None if it never began. `can_end` False: it is never cancelled.
    """

    __slots__ = ("work", "undo", "can_end", "reply", "task", "is_given_up")

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], undo: Undo | None, can_end: bool) -> None:
        self.work = work
        self.undo = undo
        self.can_end = can_end
        self.reply: SimpleQueue[asyncio.Task[T] | None] = SimpleQueue()
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
        self._calls: dict[asyncio.Task[Any], _Call[Any]] = {}
        self._is_woken = False
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="holdfast", daemon=True)
        self._thread.start()

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
        Raises what the work raises; HoldfastError CANCELLED, also if the client is closed meanwhile.
        """
        call = _Call(work, undo, can_end)
        if threading.current_thread() is self._thread:
            # A destructor, which the garbage collector runs in any thread. Waiting here would never end.
            call.is_given_up = True
            self._post(call)
            raise HoldfastError("A destructor cannot wait for this call: it goes on in the background", "CANCELLED")
        try:
            self._post(call)
            task = call.reply.get() if cancel is None else self._answer_or_cancel(call, cancel)
        except BaseException:
            # KeyboardInterrupt, or what a handler of a signal raises: perhaps before the loop was woken.
            self._soon(self._drain)
            if can_end:
                self._give_up(call)
            raise
        if task is None or task.cancelled():
            raise HoldfastError("The call was cancelled", "CANCELLED")
        return task.result()

    def close(self, last: Callable[[], Awaitable[object]]) -> None:
        """Ends all calls, then does what is `last` in the loop, and ends the thread."""

        async def end() -> None:
            try:
                for task, call in self._calls.items():
                    if call.can_end:
                        task.cancel()
                await _ended(self._calls)
                await last()
                others = asyncio.all_tasks() - {asyncio.current_task()}
                for other in others:
                    other.cancel()
                await _ended(others)
            finally:
                self._loop.stop()

        self._soon(lambda: self._loop.create_task(end()))
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        self._loop.run_forever()
        self._is_closed = True
        self._loop.close()
        while self._inbox:
            self._inbox.popleft().reply.put(None)

    def _post(self, call: _Call[Any]) -> None:
        self._inbox.append(call)
        # The thread has ended, perhaps after its last look at the inbox.
        if self._is_closed:
            call.reply.put(None)
        elif not self._is_woken:
            self._is_woken = True
            self._soon(self._drain)

    def _soon(self, act: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # The loop is closed: all calls have ended.
            self._loop.call_soon_threadsafe(act)

    def _drain(self) -> None:
        self._is_woken = False
        while self._inbox:
            call = self._inbox.popleft()
            call.task = self._loop.create_task(call.run())
            self._calls[call.task] = call
            call.task.add_done_callback(self._answer)

    def _answer(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled():
            task.exception()  # Otherwise asyncio logs the error of a call that nobody waits for.
        self._calls.pop(task).reply.put(task)

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
                self._inbox.append(_Call(partial(_undone, call.undo, task.result()), None, False))
                self._drain()

        self._soon(end)
        try:
            call.reply.get(timeout=_PATIENCE)
        except Empty:
            pass


async def _ended(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Waits until tasks have ended, for a limited time."""
    if tasks:
        await asyncio.wait(tasks, timeout=_PATIENCE)


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
        except BaseException as raised:
            # SystemExit would end the loop, with all renewals.
            result, error = None, RuntimeError(f"A function that the client called raised {type(raised).__name__}")
            error.__cause__ = raised
        with suppress(RuntimeError):  # The client was closed meanwhile.
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="holdfast-call", daemon=True).start()
    return await done
