"""`cancel` ends the waits of its client, in whichever moment: when it returns, nothing of them is left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from conftest import Answering, serve, until
from holdfast import Hold, Holdfast, NotAvailable

Way = Callable[[Holdfast, str], object]


class Door:
    """A proxy before a service. It keeps the first request whose path has a text, or the answer to it."""

    def __init__(self, target: str) -> None:
        self.paths: list[str] = []
        self.keeps: tuple[str, str] | None = None
        """`request` or `answer`, and the text."""
        self.kept = threading.Event()
        self.opened = threading.Event()
        door = self

        class Handler(Answering):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                door.paths.append(self.path)
                door.keep("request", self.path)
                service = HTTPConnection(urlsplit(target).netloc)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                service.request(self.command, self.path, body, headers)
                response = service.getresponse()
                content = response.read()
                door.keep("answer", self.path)
                self.reply(response.status, {"Content-Type": "application/json"}, content)

        self.server = serve(Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def keep(self, what: str, path: str) -> None:
        if self.keeps is None or self.keeps[0] != what or self.keeps[1] not in path:
            return
        self.keeps = None
        self.kept.set()
        self.opened.wait()

    def count(self, path: str) -> int:
        return sum(path in one for one in self.paths)


@pytest.fixture
def door(service: tuple[str, str]) -> Iterator[Door]:
    door = Door(service[0])
    yield door
    door.opened.set()
    door.server.shutdown()


@pytest.fixture
def behind(door: Door, service: tuple[str, str]) -> Iterator[Holdfast]:
    with Holdfast(door.url, key=service[1]) as client:
        yield client


@pytest.fixture
def held(client: Holdfast) -> Hold:
    return client.reserve(f"python-{uuid4()}")


def expect_nothing_left(client: Holdfast, held: Hold) -> None:
    """Nobody waits, and nobody else has it: at once, without another look."""
    assert client.waiting(resource=held.resource) == []
    held.release()
    assert client.active(resource=held.resource) == []


def one(client: Holdfast, name: str) -> object:
    return client.reserve(name, wait="1m")


def several(client: Holdfast, name: str) -> object:
    return client.reserve([f"{name}-free", name], wait="1m")


def transaction(client: Holdfast, name: str) -> object:
    return client.transaction("ALL_OR_NONE", [{"requestType": "RESERVE", "resource": name}], wait="1m")


class TestACancelledWaitEndsAndLeavesNothing:
    @pytest.mark.parametrize("way", [one, several, transaction])
    def test_while_its_first_call_is_overtaken(
        self, client: Holdfast, behind: Holdfast, door: Door, held: Hold, way: Way
    ) -> None:
        self.cancelled(behind, door, held.resource, way, "request", "/Reservation/")
        expect_nothing_left(client, held)

    def test_while_the_answer_to_its_first_call_is_on_its_way(
        self, client: Holdfast, behind: Holdfast, door: Door, held: Hold
    ) -> None:
        self.cancelled(behind, door, held.resource, one, "answer", "/Reservation/")
        expect_nothing_left(client, held)

    @pytest.mark.parametrize("way", [one, several, transaction])
    def test_while_it_has_been_granted_and_does_not_know_it_yet(
        self, client: Holdfast, behind: Holdfast, door: Door, held: Hold, way: Way
    ) -> None:
        held.release()
        self.cancelled(behind, door, held.resource, way, "answer", "/Reservation/")
        expect_nothing_left(client, held)

    def test_while_its_long_poll_is_overtaken(
        self, client: Holdfast, behind: Holdfast, door: Door, held: Hold
    ) -> None:
        self.cancelled(behind, door, held.resource, one, "request", "pollSeconds=10")
        expect_nothing_left(client, held)

    def test_between_its_first_call_and_its_long_poll_by_its_own_function(
        self, client: Holdfast, behind: Holdfast, door: Door, held: Hold
    ) -> None:
        answers: list[bool] = []
        with pytest.raises(NotAvailable, match="cancelled"):
            behind.reserve(
                held.resource, wait="1m", on_waiting=lambda _: answers.append(behind.cancel(held.resource))
            )
        until(lambda: answers == [True])
        assert door.count("/reserve") == 1
        expect_nothing_left(client, held)

    def cancelled(self, behind: Holdfast, door: Door, name: str, way: Way, what: str, path: str) -> None:
        """Cancels a wait while the door keeps a request or an answer."""
        door.keeps = (what, path)
        with ThreadPoolExecutor() as threads:
            waiting: Future[object] = threads.submit(way, behind, name)
            assert door.kept.wait(30)
            answer = threads.submit(behind.cancel, name)
            until(lambda: door.count("/cancel") > 0)
            door.opened.set()
            assert answer.result(30)
            with pytest.raises(NotAvailable, match=": NOT_AVAILABLE: cancelled"):
                waiting.result(30)


def test_cancel_ends_all_waits_of_its_client_and_no_others(client: Holdfast, behind: Holdfast, held: Hold) -> None:
    name, ann = held.resource, f"{held.resource}-ann"
    stop = threading.Event()
    with ThreadPoolExecutor() as threads:
        waits = [threads.submit(behind.reserve, name, wait="1m") for _ in range(2)]
        of_ann = threads.submit(behind.reserve, name, wait="1m", requester=ann)
        others: Any = threads.submit(client.reserve, name, wait="1m", cancel=stop)
        until(lambda: len(client.waiting(resource=name)) == 4)
        assert behind.cancel(name)
        assert not behind.cancel(name)
        for wait in waits:
            with pytest.raises(NotAvailable):
                wait.result(30)
        assert len(client.waiting(resource=name)) == 2
        assert behind.cancel(name, requester=ann)
        with pytest.raises(NotAvailable):
            of_ann.result(30)
        stop.set()
        assert others.exception(30).code == "CANCELLED"
    expect_nothing_left(client, held)
