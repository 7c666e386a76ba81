"""The kinds of calls that travel in batches, and what minimal results of them leave out.

docs/specification.md#minimal-results. No I/O.
"""

from __future__ import annotations

from ._plan import Json


class Kind:
    """A kind of call; this one has nothing special.

    `path` is below `/api/v1`; `has` is a field of each result; `is_minimal`: results may leave out what the caller
    knows.
    """

    is_minimal = False

    def __init__(self, path: str, has: str = "status") -> None:
        self.path = path
        self.has = has

    def path_of(self, item: Json) -> str:
        return self.path

    def name_of(self, item: Json) -> str | None:
        """Calls of the same name are carried out in their order."""
        return None

    def size_of(self, item: Json) -> int:
        """The number of items that it counts as."""
        return 1

    def mark_of(self, item: Json) -> str | None:
        """Two calls with the same mark do not travel in one request."""
        return None

    def restore(self, result: Json, item: Json) -> Json:
        """Puts back what a minimal result leaves out."""
        return result


class _Reserve(Kind):
    is_minimal = True

    def path_of(self, item: Json) -> str:
        # It joins the queue, and gets a response at once.
        return f"{self.path}?pollSeconds=0" if item.get("waitSeconds") else self.path

    def name_of(self, item: Json) -> str | None:
        name: str | None = item.get("resource")
        return name

    def size_of(self, item: Json) -> int:
        size: int = item.get("count", 1)
        return size

    def mark_of(self, item: Json) -> str | None:
        # In one request, a second item with the same match would take a second resource.
        return str(item["requester"]) if "match" in item else None

    def restore(self, result: Json, item: Json) -> Json:
        return {
            "resource": item.get("resource", ""),
            "requester": item["requester"],
            "explanation": result["status"],
            "releaseToken": None,
            "expiresAt": None,
            "acquiredSlots": None,
            "acquiredBlockers": None,
            "reservedAtPath": None,
            "fencingToken": None,
            **result,
        }


class _Named(Kind):
    """Renewals and releases."""

    is_minimal = True

    def restore(self, result: Json, item: Json) -> Json:
        common = {"resource": item["resource"], "requester": item["requester"], "explanation": result["status"]}
        return {**common, "expiresAt": None, **result}


RESERVE = _Reserve("/Reservation/reserve")
UNRESERVE = _Named("/Reservation/unreserve")
RENEW = _Named("/Reservation/renew")
CHECK = Kind("/Reservation/check", "reserved")
CANCEL = Kind("/Reservation/cancel")


def key_of(result: Json) -> Json:
    """Returns the fields that release a result."""
    return {
        "resource": result["resource"],
        "requester": result["requester"],
        "releaseToken": result["releaseToken"] or "",
    }


def is_got(result: Json) -> bool:
    return result["status"] in ("ACQUIRED", "ALREADY_HAD")
