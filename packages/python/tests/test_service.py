"""Holds, waits, sessions, events and mirrors, against a real service."""

from __future__ import annotations

import os
import signal
import threading
import time
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import uuid4

import pytest
from conftest import until
from holdfast import Holdfast, HoldfastError, NotAvailable, ReservationKey
from holdfast.types import Repeat


@pytest.fixture
def name() -> str:
    return f"python-{uuid4()}"


class TestUsing:
    def test_excludes_others_and_releases_at_the_end(self, client: Holdfast, name: str) -> None:
        with client.using(name, note="nightly") as hold:
            hold.raise_if_lost()
            assert hold.slots == [name]
            assert 20 < hold.remaining <= 28
            with pytest.raises(NotAvailable) as caught:
                client.reserve(name)
            assert caught.value.held_by is not None
            assert caught.value.held_by["note"] == "nightly"
            assert not client.available(name)
        assert client.available(name)

    def test_releases_if_the_work_fails(self, client: Holdfast, name: str) -> None:
        with pytest.raises(ValueError, match="paper"), client.using(name):
            raise ValueError("out of paper")
        assert client.available(name)

    def test_waits_for_its_turn(self, client: Holdfast, name: str) -> None:
        told: list[Any] = []
        first = client.reserve(name)
        threading.Timer(0.5, first.release).start()
        with client.using(name, wait="30s", on_waiting=told.append) as hold:
            assert hold.requester == f"{client.requester}#2"
            assert hold.fencing_token > first.fencing_token
            assert hold.waited > 0.2
        assert told[0]["ahead"] == 0

    def test_says_who_has_it_when_the_wait_is_over(self, client: Holdfast, name: str) -> None:
        with client.using(name, note="long"), pytest.raises(NotAvailable, match="within 1 s") as caught:
            client.reserve(name, wait="1s")
        assert caught.value.held_by is not None
        assert caught.value.held_by["note"] == "long"

    def test_takes_several_names_or_what_fits(self, client: Holdfast, name: str) -> None:
        label = {"python": uuid4().hex}
        client.register([
            {"name": name, "capacity": 2, "labels": label, "attributes": {"hub": "h"},
             "slotAttributes": [{"serial": "A"}, {"serial": "B"}]},
        ])  # fmt: skip
        with client.using([f"{name}-x", f"{name}-y"]) as both:
            assert both.resources == [f"{name}-x", f"{name}-y"]
        with client.using(match=label) as one:
            assert (one.resource, one.attributes) == (name, {"hub": "h", "serial": "A"})
        assert client.unregister(name) == [name]


class TestCancelledWaits:
    def test_leave_the_queue(self, client: Holdfast, name: str) -> None:
        cancel = threading.Event()
        with client.using(name):
            threading.Timer(0.3, cancel.set).start()
            with pytest.raises(HoldfastError) as caught:
                client.reserve(name, wait="1m", cancel=cancel)
            assert caught.value.code == "CANCELLED"
            until(lambda: client.waiting(resource=name) == [])

    def test_leave_the_queue_at_ctrl_c(self, client: Holdfast, name: str) -> None:
        with client.using(name):
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                client.reserve(name, wait="1m")
            until(lambda: client.waiting(resource=name) == [])


class TestHolds:
    def test_that_are_released_by_their_token_were_held_until_then(self, client: Holdfast, name: str) -> None:
        hold = client.reserve(name)
        (reservation,) = hold.reservations
        key = ReservationKey(name, hold.requester, reservation.release_token)
        assert client.renew(key, "1m") is not None
        with pytest.raises(HoldfastError) as caught:
            client.release(ReservationKey(name, hold.requester, str(uuid4())))
        assert caught.value.code == "DOESNT_OWN_RESERVATION"
        assert client.release(key)
        assert not client.release(key)
        assert not hold.release()

    def test_are_renewed_for_as_long_as_asked(self, client: Holdfast, name: str) -> None:
        with client.reserve(name, ttl="5s") as hold:
            before = hold.expires_at
            hold.renew("1m")
            assert hold.remaining > 50
            assert hold.expires_at is not None
            assert before is not None
            assert hold.expires_at > before

    def test_of_a_chosen_requester_are_not_numbered(self, service: tuple[str, str], name: str) -> None:
        with Holdfast(service[0], key=service[1], requester=name) as client, client.using(name):
            with pytest.raises(HoldfastError) as caught:
                client.reserve(name)
            assert caught.value.code == "ALREADY_HAD"

    def test_are_lost_in_a_forked_child_which_is_somebody_else(self, client: Holdfast, name: str) -> None:
        read, write = os.pipe()
        with client.using(name) as hold:
            pid = os.fork()
            if pid == 0:
                try:
                    taken = client.try_reserve(name) is None
                    os.write(write, f"{hold.lost.is_set()} {taken} {hold.release()} {client.requester}".encode())
                finally:
                    os._exit(0)
            os.waitpid(pid, 0)
            lost, is_taken, was_released, requester = os.read(read, 1000).decode().split(" ")
            assert (lost, is_taken, was_released) == ("True", "True", "False")
            assert requester != client.requester
            hold.raise_if_lost()
            assert not client.available(name)


class TestSessions:
    def test_keep_their_holds_and_end_them_together(self, client: Holdfast, name: str) -> None:
        with client.session(ttl="5s") as session:
            holds = [session.reserve(f"{name}-{i}") for i in range(3)]
            assert {hold.requester for hold in holds} == {session.requester}
            assert session.try_reserve(f"{name}-3") is not None
            time.sleep(4)
            session.raise_if_lost()
            assert len(client.active(requester=session.requester)) == 4
        assert client.active(requester=session.requester) == []


class TestTransactions:
    def test_have_durations(self, client: Holdfast, name: str) -> None:
        requests = [{"requestType": "RESERVE", "resource": name, "ttl": "1m"}]
        result = client.transaction("ALL_OR_NONE", requests, wait="1s")
        assert result["status"] == "APPLIED"
        (row,) = client.active(resource=name)
        assert (row["requester"], row["expiresAt"] is None) == (client.requester, False)


class TestEvents:
    def test_come_as_they_happen_until_they_are_cancelled(self, client: Holdfast, name: str) -> None:
        cancel = threading.Event()
        seen: list[tuple[str, object]] = []
        for event in client.events(types=["RESERVED", "UNRESERVED"], cancel=cancel):
            if event["type"] == "CONNECTED":
                client.reserve(name).release()
            elif event["resource"] == name:
                seen.append((event["type"], event["resource"]))
            if len(seen) == 2:
                cancel.set()
        assert seen == [("RESERVED", name), ("UNRESERVED", name)]


class TestMirrors:
    def test_follow_what_is_held_and_who_waits(self, client: Holdfast, name: str) -> None:
        told: list[tuple[str, int]] = []
        with client.mirror(on_change=lambda name, held: told.append((name, len(held))), waiting=True) as mirror:
            hold = client.reserve(name)
            until(lambda: len(mirror.get(name)) == 1)
            assert mirror.get(name)[0].requester == hold.requester
            assert mirror.get(name) is mirror.get(name)
            thread = threading.Thread(target=client.try_reserve, args=(name,), kwargs={"wait": "30s"})
            thread.start()
            until(lambda: any(name in row["resources"] for row in mirror.waiting))
            hold.release()
            thread.join(30)
            until(lambda: (name, 0) in told)
        assert (name, 1) in told


def test_a_function_that_hears_of_a_fixed_end_may_renew(client: Holdfast, name: str) -> None:
    client.register([{"name": name, "bookable": True}])
    told: list[Any] = []

    def shorten(end: datetime) -> None:
        told.append(end)
        hold.renew("5s")

    hold = client.reserve(name, ttl="20s", on_end_fixed=shorten)
    start = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(seconds=40)
    client.book(name, start=start, end=start + timedelta(minutes=1), requester="somebody")
    renewing = threading.Thread(target=hold.renew, args=("60s",), daemon=True)
    renewing.start()
    renewing.join(10)
    assert not renewing.is_alive()
    assert told == [start]
    assert hold.fixed_end is None


def test_bookings_are_made_together_or_not_at_all_and_changed_and_cancelled(client: Holdfast, name: str) -> None:
    names = [name, f"{name}-2"]
    client.register([{"name": one, "bookable": True} for one in names])
    start = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(hours=1)
    end = start + timedelta(hours=1)
    late = timedelta(microseconds=999_999)
    first = client.book(names[1], start=start + late, end=end + late)
    assert datetime.fromisoformat(first["start"]) == start
    with pytest.raises(HoldfastError, match=f"CONFLICT: booked by {first['requester']} from") as raised:
        client.book_all(names, start=start, end=end, requester="somebody")
    assert (raised.value.code, client.bookings(resource=name)) == ("CONFLICT", [])
    booked = client.book_all(names, start=start, end=end, requester="somebody", skip_conflicts=True)
    assert [one["status"] for one in booked] == ["BOOKED", "CONFLICT"]
    changed = client.change_booking(first["booking"], end=end + timedelta(minutes=5) + late, note="later")
    assert datetime.fromisoformat(changed["end"]) == end + timedelta(minutes=5)
    assert (changed["start"], changed["note"]) == (first["start"], "later")
    text: Any = "2026-01-31T09:00:00Z"
    with pytest.raises(HoldfastError, match="a time is a datetime, not '2026-01-31T09:00:00Z'"):
        client.book(name, start=text, end=end)
    assert client.cancel_booking(first["booking"]) and not client.cancel_booking(first["booking"])


def test_a_series_is_booked_listed_and_cancelled_from_a_day_on(client: Holdfast, name: str) -> None:
    client.register([{"name": name, "bookable": True}])
    start = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(days=1)
    until = (start + timedelta(days=3)).date().isoformat()
    repeat: Repeat = {"every": "day", "until": until, "timeZone": "UTC"}
    booked = client.book_all(name, start=start, end=start + timedelta(minutes=30), repeat=repeat)
    assert len({one["series"] for one in booked}) == 1 and len(booked) == 4
    assert client.cancel_series(booked[0]["series"], from_=start + timedelta(days=1)) == 3
    assert [one["start"] for one in client.bookings(resource=name)] == [booked[0]["start"]]
    assert client.cancel_series(booked[0]["series"]) == 1
