"""Rules without I/O, and what importing and printing show."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from math import inf
from pathlib import Path
from typing import Any

import pytest
from holdfast import Holdfast, HoldfastError, LeaseLost, LimitReached, NotAvailable
from holdfast._durations import seconds_of, ttl_of, wait_of
from holdfast._failures import delay_before, error_of, is_for_all, may_have_run
from holdfast._lease import Lease, margin_of
from holdfast._plan import plan_of, text_of
from holdfast._requesters import Requesters

SOURCES = str(Path(__file__).parent.parent / "src")


class Clock:
    """Both clocks, set by a test."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.ahead = 1000.0

    def monotonic(self) -> float:
        return self.passed

    def wall(self) -> float:
        return self.passed + self.ahead


def code_of(act: Callable[[], object]) -> str:
    with pytest.raises(HoldfastError) as caught:
        act()
    return caught.value.code


class TestDurations:
    @pytest.mark.parametrize(
        ("text", "seconds"),
        [("500ms", 1), ("30s", 30), ("1.5h", 5400), ("1d", 86_400), (timedelta(minutes=2), 120), ("0s", 0)],
    )
    def test_are_text_or_timedelta_in_whole_seconds(self, text: str, seconds: float) -> None:
        assert seconds_of(text, "ttl") == seconds

    @pytest.mark.parametrize("wrong", ["30", "m", "-1s", 30, 0.5, timedelta(seconds=-1), None])
    def test_refuse_all_else(self, wrong: str) -> None:
        assert code_of(lambda: seconds_of(wrong, "wait")) == "INVALID_OPTION"

    def test_a_lease_may_never_end_and_a_wait_lasts_a_day_at_most(self) -> None:
        assert ttl_of(inf) == inf
        for act in (lambda: ttl_of("0s"), lambda: wait_of("2d"), lambda: wait_of(inf)):
            assert code_of(act) == "INVALID_OPTION"


SENSELESS: list[dict[str, Any]] = [
    {"target": None},
    {"target": []},
    {"target": ["a", "a"]},
    {"target": "a", "quantity": 2},
    {"target": "a", "priority": 101},
    {"target": "a", "wait": "1m", "ttl": inf},
]


class TestPlans:
    def test_have_the_fields_of_the_service(self) -> None:
        plan = plan_of(["a", "b"], ttl="2m", note="why", count=2)
        common: dict[str, Any] = {"ttlSeconds": 120, "note": "why", "count": 2}
        assert plan.items == [{"resource": "a", **common}, {"resource": "b", **common}]
        assert (plan.title, plan.wait) == ("a, b", None)

    def test_take_names_before_what_fits(self) -> None:
        plan = plan_of("a", match={"os": "android"}, quantity=2, session="s")
        assert plan.keys == ["a", "os=android", "os=android"]
        assert plan.title == "a, 2 × os=android"
        assert plan.items[1] == {"match": {"os": "android"}, "session": "s"}

    def test_name_a_match_as_the_service_does(self) -> None:
        assert text_of({"site": {"not": "berlin"}, "os": ["ios", "android"]}) == "os=android,os=ios,site!=berlin"
        assert len(text_of({"name": "x" * 300})) == 200

    @pytest.mark.parametrize("options", SENSELESS)
    def test_refuse_what_makes_no_sense(self, options: dict[str, Any]) -> None:
        assert code_of(lambda: plan_of(**options)) == "INVALID_OPTION"


class TestLeases:
    def lease(self, clock: Clock, ttl: float = 30) -> Lease:
        lease = Lease("printer", clock)
        lease.extend(ttl, clock.passed, clock.ahead)
        return lease

    def test_end_a_tenth_early(self) -> None:
        assert [margin_of(ttl) for ttl in (0.1, 1, 10, 60)] == [0.05, 0.1, 1, 2]
        clock = Clock()
        lease = self.lease(clock, 10)
        clock.passed = 8.9
        assert lease.lost is None
        clock.passed = 9.0
        assert isinstance(lease.lost, LeaseLost)

    def test_end_early_if_the_clock_of_the_wall_is_set_forward_or_the_machine_sleeps(self) -> None:
        clock = Clock()
        lease = self.lease(clock)
        clock.ahead += 100
        assert lease.lost is not None

    def test_do_not_change_if_the_clock_of_the_wall_is_set_back(self) -> None:
        clock = Clock()
        lease = self.lease(clock)
        clock.ahead -= 100
        assert lease.remaining == 28
        clock.passed = 28
        assert lease.lost is not None

    def test_count_a_sleep_between_request_and_response(self) -> None:
        clock = Clock()
        lease = Lease("printer", clock)
        before = clock.ahead
        clock.ahead += 100
        lease.extend(30, 0, before)
        assert lease.lost is not None

    def test_say_why_they_were_not_renewed(self) -> None:
        clock = Clock()
        lease = self.lease(clock)
        lease.failed(HoldfastError("no route", "UNREACHABLE"))
        clock.passed = 30
        assert lease.lost is not None
        assert isinstance(lease.lost.__cause__, HoldfastError)
        assert "no route" in str(lease.lost)

    def test_are_shorter_once_a_renewal_that_shortens_them_is_sent(self) -> None:
        lease = self.lease(Clock())
        lease.announce(1)
        assert lease.remaining == pytest.approx(0.9)

    def test_stay_as_they_are_when_given_back(self) -> None:
        clock = Clock()
        lease = self.lease(clock)
        lease.finish()
        clock.passed = 100
        assert lease.lost is None

    def test_are_renewed_after_a_third(self) -> None:
        assert self.lease(Clock()).renew_in == pytest.approx(10)


class TestRequesters:
    def test_are_unique_to_each_client(self) -> None:
        assert Requesters(None).base != Requesters(None).base

    def test_number_a_second_reservation_of_a_name(self) -> None:
        requesters = Requesters(None)
        first, second = requesters.begin(["a"], None, 0), requesters.begin(["a", "b"], None, 0)
        assert [second.requester, second.number] == [f"{requesters.base}#2", 2]
        assert requesters.begin(["c"], None, 0).requester == requesters.base
        assert requesters.waiting_for("a") == [requesters.base, f"{requesters.base}#2"]
        requesters.end(first)
        assert requesters.begin(["a"], None, 0).number == 1

    def test_stay_as_they_were_chosen(self) -> None:
        requesters = Requesters("me")
        assert [requesters.begin(["a"], None, 0).requester for _ in range(2)] == ["me", "me"]

    def test_are_free_again_after_the_lease_of_a_hold_that_was_forgotten(self) -> None:
        clock = Clock()
        requesters = Requesters(None, clock)
        requesters.made(requesters.begin(["a"], None, 0), ["token"], lambda: 30)
        clock.passed = 30.5
        assert requesters.is_held("token")
        clock.passed = 31.5
        assert requesters.begin(["a"], None, 0).number == 1


class TestErrors:
    def test_have_the_class_of_their_code(self) -> None:
        body = {"error": "Too many", "code": "LIMIT_REACHED", "limitType": "OperationsPerMinute"}
        error = error_of(429, {"Retry-After": "3", "X-Request-Id": "r"}, body)
        assert isinstance(error, LimitReached)
        assert (error.limit_type, error.retry_after) == ("OperationsPerMinute", 3)
        assert (error.status, error.request_id) == (429, "r")

    def test_can_be_pickled(self) -> None:
        error = NotAvailable("printer: ALREADY_HELD", "ALREADY_HELD")
        error.held_by = {"resource": "printer", "requester": "r", "since": None, "expiresAt": None, "note": None}
        for one in (error, LeaseLost("gone")):
            copy = pickle.loads(pickle.dumps(one))
            assert (type(copy), str(copy), vars(copy)) == (type(one), str(one), vars(one))

    def test_are_repeated_as_the_service_says(self) -> None:
        limited = error_of(429, {"Retry-After": "2"}, {"error": "x", "code": "LIMIT_REACHED"})
        assert delay_before(limited, 1, inf) == pytest.approx(2.025, abs=0.03)
        assert delay_before(limited, 1, 0) is None
        assert delay_before(error_of(403, {}, {"error": "x", "code": "FORBIDDEN"}), 1, inf) is None
        assert delay_before(error_of(503, {}, None), 1, inf) is not None
        assert not may_have_run(error_of(503, {}, {"error": "x", "code": "OVERLOADED"}))
        assert is_for_all(error_of(401, {}, {"error": "x", "code": "UNAUTHENTICATED"}))


class TestPackage:
    def test_imports_neither_httpx_nor_anyio_nor_asyncio(self) -> None:
        code = "import holdfast, sys; print({'httpx', 'anyio', 'asyncio'} & sys.modules.keys())"
        done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": SOURCES}, capture_output=True, text=True)
        assert done.stdout == "set()\n", done.stderr

    def test_exports_all_that_it_says(self) -> None:
        import holdfast

        assert all(getattr(holdfast, name) for name in holdfast.__all__)

    def test_lists_its_names_before_they_are_loaded(self) -> None:
        code = "import holdfast; print(set(holdfast.__all__) - set(dir(holdfast)))"
        done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": SOURCES}, capture_output=True, text=True)
        assert done.stdout == "set()\n", done.stderr

    @pytest.mark.parametrize("url", ["localhost:8080", "http://me:pass@host", "http://host/api/v1", "ftp://host", ""])
    def test_refuses_addresses_that_make_no_sense_and_does_not_tell_passwords(self, url: str) -> None:
        with pytest.raises(HoldfastError) as caught:
            Holdfast(url, key="k")
        assert "pass" not in str(caught.value)

    @pytest.mark.parametrize("key", ["", "two words", "line\n", None, "schlüssel"])
    def test_refuses_keys_that_are_none_and_does_not_tell_them(self, key: str) -> None:
        with pytest.raises(HoldfastError) as caught:
            Holdfast("http://host", key=key)
        assert str(caught.value) == "key must be a non-empty line of ASCII"

    def test_names_the_variable_that_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("HOLDFAST_URL", "HOLDFAST_KEY", "HOLDFAST_KEY_FILE", "HOLDFAST_TENANT"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(HoldfastError, match="HOLDFAST_URL is not set"):
            Holdfast.from_env()
        monkeypatch.setenv("HOLDFAST_URL", "http://host")
        with pytest.raises(HoldfastError, match="HOLDFAST_KEY is not set"):
            Holdfast.from_env()
