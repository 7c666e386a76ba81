"""A hold: one or several reservations that were taken together, and the lease that ends them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from ._clocks import offset_of
from ._durations import Duration, ttl_of
from ._failures import is_unreachable
from ._kinds import key_of
from ._lease import Lease
from ._plan import Json, item_of
from ._reservations import Reservation, lease_of, reservation_of, time_of
from .errors import HoldfastError, LeaseLost, invalid, refusal

# `import holdfast` imports this file. The others load anyio and httpx.
if TYPE_CHECKING:
    import anyio

    from ._api import Api
    from ._keeper import Keeper
    from ._runtime import Flag


_MIN_TTL = 5
"""A renewal that is cut to the start of a booking lasts so many seconds at least."""


class Origin:
    """Where a hold comes from. `ended` is called when the service has released it; `ttl` is the lease in seconds."""

    __slots__ = ("api", "keeper", "requester", "lease", "ttl", "session", "waited", "ended", "on_end_fixed")

    def __init__(
        self,
        api: Api,
        keeper: Keeper,
        requester: str,
        lease: Lease,
        ttl: float,
        session: Callable[[], datetime] | None,
        waited: float,
        ended: Callable[[], None],
        on_end_fixed: Callable[[datetime], Awaitable[None]] | None,
    ) -> None:
        self.api = api
        self.keeper = keeper
        self.requester = requester
        self.lease = lease
        self.ttl = ttl
        self.session = session
        """Of a session: when it ends."""
        self.waited = waited
        self.ended = ended
        self.on_end_fixed = on_end_fixed


class BaseHold:
    """What holds of both clients have. Holds are made by `reserve`, `using` and `hold`."""

    __slots__ = (
        "_origin", "_results", "_reservations", "_ttl", "_renewing", "_releasing", "_was_held", "_fixed_end",
    )  # fmt: skip

    def __init__(self, origin: Origin, results: Sequence[Json]) -> None:
        self._origin = origin
        self._results = results
        self._reservations: Sequence[Reservation] | None = None
        self._ttl = origin.ttl
        self._renewing: anyio.Lock | None = None
        self._releasing: Flag | None = None
        self._was_held: bool | None = None
        self._fixed_end: datetime | None = None

    @property
    def requester(self) -> str:
        """The requester that has it."""
        return self._origin.requester

    @property
    def waited(self) -> float:
        """Time for which it waited for its turn, in seconds."""
        return self._origin.waited

    @property
    def resource(self) -> str:
        """The resource; of several, the first. For a match, the one that was picked."""
        name: str = self._results[0]["resource"]
        return name

    @property
    def resources(self) -> Sequence[str]:
        return [result["resource"] for result in self._results]

    @property
    def slots(self) -> Sequence[str]:
        """The slots of pools that it has; for other resources, their names."""
        return [slot for reservation in self.reservations for slot in reservation.slots]

    @property
    def attributes(self) -> Mapping[str, str]:
        """The attributes of what it holds. If several resources have the same, that of the first."""
        merged: dict[str, str] = {}
        for reservation in reversed(self.reservations):
            merged.update(reservation.attributes)
        return merged

    @property
    def fencing_token(self) -> int:
        """The fencing token; of several, the highest, which is good for each of them."""
        return max(reservation.fencing_token for reservation in self.reservations)

    @property
    def expires_at(self) -> datetime | None:
        """When the lease ends, by the clock of the service. None: it never ends by itself."""
        if self._origin.session is not None:
            return self._origin.session()
        return min((end for one in self.reservations if (end := one.expires_at) is not None), default=None)

    @property
    def remaining(self) -> float:
        """Time in seconds until it counts as lost, unless it is renewed. Infinity: the lease never ends."""
        return self._origin.lease.remaining

    @property
    def fixed_end(self) -> datetime | None:
        """The end of the lease, if a booking of somebody else begins then: renewals cannot move it. None: they can."""
        return self._fixed_end

    @property
    def reservations(self) -> Sequence[Reservation]:
        """The reservations, one for each resource, in the order of the names."""
        if self._reservations is None:
            self._reservations = [reservation_of(result) for result in self._results]
        return self._reservations

    def raise_if_lost(self) -> None:
        """Raises LeaseLost if the lease has ended, or may end within its margin. Looks at the clocks, asks nobody.

        The margin is a tenth of the lease, at least 50 ms and at most 2 s.
        """
        if (lost := self._origin.lease.lost) is not None:
            raise lost

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._title!r}, requester={self.requester!r})"

    @property
    def _title(self) -> str:
        return ", ".join(self.resources)

    async def _renew(self, ttl: Duration | None = None) -> None:
        """Renewals of one hold are sent one after the other."""
        if self._origin.lease.is_foreign:
            # A renewal of the other process, which never ends in this one, may have the lock.
            self.raise_if_lost()
        if self._origin.session is not None:
            raise invalid("its session renews it")
        seconds = None if ttl is None else ttl_of(ttl)
        if seconds == inf:
            raise invalid("a renewal has an end")
        if self._renewing is None:
            import anyio

            self._renewing = anyio.Lock()
        async with self._renewing:
            end, refused = await self._renew_now(self._ttl if seconds is None else seconds)
        # The function of the user may renew, too.
        await self._tell_end(end)
        if refused is not None:
            raise refused

    async def _renew_now(self, ttl: float) -> tuple[datetime | None, HoldfastError | None]:
        """Returns the end that bookings fix, if it is new; and the error, if they let the lease as it is."""
        lease = self._origin.lease
        if self._releasing is not None:
            raise self._has_been_released()
        if lease.lost is not None:
            raise lease.lost
        if ttl == inf:
            return None, None
        offset = offset_of(lease.clocks)
        lease.announce(ttl)
        deadline = None if lease.deadline == inf else lease.deadline
        api = self._origin.api
        lasting = {"ttlSeconds": int(ttl), "minTtlSeconds": min(int(ttl), _MIN_TTL)}
        items = [{**key_of(result), **lasting} for result in self._results]
        try:
            answers = await api.together([partial(api.renew, item, deadline, lease.failed) for item in items])
        finally:
            lease.may_last(ttl)
        results = [answer.result for answer in answers]
        failed = next((one for one in results if one["status"] not in ("RENEWED", "NOT_AVAILABLE")), None)
        if failed is not None:
            lease.lose(LeaseLost(f"{failed['resource']} is not held any more: {failed['explanation']}"))
            raise lease.lost or self._has_been_released()
        self._ttl = ttl
        self._results = [
            {**result, **{name: renewed[name] for name in ("expiresAt", "booking") if name in renewed}}
            for result, renewed in zip(self._results, results)
        ]
        self._reservations = None
        kept = next((one for one in results if one["status"] == "NOT_AVAILABLE"), None)
        if kept is None:
            lease.extend(lease_of(results, ttl), min(answer.sent_at for answer in answers), offset)
        end = self._fix_end(results)
        if kept is None:
            return end, None
        return end, refusal(kept["status"], f"{kept['resource']}: {kept['explanation']}", None)

    def _fix_end(self, results: Sequence[Json]) -> datetime | None:
        """Notes when the lease ends, if bookings say so. Returns the end if it is new."""
        # The end of an earlier lease (ALREADY_HAD) is known only after its next renewal.
        fresh = [one for one in results if one["status"] != "ALREADY_HAD" and one["expiresAt"] is not None]
        ends = [time_of(one["expiresAt"]) for one in fresh if "ttlSeconds" in one or "bookedFrom" in one]
        end = min((one for one in ends if one is not None), default=None)
        before, self._fixed_end = self._fixed_end, end
        return None if end == before else end

    async def _tell_end(self, end: datetime | None) -> None:
        """Tells the user of an end that is new; None: there is none."""
        if end is not None and self._origin.on_end_fixed is not None:
            await self._origin.on_end_fixed(end)

    def _has_been_released(self) -> HoldfastError:
        return HoldfastError(f"{self._title} has been released", "NOT_RESERVED")

    async def _leave(self) -> bool:
        """Releases it, but for what is booked: that stays its requester's until the booking ends."""
        return await self._release_once([one for one in self._results if "booking" not in one], {})

    async def _release(self, condition: str | None = None, reason: str | None = None) -> bool:
        """Releases all of it."""
        return await self._release_once(self._results, item_of(condition=condition, reason=reason))

    async def _release_once(self, results: Sequence[Json], report: Json) -> bool:
        """A second call gets the result of the first, unless that failed."""
        if self._releasing is not None:
            await self._releasing.wait()
            if self._was_held is not None:
                return self._was_held
        lease = self._origin.lease
        if lease.is_foreign:
            return False
        self._releasing = self._origin.api.runtime.flag()
        try:
            self._was_held = await self._release_now(results, report)
            return self._was_held
        finally:
            self._releasing.set()
            if self._was_held is None:
                self._releasing = None

    async def _release_now(self, results: Sequence[Json], report: Json) -> bool:
        origin = self._origin
        if origin.session is None:
            origin.keeper.forget(origin.lease)
            origin.lease.finish()
        end = origin.lease.end
        deadline = None if end == inf else end
        api = origin.api
        items = [{**key_of(result), **report} for result in results]
        try:
            answers = await api.together([partial(api.unreserve, item, deadline) for item in items])
        except HoldfastError as error:
            if end != inf and is_unreachable(error):
                return True
            raise
        origin.ended()
        return all(answer.result["status"] == "RELINQUISHED" or answer.is_repeated for answer in answers)
