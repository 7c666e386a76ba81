"""Fixtures: a client of a real service, whose address and key are in HOLDFAST_URL and HOLDFAST_KEY, and a fake one."""

from __future__ import annotations

import itertools
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from holdfast import Holdfast

_numbers = itertools.count()
Reply = tuple[int, dict[str, str], object]


class Request:
    def __init__(self, method: str, path: str, headers: dict[str, str], body: Any) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body


class Answering(BaseHTTPRequestHandler):
    """Answers GET and POST alike, and logs nothing."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        raise NotImplementedError

    def reply(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def serve(handler: type[Answering]) -> ThreadingHTTPServer:
    """Returns a server that runs, on a port of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


class FakeService:
    """Keeps each request, and answers what a function says; None: it cuts the connection."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer: Callable[[Request], Reply | None] = granted
        fake = self

        class Handler(Answering):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length) or b"null")
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, body)
                fake.requests.append(request)
                reply = fake.answer(request)
                if reply is None:
                    self.close_connection = True
                    return
                status, more, answer = reply
                content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
                self.reply(status, more, content)

        self.server = serve(Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def of(self, end: str) -> list[Request]:
        return [request for request in self.requests if request.path.split("?")[0].endswith(end)]


def granted(request: Request) -> Reply:
    """Grants, renews and releases everything."""
    status = {"reserve": "ACQUIRED", "unreserve": "RELINQUISHED", "renew": "RENEWED"}[request.path.split("/")[-1]]
    if status != "ACQUIRED":
        return 200, {}, [{"status": status} for _ in request.body]
    tokens = [f"secret-{next(_numbers)}" for _ in request.body]
    return 200, {}, [{"status": status, "releaseToken": token, "fencingToken": 7} for token in tokens]


def until(happened: Callable[[], bool]) -> None:
    """Waits until something has happened, for at most 30 s."""
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@pytest.fixture
def fake() -> Iterator[FakeService]:
    service = FakeService()
    yield service
    service.server.shutdown()
    service.server.server_close()


@pytest.fixture(scope="session")
def service() -> tuple[str, str]:
    """The address and the key of a real service."""
    if "HOLDFAST_URL" not in os.environ:
        pytest.skip("HOLDFAST_URL and HOLDFAST_KEY name no service")
    return os.environ["HOLDFAST_URL"], os.environ["HOLDFAST_KEY"]


@pytest.fixture
def client(service: tuple[str, str]) -> Iterator[Holdfast]:
    with Holdfast(service[0], key=service[1]) as made:
        yield made
