"""The errors of the client. Rely on `code`: messages may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import HeldBy


class HoldfastError(Exception):
    """Any error of the client or the service.

    `code` is an item's status (`NOT_VALID`), a code of the service (`FORBIDDEN`: docs/specification.md#errors), or one
    of the client: `ALREADY_HAD`, `LEASE_LOST`, `INVALID_OPTION`, `UNREACHABLE`, `UNEXPECTED_RESPONSE`, `CANCELLED`.
    `status` is the HTTP status, if there was a response. `request_id` is its `X-Request-Id`: the log of the service has
    it too. `retry_after` says when to try again, in seconds, if the service said so.
    """

    # The message alone makes one: so it can be pickled, and all else comes from its attributes.
    def __init__(
        self,
        message: str,
        code: str = "",
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


class NotAvailable(HoldfastError):
    """`ALREADY_HELD`, `NOT_AVAILABLE`: somebody else has it, or its turn did not come in time.

    `held_by` says who, since when and why, if the service knows.
    """

    held_by: HeldBy | None = None


class LeaseLost(HoldfastError):
    """`LEASE_LOST`: the lease ended, or may have."""

    def __init__(self, message: str, code: str = "LEASE_LOST") -> None:
        super().__init__(message, code)


class LimitReached(HoldfastError):
    """`LIMIT_REACHED`: `limit_type` says which limit (docs/specification.md#limits), `retry_after` when it passes."""

    limit_type: str | None = None


class Unreachable(HoldfastError):
    """`UNREACHABLE`: no response after all retries."""

    def __init__(self, message: str, code: str = "UNREACHABLE") -> None:
        super().__init__(message, code)


def invalid(message: str) -> HoldfastError:
    """Returns the error of a call that makes no sense."""
    return HoldfastError(message, "INVALID_OPTION")


def unexpected(code: str = "UNEXPECTED_RESPONSE", status: int | None = None) -> HoldfastError:
    """Returns the error of a response of a proxy, or of another service."""
    return HoldfastError("Unexpected response: is this Holdfast?", code, status=status)


def refusal(code: str, message: str, held_by: HeldBy | None = None) -> HoldfastError:
    """Returns the error of an item that the service refused. `code` is its status."""
    if code not in TAKEN:
        return HoldfastError(message, code)
    holder = "" if held_by is None else f": {holder_text(held_by['requester'], held_by['resource'], held_by['note'])}"
    error = NotAvailable(message + holder, code)
    error.held_by = held_by
    return error


def holder_text(requester: str | None, slot: str, note: str | None) -> str:
    """Returns `ann has phones_0 (nightly)`."""
    return f"{requester or 'somebody'} has {slot}" + (f" ({note})" if note else "")


TAKEN = frozenset(("ALREADY_HELD", "NOT_AVAILABLE"))
"""The codes that say that somebody else has it."""
