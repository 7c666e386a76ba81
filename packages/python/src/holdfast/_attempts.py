"""One request that takes what a plan wants: a reserve item, or a transaction if it wants several resources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from ._answer import Answer, OnFailure
from ._api import Api
from ._kinds import is_got
from ._plan import Json, Plan, item_of

_STATES = {"APPLIED": "GOT", "WAITING": "WAITING", "ROLLED_BACK": "REFUSED"}


class Outcome(NamedTuple):
    state: str
    """`GOT`, `WAITING` or `REFUSED`."""
    results: Sequence[Json]
    """The reservations, if it got them."""
    response: Json | None
    """Of a transaction: the response of the service."""

    @property
    def decisive(self) -> Json | None:
        """The result that decides: the first that was refused or waits."""
        failed = [result for result in self.results if not is_got(result)]
        return next((one for one in failed if one["explanation"] != "ROLLED_BACK"), failed[0] if failed else None)

    @property
    def waiting(self) -> Json | None:
        return next((result["waiting"] for result in self.results if result.get("waiting") is not None), None)


class Attempt(NamedTuple):
    """A request that can be sent again while it waits."""

    title: str
    ask: Callable[[int, float | None, OnFailure | None], Awaitable[Answer]]
    """Gets the seconds for which the service may hold the response, the deadline, and `on_failure`."""
    ticket: Json
    """What ends its ticket, and a grant that nobody has claimed."""


def attempt_of(api: Api, plan: Plan, requester: str) -> Attempt:
    """Returns the request of a plan. The result of its answers is an Outcome."""
    # The service counts from the first request, so each repeat says the same.
    waits: Json = {} if plan.wait is None else {"waitSeconds": int(plan.wait), "priority": plan.priority}
    ticket = {"resource": plan.keys[0], "requester": requester}
    if len(plan.items) > 1:
        requests = [{"requestType": "RESERVE", "requester": requester, **item} for item in plan.items]
        body = {"method": "ALL_OR_NONE", "requests": requests, **waits}
        return Attempt(plan.title, ask_transaction(api, body), ticket)
    item = {"requester": requester, **plan.items[0], **waits}
    is_queued = False

    async def ask(poll_seconds: int, deadline: float | None, on_failure: OnFailure | None) -> Answer:
        # The first call is not held: calls for one name join the queue in the order in which they were made.
        nonlocal is_queued
        answer = await api.reserve(item, poll_seconds if is_queued else 0, deadline, on_failure)
        is_queued = True
        status = answer.result["status"]
        state = "GOT" if is_got(answer.result) else "WAITING" if status == "WAITING" else "REFUSED"
        return answer._replace(result=Outcome(state, (answer.result,), None))

    return Attempt(plan.title, ask, ticket)


def ask_transaction(
    api: Api, body: Json, idempotency_key: str | None = None
) -> Callable[[int, float | None, OnFailure | None], Awaitable[Answer]]:
    """`idempotency_key` makes a repeat safe. It needs the same `poll_seconds` each time."""

    async def ask(poll_seconds: int, deadline: float | None, on_failure: OnFailure | None) -> Answer:
        answer = await api.request(
            "POST",
            "/Reservation/transaction",
            query=item_of(pollSeconds=str(poll_seconds) if "waitSeconds" in body else None),
            body=body,
            has="results",
            idempotency_key=idempotency_key,
            deadline=deadline,
            on_failure=on_failure,
        )
        response = answer.result
        results = [result for result in response["results"] if "releaseToken" in result]
        return answer._replace(result=Outcome(_STATES[response["status"]], results, response))

    return ask
