"""Makes holds: finds the requester, asks until the service has decided, and checks that nobody else of this client has
it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar, cast

from ._answer import Answer
from ._api import Api
from ._ask import Asking, ask_until_decided
from ._attempts import Outcome, attempt_of
from ._clocks import Clocks, offset_of
from ._hold import BaseHold, Origin
from ._reservations import lease_of
from ._keeper import Keeper
from ._kinds import is_got
from ._lease import Lease
from ._plan import Json, Plan
from ._requesters import Requesters, Use
from ._runtime import Running
from ._waits import Wait, Waits
from .errors import TAKEN, HoldfastError, NotAvailable, refusal, unexpected

H = TypeVar("H", bound=BaseHold)
CallUser = Callable[..., Awaitable[None]]
"""Calls a function of the user with arguments."""


class Owner(NamedTuple):
    """A session that reservations are made in."""

    id: str
    requester: str
    lease: Lease
    expires_at: Callable[[], datetime]


class Got(NamedTuple):
    """A grant of the service to a plan, which no other hold of this client has."""

    use: Use
    answer: Answer
    offset: float
    """`offset_of(clocks)` before the request: the wall clock may be set during a wait."""


class Reserver(Generic[H]):
    """`make` makes the hold of a client."""

    def __init__(
        self,
        api: Api,
        requesters: Requesters,
        keeper: Keeper,
        clocks: Clocks,
        make: Callable[[Origin, Sequence[Json]], H],
        call_user: CallUser,
    ) -> None:
        self._api = api
        self._requesters = requesters
        self._keeper = keeper
        self.clocks = clocks
        self._make = make
        self._call_user = call_user
        self.waits = Waits(api.runtime)

    async def try_take(self, plan: Plan, session: Owner | None = None) -> H | None:
        """Returns the hold; None if somebody else has it, or its turn did not come in time."""
        try:
            return await self.take(plan, session)
        except NotAvailable:
            return None

    async def take(self, plan: Plan, session: Owner | None = None) -> H:
        """Raises HoldfastError, also if somebody else has it."""
        if plan.wait is None:
            return await self._made(plan, await self._get(plan, session, None), session)
        wait = self.waits.begin(plan.title, plan.keys)
        try:
            got = await self._get(plan, session, wait)
            if wait.is_cancelled:
                try:
                    await self._release(got.answer.result.results).ended()
                finally:
                    self._requesters.end(got.use)
                raise wait.error()
        finally:
            # From here on it is no wait any more, but a hold.
            wait.end()
        return await self._made(plan, got, session)

    async def _get(self, plan: Plan, session: Owner | None, wait: Wait | None) -> Got:
        until = None if plan.wait is None else self.clocks.monotonic() + plan.wait
        above = 0
        while True:
            if wait is not None and wait.is_cancelled:
                raise wait.error()
            use = self._requesters.begin(plan.keys, plan.requester if session is None else session.requester, above)
            got = await self._ask(plan, use, until, session, wait)
            outcome: Outcome = got.answer.result
            is_whole = len(outcome.results) == len(plan.items) and all(one["releaseToken"] for one in outcome.results)
            if outcome.state != "GOT" or not is_whole:
                self._requesters.end(use)
                decisive = outcome.decisive
                if outcome.state != "REFUSED" or decisive is None:
                    raise unexpected()
                raise await self._refusal(plan, decisive, until)
            if await self._is_ours(plan, use, outcome.results, session):
                return got
            self._release([one for one in outcome.results if one["status"] == "ACQUIRED"])
            self._requesters.end(use)
            if use.number == 0:
                raise HoldfastError(f"{plan.title}: {use.requester} holds it already", "ALREADY_HAD")
            above = use.number

    async def _ask(
        self, plan: Plan, use: Use, until: float | None, session: Owner | None, wait: Wait | None
    ) -> Got:
        offset = offset_of(self.clocks)
        attempt = attempt_of(self._api, plan, use.requester)
        ended = partial(self._requesters.end, use)
        # A lane releases what comes after the caller has given up. A transaction is no call of a lane.
        if until is None and len(plan.items) == 1:
            try:
                return Got(use, await attempt.ask(0, None, None), offset)
            except BaseException:
                ended()
                raise
        # In a session, a grant lasts as long as the session, however long the response was held.
        asking = Asking(self._api, attempt, until, plan.ttl if session is None else inf)
        if wait is not None:
            wait.requester = use.requester
            asking.wait = wait
        if plan.on_waiting is not None:
            asking.on_waiting = partial(self._call_user, plan.on_waiting)
        asking.release = lambda outcome: self._release(outcome.results)
        asking.ended = ended

        def asked() -> None:
            nonlocal offset
            offset = offset_of(self.clocks)

        asking.asked = asked
        answer = await ask_until_decided(asking)
        return Got(use, answer, offset)

    async def _made(self, plan: Plan, got: Got, session: Owner | None) -> H:
        use, answer, offset = got
        results: Sequence[Json] = answer.result.results
        lease = Lease(plan.title, self.clocks) if session is None else session.lease
        if session is None:
            lease.extend(lease_of(results, plan.ttl), answer.sent_at, offset)
        self._requesters.made(use, [result["releaseToken"] for result in results], lambda: lease.latest_end)
        waited = (results[0].get("waitedMs") or 0) / 1000
        hold = self._make(
            Origin(
                self._api,
                self._keeper,
                use.requester,
                lease,
                plan.ttl,
                None if session is None else session.expires_at,
                waited,
                partial(self._requesters.end, use),
                None if plan.on_end_fixed is None else partial(self._call_user, plan.on_end_fixed),
            ),
            results,
        )
        # A reservation from before: who knows when its lease ends. After a wait: much of it may have passed.
        was_had = any(result["status"] == "ALREADY_HAD" for result in results)
        try:
            await hold._tell_end(hold._fix_end(results))
            if session is None and (was_had or lease.is_half_over):
                await hold._renew()
        except BaseException:
            self._api.release([one for one in results if "booking" not in one])
            raise
        return hold

    async def _is_ours(self, plan: Plan, use: Use, results: Sequence[Json], session: Owner | None) -> bool:
        """Returns whether the results are nobody else's.

        ALREADY_HAD is another hold of this client, or ours: the process was restarted, or a first response was lost.
        Then it has to match the request.
        """
        if any(self._requesters.is_held(result["releaseToken"]) for result in results):
            return False
        had = [result for result in results if result["status"] == "ALREADY_HAD"]
        if not had:
            return True
        if session is None:
            # No renewal makes a lease endless.
            return plan.ttl != inf or all(result["expiresAt"] is None for result in had)
        try:
            path = "/Reservation/activeReservations"
            answer = await self._api.request("GET", path, query={"requester": session.requester})
        except BaseException:
            self._requesters.end(use)
            raise
        inside = {row["resource"] for row in answer.result if row.get("session") == session.id}
        return all(result["resource"] in inside for result in had)

    async def _refusal(self, plan: Plan, result: Json, until: float | None) -> HoldfastError:
        """After a wait, the service does not say who holds it: so this asks once."""
        status = result["status"]
        held_by = result.get("heldBy")
        if until is None or self.clocks.monotonic() < until or status not in TAKEN:
            return refusal(status, f"{plan.title}: {result['explanation']}", held_by)
        if not plan.is_match:
            held_by = await self._holder_of(result["resource"])
        return refusal(status, f"{plan.title}: its turn did not come within {plan.wait:g} s", held_by)

    async def _holder_of(self, resource: str) -> Any:
        """One attempt, of a second."""
        try:
            answer = await self._api.check({"resource": resource}, 0)
        except HoldfastError:
            return None
        holders = (answer.result.get("reason") or {}).get("holders") or []
        if not holders:
            return None
        holder = cast(Json, holders[0])
        held_by = {"resource": holder["slot"], "requester": holder["requester"], "since": holder["since"]}
        return {**held_by, "expiresAt": holder.get("until"), "note": holder.get("note")}

    def _release(self, results: Sequence[Json]) -> Running[None]:
        """Releases what nobody has got, but for what is booked."""
        unwanted = (one for one in results if is_got(one) and "booking" not in one)
        return self._api.release([one for one in unwanted if not self._is_held(one)])

    def _is_held(self, result: Json) -> bool:
        return result["releaseToken"] is not None and self._requesters.is_held(result["releaseToken"])
