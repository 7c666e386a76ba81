"""How work under a hold ends."""

from __future__ import annotations

from ._hold import BaseHold
from .errors import LeaseLost


def raise_for(hold: BaseHold, lost: LeaseLost | None, was_held: bool, error: BaseException | None) -> None:
    """Raises LeaseLost if the lease was lost meanwhile, since then the result of the work cannot be trusted.

    `was_held` is what the release said, `error` the error of the work, which becomes its cause.
    """
    if lost is None and not was_held:
        lost = LeaseLost(f"{hold.resource} was released by somebody else meanwhile")
    if lost is None or not (error is None or isinstance(error, Exception)):
        return
    if error is None or error is lost:
        raise lost
    raise LeaseLost(str(lost)) from error
