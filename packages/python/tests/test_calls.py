"""How calls travel: joined, repeated, with a key. Against a fake service."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from conftest import FakeService, Reply, Request, granted, until
from holdfast import Holdfast, HoldfastError, LeaseLost, LimitReached, NotAvailable, Retry, Unreachable
from holdfast._jwts import mask


def replies(*given: Reply | None) -> Callable[[Request], Reply | None]:
    """Answers the first requests so; then grants everything."""
    left = list(given)
    return lambda request: left.pop(0) if left else granted(request)


class TestJoinedRequests:
    def test_carry_what_is_called_while_others_are_in_flight(self, fake: FakeService) -> None:
        gate = threading.Event()

        def slow(request: Request) -> Reply:
            gate.wait(5)
            return granted(request)

        fake.answer = slow
        with Holdfast(fake.url, key="k") as client:
            threads = [threading.Thread(target=client.reserve, args=(f"r{i}",)) for i in range(50)]
            for thread in threads:
                thread.start()
            time.sleep(0.3)
            gate.set()
            for thread in threads:
                thread.join()
        sizes = [len(request.body) for request in fake.of("/reserve")]
        assert sum(sizes) == 50
        assert len(sizes) <= 8

    def test_carry_the_renewals_of_all_holds(self, fake: FakeService) -> None:
        with Holdfast(fake.url, key="k") as client:
            names = {f"r{i}" for i in range(20)}
            with ExitStack() as held:
                for name in names:
                    held.enter_context(client.using(name, ttl="6s"))
                until(lambda: {item["resource"] for one in fake.of("/renew") for item in one.body} == names)
                assert len(fake.of("/renew")) <= 3

    def test_are_sent_again_in_halves_if_they_are_refused_as_a_whole(self, fake: FakeService) -> None:
        gate = threading.Event()

        def picky(request: Request) -> Reply:
            gate.wait(5)
            if any(item["resource"] == "bad" for item in request.body):
                return 400, {"Holdfast-Error": "MALFORMED_REQUEST"}, '"bad is not good"'
            return granted(request)

        fake.answer = picky
        errors: list[HoldfastError] = []

        def reserve(client: Holdfast, name: str) -> None:
            try:
                client.reserve(name)
            except HoldfastError as error:
                errors.append(error)

        with Holdfast(fake.url, key="k") as client:
            names = [f"r{i}" for i in range(10)] + ["bad"]
            threads = [threading.Thread(target=reserve, args=(client, name)) for name in names]
            for thread in threads:
                thread.start()
            time.sleep(0.2)
            gate.set()
            for thread in threads:
                thread.join()
        assert [(error.code, str(error)) for error in errors] == [("MALFORMED_REQUEST", "bad is not good")]


class TestRepeats:
    def test_follow_a_lost_connection_and_503(self, fake: FakeService) -> None:
        fake.answer = replies(None, (503, {}, {"error": "x", "code": "UNAVAILABLE"}), (502, {}, "<html>"))
        told: list[Retry] = []
        with Holdfast(fake.url, key="k", on_retry=told.append) as client:
            assert client.reserve("printer").fencing_token == 7
            time.sleep(0.1)
        assert sorted(retry.error.code for retry in told) == ["UNAVAILABLE", "UNEXPECTED_RESPONSE", "UNREACHABLE"]

    def test_wait_for_what_429_says(self, fake: FakeService) -> None:
        limit = {"error": "Too many", "code": "LIMIT_REACHED", "limitType": "OperationsPerMinute"}
        fake.answer = replies((429, {"Retry-After": "1"}, limit))
        with Holdfast(fake.url, key="k") as client:
            begun = time.monotonic()
            client.reserve("printer")
            assert time.monotonic() - begun >= 1

    def test_end_with_the_error_after_retry_for(self, fake: FakeService) -> None:
        limit = {"error": "Too many", "code": "LIMIT_REACHED", "limitType": "OperationsPerDay"}
        fake.answer = lambda _: (429, {"Retry-After": "60"}, limit)
        with Holdfast(fake.url, key="k", retry_for="2s") as client:
            with pytest.raises(LimitReached) as caught:
                client.reserve("printer")
        assert (caught.value.limit_type, caught.value.retry_after) == ("OperationsPerDay", 60)
        with Holdfast("http://127.0.0.1:9", key="k", retry_for="0s") as client, pytest.raises(Unreachable):
            client.active()

    def test_of_calls_that_are_not_safe_have_the_same_idempotency_key(self, fake: FakeService) -> None:
        fake.answer = replies(None, (200, {}, {"cleared": 3}))
        with Holdfast(fake.url, key="k") as client:
            assert client.reset() == 3
        keys = [request.headers["idempotency-key"] for request in fake.of("/reset")]
        assert len(keys) == 2
        assert len(set(keys)) == 1

    def test_do_not_follow_redirects(self, fake: FakeService) -> None:
        fake.answer = lambda _: (307, {"Location": "http://127.0.0.1:9/"}, "")
        with Holdfast(fake.url, key="k") as client, pytest.raises(HoldfastError) as caught:
            client.active()
        assert (caught.value.code, str(caught.value)) == ("UNEXPECTED_RESPONSE", "url redirects elsewhere")

    def test_are_none_if_the_response_is_not_that_of_the_service(self, fake: FakeService) -> None:
        answers: list[object] = [[], [{}], {"a": 1}, "<html>"]
        for answer in answers:
            fake.answer = replies((200, {}, answer))
            with Holdfast(fake.url, key="k") as client, pytest.raises(HoldfastError) as caught:
                client.reserve("printer")
            assert caught.value.code == "UNEXPECTED_RESPONSE"


class TestKeys:
    def test_of_a_function_are_asked_for_each_request_and_once_more_if_refused(self, fake: FakeService) -> None:
        asked: list[str | None] = []

        def key(refused: str | None) -> str:
            asked.append(refused)
            return "old" if refused is None else "new"

        def guarded(request: Request) -> Reply:
            if request.headers["x-api-key"] == "new":
                return granted(request)
            return 401, {}, {"error": "Unknown key", "code": "UNAUTHENTICATED"}

        fake.answer = guarded
        with Holdfast(fake.url, key=key) as client:
            client.reserve("printer")
        assert asked == [None, "old"]

    def test_of_a_function_that_fails_are_told_as_such(self, fake: FakeService) -> None:
        def key(refused: str | None) -> str:
            raise ValueError("no vault")

        with Holdfast(fake.url, key=key) as client, pytest.raises(HoldfastError) as caught:
            client.reserve("printer")
        assert str(caught.value) == "The function key failed"
        assert caught.value.code == "INVALID_OPTION"
        assert isinstance(caught.value.__cause__, ValueError)

    def test_and_release_tokens_are_in_no_text(self, fake: FakeService) -> None:
        with Holdfast(fake.url, key="hf_local_secret") as client, client.using("printer") as hold:
            shown: list[Any] = [client, hold, hold.reservations, hold.reservations[0], hold.lost]
            text = " ".join(f"{one!r} {one}" for one in shown)
        assert "secret" not in text

    def test_of_a_file_are_read_for_each_request(
        self, fake: FakeService, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "key"
        file.write_text("first\n")
        monkeypatch.setenv("HOLDFAST_URL", fake.url)
        monkeypatch.setenv("HOLDFAST_KEY_FILE", str(file))
        monkeypatch.delenv("HOLDFAST_KEY", raising=False)
        with Holdfast.from_env() as client:
            client.reserve("a")
            file.write_text("second\n")
            client.reserve("b")
        assert [request.headers["x-api-key"] for request in fake.requests] == ["first", "second"]


class TestJobs:
    def test_exchange_their_jwt_once_and_again_if_the_token_is_refused(
        self, fake: FakeService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tokens = iter(["token-1", "token-2"])

        def answer(request: Request) -> Reply:
            if request.path.endswith("/auth/token"):
                return 200, {}, {"token": next(tokens), "requester": "ci/job-1", "expiresIn": 900}
            if request.headers["x-api-key"] == "token-1" and request.path.endswith("/unreserve"):
                return 401, {}, {"error": "Ended", "code": "UNAUTHENTICATED"}
            return granted(request)

        fake.answer = answer
        for name in ("HOLDFAST_KEY", "HOLDFAST_KEY_FILE", "HOLDFAST_JWT_FILE"):
            monkeypatch.delenv(name, raising=False)
        for name, value in (("URL", fake.url), ("TENANT", "acme"), ("ID_TOKEN", "a.b.c")):
            monkeypatch.setenv(f"HOLDFAST_{name}", value)
        with Holdfast.from_env() as client:
            hold = client.reserve("printer")
            assert (hold.requester, client.requester) == ("ci/job-1", "ci/job-1")
            hold.release()
        exchanges = fake.of("/auth/token")
        assert [request.body["tenant"] for request in exchanges] == ["acme", "acme"]
        assert len({request.body["instance"] for request in exchanges}) == 1

    def test_do_not_send_their_jwt_to_a_proxy_without_encryption(
        self, fake: FakeService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fake.answer = lambda request: (403, {}, {"error": "Not trusted", "code": "FORBIDDEN"})
        monkeypatch.delenv("HOLDFAST_KEY", raising=False)
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        for name, value in (("URL", fake.url), ("TENANT", "acme"), ("ID_TOKEN", "a.b.c")):
            monkeypatch.setenv(f"HOLDFAST_{name}", value)
        with Holdfast.from_env() as client, pytest.raises(HoldfastError, match="Not trusted"):
            client.active()

    def test_go_on_while_an_agent_that_hangs_masks_a_token(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        agent = tmp_path / "buildkite-agent"
        agent.write_text("#!/bin/sh\nexec sleep 1\n")
        agent.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        is_masked = False

        async def run() -> None:
            async def hide() -> None:
                nonlocal is_masked
                await mask({"BUILDKITE": "true"}, "token")
                is_masked = True

            async with anyio.create_task_group() as group:
                group.start_soon(hide)
                await anyio.sleep(0.1)
                assert not is_masked
            assert is_masked

        anyio.run(run)

    def test_do_not_send_their_jwt_in_clear(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("HOLDFAST_KEY", raising=False)
        for name, value in (("URL", "http://holdfast.example.com"), ("TENANT", "acme"), ("ID_TOKEN", "a.b.c")):
            monkeypatch.setenv(f"HOLDFAST_{name}", value)
        with pytest.raises(HoldfastError, match="a JWT is not sent in clear"):
            Holdfast.from_env().active()


class TestLostLeases:
    def test_are_told_even_if_the_work_did_not_notice(self, fake: FakeService) -> None:
        def gone(request: Request) -> Reply:
            if request.path.endswith("/renew"):
                return 200, {}, [{"status": "NOT_RESERVED"} for _ in request.body]
            return granted(request)

        fake.answer = gone
        with Holdfast(fake.url, key="k") as client:
            with pytest.raises(LeaseLost, match="printer is not held any more"):
                with client.using("printer", ttl="1s") as hold:
                    assert hold.lost.wait(5)
            with pytest.raises(LeaseLost) as caught:
                with client.using("printer", ttl="1s") as hold:
                    hold.lost.wait(5)
                    raise ValueError("the work failed")
        assert isinstance(caught.value.__cause__, ValueError)

    def test_are_told_in_time_if_the_service_is_gone(self, fake: FakeService) -> None:
        fake.answer = lambda request: None if request.path.endswith("/renew") else granted(request)
        with Holdfast(fake.url, key="k") as client:
            with pytest.raises(LeaseLost, match="could not be reached") as caught:
                with client.using("printer", ttl="1s") as hold:
                    begun = time.monotonic()
                    assert hold.lost.wait(5)
                    assert 0.5 < time.monotonic() - begun < 1
                    hold.raise_if_lost()
        assert isinstance(caught.value.__cause__, Unreachable)


def test_a_booking_is_left_if_its_renewal_fails(fake: FakeService) -> None:
    had = {"status": "ALREADY_HAD", "releaseToken": "booked", "booking": "b", "expiresAt": "2051-01-01T00:00:00+00:00"}
    fake.answer = replies((200, {}, [had]), (200, {}, [{"status": "NOT_AVAILABLE", "explanation": "booked"}]))
    with Holdfast(fake.url, key="k") as client:
        with pytest.raises(NotAvailable):
            client.reserve("a")
        assert client.reserve("b").release()
    assert {item["resource"] for one in fake.of("/unreserve") for item in one.body} == {"b"}
