"""The client for tasks, under asyncio and trio, against a real service."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
import warnings
from contextlib import suppress
from typing import Any
from uuid import uuid4

import anyio
import pytest
from conftest import FakeService, Reply, Request, granted, until
from holdfast import AsyncHoldfast, HoldfastError, LeaseLost, NotAvailable

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param) and request.param


@pytest.fixture
def name() -> str:
    return f"python-{uuid4()}"


@pytest.fixture
def client(service: tuple[str, str]) -> AsyncHoldfast:
    return AsyncHoldfast(service[0], key=service[1])


class TestCancel:
    async def test_ends_a_wait_whose_task_was_just_started(self, client: AsyncHoldfast, name: str) -> None:
        errors: list[NotAvailable] = []

        async def wait() -> None:
            try:
                await client.reserve(name, wait="1m")
            except NotAvailable as error:
                errors.append(error)

        async with client, client.using(name):
            async with anyio.create_task_group() as group:
                group.start_soon(wait)
                assert await client.cancel(name)
                assert await client.waiting(resource=name) == []
            assert len(errors) == 1

    async def test_ends_a_wait_within_its_own_function(self, client: AsyncHoldfast, name: str) -> None:
        async def cancel(_: object) -> None:
            await client.cancel(name)

        async with client, client.using(name):
            with pytest.raises(NotAvailable, match="cancelled"):
                await client.reserve(name, wait="1m", on_waiting=cancel)
            assert await client.waiting(resource=name) == []


class TestUsing:
    async def test_waits_and_releases(self, client: AsyncHoldfast, name: str) -> None:
        async with client, client.using(name) as hold:
            assert await client.try_reserve(name) is None
            with pytest.raises(NotAvailable):
                await client.reserve(name, wait="1s")
            hold.raise_if_lost()

            async with anyio.create_task_group() as group:

                async def second() -> None:
                    async with client.using(name, wait="30s") as other:
                        assert other.fencing_token > hold.fencing_token

                group.start_soon(second)
                await anyio.sleep(0.3)
                await hold.release()

    async def test_leaves_the_queue_if_it_is_cancelled(self, client: AsyncHoldfast, name: str) -> None:
        async with client, client.using(name):
            with anyio.move_on_after(0.5) as scope:
                await client.reserve(name, wait="1m")
            assert scope.cancel_called
            with anyio.fail_after(20):
                while await client.waiting(resource=name):
                    await anyio.sleep(0.05)

    async def test_stays_cancelled_from_outside_and_releases(self, client: AsyncHoldfast, name: str) -> None:
        async with client:
            with anyio.move_on_after(0.5) as scope:
                async with client.using(name):
                    await anyio.sleep_forever()
            assert scope.cancel_called
            assert await client.available(name)

    async def test_lets_tasks_share_a_client(self, client: AsyncHoldfast, name: str) -> None:
        async with client, anyio.create_task_group() as group:

            async def one(i: int) -> None:
                async with client.using(f"{name}-{i % 5}", wait="30s"):
                    pass

            for i in range(20):
                group.start_soon(one, i)


class TestLostLeases:
    async def test_cancel_the_block(self, fake: FakeService) -> None:
        fake.answer = lambda request: None if request.path.endswith("/renew") else granted(request)
        async with AsyncHoldfast(fake.url, key="k") as client:
            begun = time.monotonic()
            with pytest.raises(LeaseLost):
                async with client.using("printer", ttl="1s"):
                    await anyio.sleep_forever()
            assert time.monotonic() - begun < 5
            # The task goes on as if nothing had been cancelled.
            await anyio.sleep(0.01)

    async def test_cancel_nothing_in_a_hold(self, fake: FakeService) -> None:
        def gone(request: Request) -> Reply:
            if request.path.endswith("/renew"):
                return 200, {}, [{"status": "NOT_RESERVED"} for _ in request.body]
            return granted(request)

        fake.answer = gone
        async with AsyncHoldfast(fake.url, key="k") as client:
            with pytest.raises(LeaseLost):
                async with client.hold("printer", ttl="1s") as hold:
                    with anyio.fail_after(10):
                        await hold.lost.wait()
                    await anyio.sleep(0.01)
                    assert hold.lost.is_set()

    async def test_have_the_error_of_the_work_as_their_cause(self, fake: FakeService) -> None:
        fake.answer = lambda request: None if request.path.endswith("/renew") else granted(request)
        async with AsyncHoldfast(fake.url, key="k") as client:
            with pytest.raises(LeaseLost) as caught:
                async with client.using("printer", ttl="1s"):
                    try:
                        await anyio.sleep_forever()
                    finally:
                        raise ValueError("the work failed")
            assert isinstance(caught.value.__cause__, ValueError)


class TestEndsOfBlocks:
    async def test_release_whatever_the_error_of_the_work_is(self, fake: FakeService) -> None:
        fake.answer = lambda request: None if request.path.endswith("/renew") else granted(request)

        async def fail() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                raise ValueError("the work failed")

        async with AsyncHoldfast(fake.url, key="k") as client:
            # LeaseLost; of anyio 3 a group that is no Exception.
            with pytest.raises(BaseException) as caught:
                async with client.using("printer", ttl="1s"), anyio.create_task_group() as group:
                    group.start_soon(fail)
                    await anyio.sleep_forever()
            assert "the work failed" in f"{caught.value} {caught.value.__cause__!r}"
            assert len(fake.of("/unreserve")) == 1


class TestAll:
    async def test_sessions_events_and_mirrors(self, client: AsyncHoldfast, name: str) -> None:
        async with client, await client.mirror() as mirror:
            async with await client.session(ttl="10s") as session:
                await session.reserve(name)
                with anyio.fail_after(20):
                    while not mirror.get(name):
                        await anyio.sleep(0.02)
            events = client.events()
            async for event in events:
                if event["type"] == "CONNECTED":
                    await (await client.reserve(name)).release()
                elif event["type"] == "UNRESERVED" and event["resource"] == name:
                    break
            await events.aclose()

    async def test_a_key_may_be_an_async_function(self, fake: FakeService) -> None:
        async def key(refused: str | None) -> str:
            await anyio.sleep(0)
            return "from-vault"

        async with AsyncHoldfast(fake.url, key=key) as client:
            await client.reserve("printer")
        assert fake.requests[0].headers["x-api-key"] == "from-vault"

    async def test_errors_have_their_code(self, client: AsyncHoldfast) -> None:
        with pytest.raises(HoldfastError) as caught:
            await client.unregister(f"nothing-{uuid4()}")
        assert caught.value.code == "NOT_REGISTERED"


def test_a_client_works_in_one_event_loop_after_another(service: tuple[str, str], name: str) -> None:
    client = AsyncHoldfast(service[0], key=service[1])

    async def once() -> str:
        async with client.using(name):
            return await client.requester()

    assert asyncio.run(once()) == asyncio.run(once())


def test_a_block_that_is_left_in_another_task_is_released(fake: FakeService) -> None:
    async def leave() -> None:
        async with AsyncHoldfast(fake.url, key="k") as client:
            using = client.using("printer")
            await asyncio.create_task(using.__aenter__())
            with suppress(RuntimeError):  # Of anyio.
                await using.__aexit__(None, None, None)

    asyncio.run(leave())
    assert len(fake.of("/unreserve")) == 1


def test_a_client_keeps_no_connections_of_event_loops_that_ended(fake: FakeService) -> None:
    client = AsyncHoldfast(fake.url, key="k")

    async def once() -> None:
        async with client.using("printer"):
            pass

    def count() -> int:
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        asyncio.run(once())
        before = count()
        for _ in range(5):
            asyncio.run(once())
        until(lambda: count() <= before)


def test_a_client_works_under_asyncio_and_then_under_trio(fake: FakeService) -> None:
    pytest.importorskip("trio")
    client = AsyncHoldfast(fake.url, key="k")

    async def once() -> None:
        async with client.using("printer"):
            pass

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        for backend in ("asyncio", "trio", "asyncio"):
            anyio.run(once, backend=backend)
    assert len(fake.of("/unreserve")) == 3


async def test_a_call_that_is_given_up_releases_what_it_gets_later(fake: FakeService) -> None:
    def slow(request: Request) -> Reply:
        if request.path.endswith("/transaction"):
            time.sleep(0.5)
            got: dict[str, Any] = {"status": "ACQUIRED", "explanation": "ACQUIRED", "fencingToken": 7}
            results = [{**got, "resource": one, "requester": "r", "releaseToken": one} for one in ("a", "b")]
            return 200, {}, {"status": "APPLIED", "results": results}
        return granted(request)

    fake.answer = slow
    async with AsyncHoldfast(fake.url, key="k") as client:
        with anyio.move_on_after(0.2):
            await client.reserve(["a", "b"])
        with anyio.fail_after(10):
            while sum(len(request.body) for request in fake.of("/unreserve")) < 2:
                await anyio.sleep(0.02)


@pytest.mark.parametrize(("calls", "requests"), [(4, 2), (5, 1)])
def test_calls_wait_for_a_request_in_flight_unless_they_are_few(fake: FakeService, calls: int, requests: int) -> None:
    gate = threading.Event()

    def slow(request: Request) -> Reply:
        gate.wait(5)
        return granted(request)

    async def call() -> int:
        async with AsyncHoldfast(fake.url, key="k") as client, anyio.create_task_group() as group:
            group.start_soon(client.reserve, "first")
            while not fake.of("/reserve"):
                await anyio.sleep(0.01)
            for i in range(calls):
                group.start_soon(client.reserve, f"r{i}")
            await anyio.sleep(0.2)
            sent = len(fake.of("/reserve"))
            gate.set()
        return sent

    fake.answer = slow
    assert anyio.run(call) == requests
