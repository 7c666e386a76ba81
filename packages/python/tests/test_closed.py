"""Clients that are closed, and what must not stop the thread of a client."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from conftest import FakeService, Reply, Request, granted, until
from holdfast import Hold, Holdfast, HoldfastError, LeaseLost


def within(seconds: float, act: Callable[[], object]) -> object:
    """Calls a function in another thread. Returns what it returns or raises. Fails if it takes longer."""
    ended: list[object] = []

    def run() -> None:
        try:
            ended.append(act())
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert ended, "it did not end"
    return ended[0]


class TestClosedClients:
    def test_end_the_calls_of_other_threads_which_leave_the_queue(self, fake: FakeService) -> None:
        def queued(request: Request) -> Reply:
            status = "CANCELLED" if request.path.endswith("/cancel") else "WAITING"
            return 200, {}, [{"status": status} for _ in request.body]

        fake.answer = queued
        client = Holdfast(fake.url, key="k")

        def close() -> None:
            until(lambda: len(fake.of("/reserve")) > 1)
            client.close()

        threading.Thread(target=close).start()
        error = within(20, lambda: client.reserve("printer", wait="1m"))
        assert isinstance(error, HoldfastError)
        assert error.code == "CANCELLED"
        assert fake.of("/cancel")

    def test_connect_again_for_what_they_hold(self, fake: FakeService) -> None:
        def answer(request: Request) -> Reply:
            if request.path.endswith("/Session"):
                return 200, {}, {"session": "s", "token": "t", "expiresAt": "2030-01-01T00:00:00.000Z"}
            return (200, {}, {"released": 1}) if request.path.endswith("/end") else granted(request)

        fake.answer = answer
        client = Holdfast(fake.url, key="k")
        hold, session = client.reserve("printer"), client.session()
        client.close()
        assert within(20, hold.renew) is None
        client.close()
        assert within(20, hold.release) is True
        assert within(20, session.end) == 1
        client.close()

    def test_leave_no_thread_and_no_connection(self, fake: FakeService) -> None:
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        others = [thread for thread in threading.enumerate() if thread.name == "holdfast"]
        gc.disable()
        try:
            for _ in range(5):
                with Holdfast(fake.url, key="k") as client, client.using("printer"):
                    pass
            assert [thread for thread in threading.enumerate() if thread.name == "holdfast"] == others
            # The service needs a moment to see that its side was closed.
            until(lambda: len(os.listdir("/proc/self/fd")) <= before)
        finally:
            gc.enable()


class TestThreadOfAClient:
    def test_does_not_wait_for_itself_in_a_destructor(self, fake: FakeService) -> None:
        with Holdfast(fake.url, key="k") as client:
            hold = client.reserve("printer")
            errors: list[HoldfastError] = []

            async def destroy(core: Any) -> None:
                try:
                    hold.release()
                except HoldfastError as error:
                    errors.append(error)

            within(20, lambda: client._call(destroy))
            assert [error.code for error in errors] == ["CANCELLED"]
            until(lambda: len(fake.of("/unreserve")) == 1)

    def test_outlives_a_function_that_exits(self, fake: FakeService) -> None:
        def key(refused: str | None) -> str:
            sys.exit(3)

        with Holdfast(fake.url, key=key) as client:
            error = within(20, lambda: client.reserve("printer"))
            assert isinstance(error, HoldfastError)
            assert error.code == "INVALID_OPTION"


class TestForkedChildren:
    def test_hear_at_once_that_a_hold_is_not_theirs(self, fake: FakeService) -> None:
        released = threading.Event()

        def answer(request: Request) -> Reply:
            if request.path.endswith("/renew"):
                released.wait(30)
            return granted(request)

        fake.answer = answer
        with Holdfast(fake.url, key="k") as client:
            hold = client.reserve("printer")
            thread = threading.Thread(target=hold.renew)
            thread.start()
            until(lambda: len(fake.of("/renew")) == 1)
            pid = os.fork()
            if pid == 0:
                os._exit(_child(hold))
            assert os.waitpid(pid, 0)[1] == 0
            released.set()
            thread.join(30)


def _child(hold: Hold) -> int:
    """Returns 0 if nothing keeps the child waiting."""
    try:
        is_told = within(10, hold.lost.wait) is True
        return 0 if is_told and isinstance(within(10, hold.renew), LeaseLost) else 1
    except BaseException:
        return 2
