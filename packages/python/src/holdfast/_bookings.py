"""The calls for bookings (docs/specification.md#bookings), of both clients."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ._plan import item_of
from ._requesters import random_text
from .errors import HoldfastError, invalid, refusal, unexpected

if TYPE_CHECKING:
    from ._core import Core
    from .types import Repeat


async def book_all(
    core: Core[Any],
    resources: Sequence[str],
    start: datetime,
    end: datetime,
    requester: str | None,
    note: str | None,
    repeat: Repeat | None = None,
    skip_conflicts: bool = False,
) -> list[Any]:
    """Returns the result of each booking, and of each occurrence of a series. Raises HoldfastError, then there is none.

    docs/specification.md#booking.
    """
    times = {"start": _second_of(start), "end": _second_of(end)}
    common = item_of(requester=requester or core.known.base, **times, note=note, repeat=repeat)
    body = {"bookings": [{"resource": name, **common} for name in resources], "skipConflicts": skip_conflicts}
    request = core.api.request("POST", "/Booking", body=body, has="bookings", idempotency_key=random_text(26))
    result = (await request).result
    booked: list[Any] = result["bookings"]
    if result["status"] != "BOOKED":
        failed = next((one for one in booked if one["status"] in ("CONFLICT", "NOT_VALID")), None)
        raise unexpected() if failed is None else _refused(failed["resource"], failed)
    return booked


async def list_bookings(
    core: Core[Any], resource: str | None, requester: str | None, start: datetime | None, end: datetime | None
) -> list[Any]:
    times = {"from": None if start is None else _text_of(start), "to": None if end is None else _text_of(end)}
    return await core.rows("/Booking", resource=resource, requester=requester, **times)


async def change_booking(
    core: Core[Any], booking: str, start: datetime | None, end: datetime | None, note: str | None
) -> Any:
    """Returns the booking. Raises HoldfastError, then it is as it was."""
    times = {"start": None if start is None else _second_of(start), "end": None if end is None else _second_of(end)}
    request = core.api.request("PATCH", _path_of(booking), body=item_of(**times, note=note), has="booking")
    result = (await request).result
    if result["status"] != "BOOKED":
        raise _refused(result["booking"]["resource"], result)
    return result["booking"]


async def cancel_booking(core: Core[Any], booking: str) -> bool:
    return bool((await core.api.request("DELETE", _path_of(booking), has="cancelled")).result["cancelled"] > 0)


async def cancel_series(core: Core[Any], series: str, start: datetime | None) -> int:
    query = {} if start is None else {"from": _text_of(start)}
    request = core.api.request("DELETE", _path_of("series", series), query=query, has="cancelled")
    cancelled: int = (await request).result["cancelled"]
    return cancelled


def _refused(resource: str, result: dict[str, Any]) -> HoldfastError:
    """`CONFLICT: booked by ann from 2026-… until 2026-…`, in UTC."""
    explanation, conflict = result["explanation"], result.get("conflict")
    if conflict is not None:
        what = "booked" if conflict["kind"] == "BOOKING" else "held"
        until = "on" if conflict["until"] is None else f"until {conflict['until']}"
        explanation = f"CONFLICT: {what} by {conflict['requester'] or 'several'} from {conflict['from']} {until}"
    return refusal(result["status"], f"{resource}: {explanation}")


def _path_of(*names: str) -> str:
    return "/".join(["/Booking", *(quote(name, safe="") for name in names)])


def _second_of(time: datetime) -> str:
    """The service takes whole seconds: the rest is cut off."""
    return _text_of(time, "seconds")


def _text_of(time: datetime, unit: str = "auto") -> str:
    """Returns a time as the service reads it. A naive one is a time of this machine's zone. Raises INVALID_OPTION."""
    if not isinstance(time, datetime):
        raise invalid(f"a time is a datetime, not {time!r}")
    return time.astimezone(timezone.utc).isoformat(timespec=unit)
