"""The program of the conformance tests with AsyncHoldfast: each command has a task."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from typing import Any

import anyio
from anyio.abc import TaskGroup
from conform import LOOK_EVERY, Json, Program, Task, WorkFailed, error_fields, hold_fields, options_of, show, spin, write
from holdfast import AsyncHoldfast, NotAvailable


class AsyncTask(Task):
    def __init__(self, id: int) -> None:
        super().__init__(id)
        self.scope = anyio.CancelScope()

    async def work_async(self, how: str, hold: Any) -> None:
        try:
            if how == "spin":
                self.tell("woke", lost=spin(hold))
            while how != "spin" and not self.finished.is_set():
                if how == "look" and hold.lost.is_set():
                    self.tell("lost")
                    break
                await anyio.sleep(LOOK_EVERY)
        except anyio.get_cancelled_exc_class():
            if how == "look" and not self.cancelled.is_set():
                self.tell("lost")
            raise
        if self.fails:
            raise WorkFailed("the work failed")


class AsyncProgram(Program):
    def __init__(self) -> None:
        self.aio = AsyncHoldfast.from_env()
        self.tasks: dict[int, Any] = {}
        self.open = 0
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    async def serve(self) -> None:
        async with anyio.create_task_group() as group:
            with anyio.open_signal_receiver(signal.SIGTERM) as signals:
                group.start_soon(self.read, group)
                async for _ in signals:
                    break
            for task in list(self.tasks.values()):
                task.cancelled.set()
                task.scope.cancel()
            while self.open:
                await anyio.sleep(LOOK_EVERY)
            os._exit(0)

    async def read(self, group: TaskGroup) -> None:
        def read_lines() -> None:
            for line in sys.stdin:
                self.lines.put(line)
            os._exit(0)

        threading.Thread(target=read_lines, daemon=True).start()
        while True:
            while self.lines.empty():
                await anyio.sleep(LOOK_EVERY / 5)
            command = json.loads(self.lines.get() or "")
            task = self.tasks[command["id"]] = AsyncTask(command["id"])
            group.start_soon(self.carry_out_async, task, command)

    async def carry_out_async(self, task: AsyncTask, command: Json) -> None:
        name = command["do"]
        self.open += 1
        try:
            act = getattr(self, f"aio_{name}", None)
            with task.scope:
                answer = getattr(self, f"do_{name}")(task, command) if act is None else await act(task, command)
            if task.scope.cancel_called and name in ("using", "reserve", "tryReserve"):
                write({"id": task.id, "error": {"code": "CANCELLED", "message": "cancelled"}})
            elif name != "fork":
                is_empty = task.scope.cancel_called or (answer is None and name != "tryReserve")
                write({"id": task.id, "answer": {} if is_empty else answer})
        except Exception as error:
            write({"id": task.id, "error": error_fields(error)})
        finally:
            self.open -= 1

    def do_cancel(self, task: Task, command: Json) -> None:
        of = self.tasks[command["of"]]
        of.cancelled.set()
        of.scope.cancel()

    def do_show(self, task: Task, command: Json) -> Json:
        return show(self.aio, self.of(command).subject)

    async def aio_using(self, task: AsyncTask, command: Json) -> None:
        options = options_of(command)
        async with self.aio.using(command.get("target"), **options, **task.told) as hold:
            task.subject = hold
            task.tell("holding", **hold_fields(hold))
            await task.work_async(command.get("work", "look"), hold)

    async def reserved_async(self, task: AsyncTask, command: Json, name: str) -> Json | None:
        owner = self.aio if command.get("session") is None else self.tasks[command["session"]].subject
        hold = task.subject = await getattr(owner, name)(command.get("target"), **options_of(command))
        return None if hold is None else {**hold_fields(hold), "remainingMs": hold.remaining * 1000}

    async def aio_reserve(self, task: AsyncTask, command: Json) -> Json | None:
        return await self.reserved_async(task, command, "reserve")

    async def aio_tryReserve(self, task: AsyncTask, command: Json) -> Json | None:
        return await self.reserved_async(task, command, "try_reserve")

    async def aio_renew(self, task: AsyncTask, command: Json) -> None:
        await self.of(command).subject.renew(command.get("ttl"))

    async def aio_release(self, task: AsyncTask, command: Json) -> Json:
        return {"released": await self.of(command).subject.release()}

    async def aio_session(self, task: AsyncTask, command: Json) -> Json:
        task.subject = await self.aio.session(**command.get("options", {}))
        return {"requester": task.subject.requester}

    async def aio_end(self, task: AsyncTask, command: Json) -> Json:
        return {"released": await self.of(command).subject.end()}

    async def aio_events(self, task: AsyncTask, command: Json) -> None:
        async for event in self.aio.events(types=command.get("types")):
            task.happened(event)

    async def aio_mirror(self, task: AsyncTask, command: Json) -> None:
        async with await self.aio.mirror(on_change=task.changed, on_connection=task.connection) as mirror:
            task.subject = mirror
            task.tell("open")
            await anyio.sleep_forever()

    async def aio_fork(self, task: AsyncTask, command: Json) -> None:
        hold = self.of(command).subject
        if os.fork() != 0:
            return
        # The child has no event loop: the one of its parent stays the parent's.
        child = threading.Thread(target=anyio.run, args=(self.child, task.id, hold, command["target"]))
        child.start()
        child.join()
        os._exit(0)

    async def child(self, id: int, hold: Any, target: str) -> None:
        answer: Json = {"lost": hold.lost.is_set(), "code": None}
        try:
            await (await self.aio.reserve(target)).release()
        except NotAvailable as error:
            answer["code"] = error.code
        answer["requester"] = await self.aio.requester()
        write({"id": id, "answer": answer})


def run(backend: str) -> None:
    """`backend`: `async` or `trio`."""
    anyio.run(AsyncProgram().serve, backend="trio" if backend == "trio" else "asyncio")
