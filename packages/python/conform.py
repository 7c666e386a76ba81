"""The program of the conformance tests (test/clients/README.md): commands on stdin, answers on stdout.

`--async` runs it with AsyncHoldfast under asyncio, `--trio` under trio.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "src"))

from holdfast import Holdfast, HoldfastError, LeaseLost, NotAvailable  # noqa: E402

Json = dict[str, Any]
LOOK_EVERY = 0.01
STOPPED = 1.0
"""A step that took longer means that the process was stopped."""
SPIN = 30.0


class WorkFailed(Exception):
    """The error of the work."""


class Cancelled(Exception):
    """The command was cancelled while its work ran."""


def write(line: Json) -> None:
    """In one write: lines of several threads do not mix."""
    os.write(1, (json.dumps(line) + "\n").encode())


def code_of(error: BaseException) -> str:
    if isinstance(error, HoldfastError):
        return error.code
    codes: dict[type, str] = {WorkFailed: "WORK", Cancelled: "CANCELLED"}
    return codes.get(type(error), "OTHER")


def error_fields(error: BaseException) -> Json:
    fields: Json = {"code": code_of(error), "message": str(error)}
    if (cause := error.__cause__) is not None:
        fields["cause"] = str(cause) if code_of(cause) == "OTHER" else code_of(cause)
    if isinstance(error, HoldfastError):
        after = None if error.retry_after is None else error.retry_after * 1000
        more = {"status": error.status, "retryAfterMs": after}
        for name, field in (("held_by", "heldBy"), ("limit_type", "limitType")):
            more[field] = getattr(error, name, None)
        fields.update({name: value for name, value in more.items() if value is not None})
    return fields


def options_of(command: Json) -> Json:
    """Returns the options as Python spells them."""
    return {"min_ttl" if name == "minTtl" else name: value for name, value in command.get("options", {}).items()}


def hold_fields(hold: Any) -> Json:
    return {
        "resources": list(hold.resources),
        "slots": list(hold.slots),
        "fencingToken": hold.fencing_token,
        "requester": hold.requester,
    }


def show(client: object, hold: object) -> Json:
    return {"text": " ".join([repr(client), str(client), repr(hold), str(hold), f"{hold}"])}


def look(subject: Any) -> Json:
    """Asks nobody."""
    try:
        subject.raise_if_lost()
    except LeaseLost:
        return {"lost": True, "remainingMs": 0}
    return {"lost": False, **({"remainingMs": subject.remaining * 1000} if hasattr(subject, "remaining") else {})}


def spin(hold: Any) -> bool:
    """One look at the clock in each round: a stop may fall between any two. Returns whether the hold is lost."""
    give_up_at = time.monotonic() + SPIN
    last = now = time.monotonic()
    while now - last < STOPPED:
        if now > give_up_at:
            raise WorkFailed("it was not stopped")
        last, now = now, time.monotonic()
    lost: bool = hold.lost.is_set()
    return lost


class Task:
    """A command that is open: it can be cancelled, and its work can be finished."""

    def __init__(self, id: int) -> None:
        self.id = id
        self.cancelled = threading.Event()
        self.finished = threading.Event()
        self.fails = False
        self.subject: Any = None

    def tell(self, event: str, **fields: object) -> None:
        write({"id": self.id, "event": event, **fields})

    def waiting(self, waiting: Any) -> None:
        self.tell("waiting", ahead=waiting["ahead"])

    def end_fixed(self, end: datetime) -> None:
        self.tell("endFixed", end=end.isoformat())

    @property
    def told(self) -> Json:
        """The functions that a `using` calls."""
        return {"on_waiting": self.waiting, "on_end_fixed": self.end_fixed}

    def changed(self, resource: str, reservations: Any) -> None:
        self.tell("change", resource=resource, requesters=[one.requester for one in reservations])

    def connection(self, connected: bool) -> None:
        self.tell("connection", connected=connected)

    def happened(self, event: Any) -> None:
        fields = {name: event[name] for name in ("resource", "requester") if event.get(name) is not None}
        self.tell(event["type"], **fields)

    def work(self, how: str, hold: Any) -> None:
        if how == "spin":
            self.tell("woke", lost=spin(hold))
        while how != "spin" and not self.finished.wait(LOOK_EVERY):
            if how == "look" and hold.lost.is_set():
                self.tell("lost")
                break
            if self.cancelled.is_set():
                raise Cancelled("cancelled")
        if self.fails:
            raise WorkFailed("the work failed")


class Program:
    """With Holdfast: each command has a thread."""

    def __init__(self) -> None:
        self.client = Holdfast.from_env()
        self.tasks: dict[int, Task] = {}
        self.threads: list[threading.Thread] = []

    def run(self) -> None:
        signal.signal(signal.SIGTERM, self.stop)
        for line in sys.stdin:
            command = json.loads(line)
            task = self.tasks[command["id"]] = Task(command["id"])
            thread = threading.Thread(target=self.carry_out, args=(task, command), daemon=True)
            self.threads.append(thread)
            thread.start()
        os._exit(0)

    def stop(self, *_: object) -> None:
        def end() -> None:
            for task in list(self.tasks.values()):
                task.cancelled.set()
            for thread in list(self.threads):
                thread.join()
            os._exit(0)

        threading.Thread(target=end, daemon=True).start()

    def carry_out(self, task: Task, command: Json) -> None:
        try:
            act: Callable[[Task, Json], object] = getattr(self, f"do_{command['do']}")
            answer = act(task, command)
            if command["do"] != "fork":
                write({"id": task.id, "answer": {} if answer is None and command["do"] != "tryReserve" else answer})
        except Exception as error:
            write({"id": task.id, "error": error_fields(error)})

    def of(self, command: Json) -> Task:
        return self.tasks[command["of"]]

    def do_using(self, task: Task, command: Json) -> None:
        options = options_of(command)
        using = self.client.using(command.get("target"), **options, cancel=task.cancelled, **task.told)
        with using as hold:
            task.subject = hold
            task.tell("holding", **hold_fields(hold))
            task.work(command.get("work", "look"), hold)

    def do_finish(self, task: Task, command: Json) -> None:
        of = self.of(command)
        of.fails = of.fails or command.get("fail", False)
        of.finished.set()

    def do_cancel(self, task: Task, command: Json) -> None:
        self.of(command).cancelled.set()

    def reserved(self, task: Task, command: Json, name: str) -> Json | None:
        owner = self.client if command.get("session") is None else self.tasks[command["session"]].subject
        options = options_of(command)
        hold = getattr(owner, name)(command.get("target"), **options, cancel=task.cancelled)
        task.subject = hold
        return None if hold is None else {**hold_fields(hold), "remainingMs": hold.remaining * 1000}

    def do_reserve(self, task: Task, command: Json) -> Json | None:
        return self.reserved(task, command, "reserve")

    def do_tryReserve(self, task: Task, command: Json) -> Json | None:
        return self.reserved(task, command, "try_reserve")

    def do_look(self, task: Task, command: Json) -> Json:
        return look(self.of(command).subject)

    def do_renew(self, task: Task, command: Json) -> None:
        self.of(command).subject.renew(command.get("ttl"))

    def do_release(self, task: Task, command: Json) -> Json:
        return {"released": self.of(command).subject.release()}

    def do_show(self, task: Task, command: Json) -> Json:
        return show(self.client, self.of(command).subject)

    def do_session(self, task: Task, command: Json) -> Json:
        task.subject = self.client.session(**command.get("options", {}))
        return {"requester": task.subject.requester}

    def do_end(self, task: Task, command: Json) -> Json:
        return {"released": self.of(command).subject.end()}

    def do_events(self, task: Task, command: Json) -> None:
        for event in self.client.events(types=command.get("types"), cancel=task.cancelled):
            task.happened(event)

    def do_mirror(self, task: Task, command: Json) -> None:
        with self.client.mirror(on_change=task.changed, on_connection=task.connection) as mirror:
            task.subject = mirror
            task.tell("open")
            task.cancelled.wait()

    def do_mirrored(self, task: Task, command: Json) -> Json:
        entries = self.of(command).subject.entries()
        return {"held": {name: [one.requester for one in reservations] for name, reservations in entries}}

    def do_fork(self, task: Task, command: Json) -> None:
        hold = self.of(command).subject
        if os.fork() != 0:
            return
        answer: Json = {"lost": hold.lost.is_set(), "code": None}
        try:
            own = self.client.reserve(command["target"])
            own.release()
        except NotAvailable as error:
            answer["code"] = error.code
        answer["requester"] = self.client.requester
        write({"id": task.id, "answer": answer})
        os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:]:
        from conform_async import run

        run(sys.argv[1].removeprefix("--"))
    else:
        Program().run()
