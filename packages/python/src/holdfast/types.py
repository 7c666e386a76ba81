"""Requests and responses of the service, for type hints: with its names of fields."""

from __future__ import annotations

from ._generated import (
    ActiveReservation,
    CheckResult,
    ConditionResult,
    Definition,
    Event,
    HeldBy,
    Reason,
    Registration,
    TransactionResult,
    TreeNode,
    Waiting,
    WaitingRequest,
)
from ._generated import Session as SessionInfo

__all__ = [
    "ActiveReservation",
    "CheckResult",
    "ConditionResult",
    "Definition",
    "Event",
    "HeldBy",
    "Reason",
    "Registration",
    "SessionInfo",
    "TransactionResult",
    "TreeNode",
    "Waiting",
    "WaitingRequest",
]
