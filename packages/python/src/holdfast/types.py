"""Requests and responses of the service, for type hints: with its names of fields."""

from __future__ import annotations

from typing import Literal, TypedDict

from ._generated import (
    ActiveReservation,
    BookedItem,
    Booking,
    CheckResult,
    ConditionResult,
    Definition,
    Event,
    HeldBy,
    Reason,
    Registration,
    Repeat,
    TransactionResult,
    TreeNode,
    Waiting,
    WaitingRequest,
)
from ._generated import Session as SessionInfo


class BookedSlot(TypedDict):
    """What was booked. `booking` names it in other calls."""

    booking: str
    resource: str
    requester: str
    slot: str
    start: str
    end: str


class ConnectionChange(TypedDict):
    """`CONNECTED`: from here on no event is missing, until `DISCONNECTED`. About no resource, as some events are."""

    type: Literal["CONNECTED", "DISCONNECTED"]
    resource: None
    requester: None


__all__ = [
    "ActiveReservation",
    "BookedItem",
    "BookedSlot",
    "Booking",
    "CheckResult",
    "ConditionResult",
    "ConnectionChange",
    "Definition",
    "Event",
    "HeldBy",
    "Reason",
    "Registration",
    "Repeat",
    "SessionInfo",
    "TransactionResult",
    "TreeNode",
    "Waiting",
    "WaitingRequest",
]
