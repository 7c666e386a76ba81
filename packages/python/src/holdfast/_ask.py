"""Sends an attempt until the service has decided it.

If the caller gives up on the way, its ticket is cancelled, and reservations that it got in the same moment are
released. Times are in seconds.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from math import ceil, inf

import anyio

from ._answer import Answer
from ._api import Api
from ._attempts import Attempt, Outcome
from ._plan import Json
from ._runtime import Running
from ._waits import Wait
from .errors import HoldfastError, refusal, unexpected

_MAX_POLL = 20
_MIN_CALL = 0.1
"""The least time from one long poll to the next: a service that does not hold them is not asked all the time."""
_LATE = 2.0
"""Time by which the service may end a wait later than the caller."""
_POLL_OF_WATCHERS = 5
"""A caller that wants to know its position hears of it this often."""
_LINGER = 5.0
"""Longest time for which a cancelled request may still be answered."""
_PATIENCE = 0.5
"""Time for which the caller waits for its cancellation; it goes on in the background."""

OnWaiting = Callable[[Json], Awaitable[None]]


class Asking:
    """`until` is the monotonic clock when the wait ends; None: a try. `ttl` is the lease.

    The lease begins while the response is held, so that takes no more than a third of it. `release` gets results that
    nobody wants any more. `ended` is called once, when no request is under way any more and nobody has got anything.
    """

    def __init__(self, api: Api, attempt: Attempt, until: float | None, ttl: float = inf) -> None:
        self.api = api
        self.attempt = attempt
        self.until = until
        self.ttl = ttl
        self.wait: Wait | None = None
        """None: a try."""
        self.on_waiting: OnWaiting | None = None
        self.poll_seconds: int | None = None
        """For requests with an Idempotency-Key, which have to stay the same."""
        self.release: Callable[[Outcome], Running[None]] = lambda outcome: api.release(list(outcome.results))
        self.ended: Callable[[], None] = lambda: None
        self.asked: Callable[[], None] = lambda: None
        """Called before each request."""


async def ask_until_decided(asking: Asking) -> Answer:
    """Returns the answer that is not WAITING: it got it, or was refused. Raises HoldfastError."""
    if asking.wait is None:
        return await _ask_again(asking)
    with asking.wait.asking():
        return await _ask_again(asking)
    raise asking.wait.error()


async def _ask_again(asking: Asking) -> Answer:
    attempt, until = asking.attempt, asking.until
    running: Running[Answer] | None = None
    asked_at, calls = 0.0, 0
    try:
        while True:
            # The first call only joins the queue, so the second one follows at once.
            if calls > 1:
                await anyio.sleep(max(0, asked_at + _MIN_CALL - time.monotonic()))
            asked_at = time.monotonic()
            asking.asked()
            poll = _poll_of(asking, calls)
            running = Running(asking.api.runtime, partial(attempt.ask, poll, until, None))
            answer = await running.result()
            outcome: Outcome = answer.result
            if outcome.state != "WAITING":
                return answer
            running = None
            calls += 1
            if until is None:
                raise unexpected()
            if outcome.waiting is not None and asking.on_waiting is not None:
                await asking.on_waiting(outcome.waiting)
            # The service ends the ticket itself, a little after this.
            if time.monotonic() >= until + _LATE:
                raise refusal("NOT_AVAILABLE", f"{attempt.title}: its turn did not come in time")
    except BaseException:
        given_up = running

        async def clean_up() -> None:
            await _give_up(asking, given_up)
            asking.ended()

        cleaning = Running(asking.api.runtime, clean_up)
        # `cancel` says that nothing is left, so it waits for that.
        is_cancelled = asking.wait is not None and asking.wait.is_cancelled
        with anyio.move_on_after(None if is_cancelled else _PATIENCE, shield=True):
            await cleaning.ended()
        raise


def _poll_of(asking: Asking, calls: int) -> int:
    if asking.poll_seconds is not None or asking.until is None:
        return asking.poll_seconds or 0
    watched = 1 if calls == 0 else _POLL_OF_WATCHERS
    longest = _MAX_POLL if asking.on_waiting is None else watched
    third = longest if asking.ttl == inf else int(asking.ttl / 3)
    return max(1, min(longest, third, ceil(asking.until - time.monotonic())))


async def _give_up(asking: Asking, running: Running[Answer] | None) -> None:
    """Ends the ticket, and the call that may still get something."""
    deadline = time.monotonic() + _LINGER
    pause = 0.05
    # The cancellation may overtake its request on the way, which then gets a ticket: so cancel until it was answered
    # before.
    while asking.until is not None and not _is_decided(running):
        was_open = running is not None and not running.is_done
        try:
            await asking.api.cancel(asking.attempt.ticket, deadline)
        except HoldfastError:
            pass
        if running is None or not was_open or time.monotonic() > deadline:
            break
        with anyio.move_on_after(pause):
            await running.ended()
        pause *= 2
    if running is None:
        return
    with anyio.move_on_after(deadline - time.monotonic()):
        await running.ended()
    running.cancel()
    await running.ended()
    if running.value is not None and running.value.result.state == "GOT":
        await asking.release(running.value.result).ended()


def _is_decided(running: Running[Answer] | None) -> bool:
    return running is not None and running.value is not None and running.value.result.state != "WAITING"
