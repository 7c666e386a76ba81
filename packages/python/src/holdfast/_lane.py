"""Batches calls of one kind: those that are made while requests are in flight travel together in the next one.

A lone call leaves at once. Calls leave in the order in which they came. Requests may overtake each other on their way:
so a reserve stays while an earlier one of the same name is in flight, and their queue is that of their calls.

A batch that is refused as a whole is sent again in halves, down to the single call that gets the error. A batch whose
connection was lost is sent again, with others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import inf

from ._answer import Answer, OnFailure
from ._exchange import Exchange
from ._failures import attempt_time, delay_before, is_for_all, is_used_up, may_have_run
from ._kinds import Kind
from ._plan import Json
from ._retries import Retries
from ._runtime import Runtime
from .errors import HoldfastError, unexpected

MAX_IN_FLIGHT = 2
"""Requests of one kind in flight, before calls are queued. With more, a request has fewer calls, and costs as much."""
FEW = 4
"""So many calls leave while a request is in flight. More wait for its response: a request costs as much as ten calls."""
LATE = 1.0
"""After so many seconds a request without a response does not keep others from leaving."""
MAX_ITEMS = 500
"""The service takes no more (docs/specification.md#names-and-sizes: MAX_BATCH)."""
MAX_LENGTH = 512 * 1024
"""Half of what the service takes, in bytes. Items are ASCII here."""

_encode = json.JSONEncoder(separators=(",", ":")).encode


class Entry:
    """One call that waits for its batch, is in flight, or pauses before a repeat."""

    __slots__ = (
        "item", "text", "deadline", "on_failure", "done", "tries", "is_repeated", "is_settled", "answer", "error",
    )  # fmt: skip

    def __init__(self, item: Json, deadline: float, on_failure: OnFailure | None, done: Callable[[], object]) -> None:
        self.item = item
        self.text = _encode(item)
        self.deadline = deadline
        self.on_failure = on_failure
        self.done = done
        self.tries = 0
        self.is_repeated = False
        """Whether an attempt whose response was lost may have been carried out."""
        self.is_settled = False
        self.answer: Answer | None = None
        self.error: Exception | None = None

    def resolve(self, answer: Answer) -> None:
        self.is_settled = True
        self.answer = answer
        self.done()

    def reject(self, error: Exception) -> None:
        self.is_settled = True
        self.error = error
        self.done()


class Lane:
    """`late` is called with the result of a call that was given up after it was sent."""

    def __init__(
        self,
        exchange: Exchange,
        retries: Retries,
        runtime: Runtime,
        kind: Kind,
        late: Callable[[Json], None] | None = None,
    ) -> None:
        self._exchange = exchange
        self._retries = retries
        self._runtime = runtime
        self._kind = kind
        self._late = late
        self._queue: list[Entry] = []
        self._in_flight = 0
        self._requests = 0
        # The names of the calls in flight, with the number of their request.
        self._names: dict[str | None, int] = {}
        self._is_due = False

    async def call(self, item: Json, deadline: float | None = None, on_failure: OnFailure | None = None) -> Answer:
        """Raises HoldfastError. If the caller is cancelled, the call is not repeated any more."""
        flag = self._runtime.flag()
        end = self._retries.deadline() if deadline is None else deadline
        entry = Entry(item, end, on_failure, flag.set)
        self._queue.append(entry)
        self._soon()
        try:
            await flag.wait()
        except BaseException:
            if entry.answer is not None and self._late is not None:
                self._late(entry.answer.result)
            entry.is_settled = True
            raise
        if entry.answer is None:
            raise entry.error or unexpected()
        return entry.answer

    def _soon(self) -> None:
        """Calls that are made in the same iteration of the event loop travel together."""
        if not self._is_due:
            self._is_due = True
            self._runtime.later(0, self._leave)

    def _leave(self) -> None:
        self._is_due = False
        while self._in_flight == 0 or (self._in_flight < MAX_IN_FLIGHT and len(self._queue) <= FEW):
            batch = self._take()
            if not batch:
                return
            self._occupy(batch)

    def _occupy(self, batch: list[Entry]) -> None:
        """Counts a request as in flight until it has ended, or is so late that its instance may be gone."""
        self._in_flight += 1
        self._requests += 1
        request = self._requests
        names = [name for entry in batch if (name := self._kind.name_of(entry.item)) is not None]
        for name in names:
            self._names[name] = request
        is_free = False

        def free() -> None:
            nonlocal is_free
            if is_free:
                return
            is_free = True
            self._in_flight -= 1
            for name in names:
                if self._names.get(name) == request:
                    del self._names[name]
            self._soon()

        async def carry() -> None:
            try:
                await self._carry(batch)
            except Exception as error:
                # Not of the service: a mistake of this client, or of a function of the user.
                for entry in batch:
                    if not entry.is_settled:
                        entry.reject(error)
            finally:
                stop()
                free()

        stop = self._runtime.later(LATE, free)
        self._runtime.spawn(carry)

    def _take(self) -> list[Entry]:
        """Takes as many calls as fit into one request, but for those that must not overtake others."""
        kind = self._kind
        taken: list[Entry] = []
        kept: list[Entry] = []
        marks: set[str] = set()
        size, length, end = 0, 0, len(self._queue)
        for at, entry in enumerate(self._queue):
            if entry.is_settled:
                continue
            if kind.name_of(entry.item) in self._names:
                kept.append(entry)
                continue
            mark = kind.mark_of(entry.item)
            size += kind.size_of(entry.item)
            length += len(entry.text) + 1
            fits = size <= MAX_ITEMS and length <= MAX_LENGTH and mark not in marks
            if taken and not fits:
                end = at
                break
            if mark is not None:
                marks.add(mark)
            taken.append(entry)
        self._queue = kept + self._queue[end:]
        return taken

    async def _carry(self, batch: Sequence[Entry]) -> HoldfastError | None:
        """Sends calls in one request. Returns None, or an error that any other call would get too."""
        entries = [entry for entry in batch if not entry.is_settled]
        if not entries:
            return None
        try:
            await self._send(entries)
            return None
        except HoldfastError as caught:
            error = caught
        for entry in entries:
            entry.is_repeated = entry.is_repeated or may_have_run(error)
        if len(entries) == 1 or is_for_all(error):
            self._again(entries, error)
            return error if self._kind.size_of(entries[0].item) == 1 and is_used_up(error) else None
        middle = len(entries) // 2
        right = entries[middle:]
        for_others = await self._carry(entries[:middle])
        if for_others is None:
            return await self._carry(right)
        self._again(right, for_others)
        return for_others

    async def _send(self, entries: Sequence[Entry]) -> None:
        kind = self._kind
        deadline = inf
        for entry in entries:
            entry.tries += 1
            deadline = min(deadline, entry.deadline)
        body = ",".join([entry.text for entry in entries])
        path = next((path for entry in entries if (path := kind.path_of(entry.item)) != kind.path), kind.path)
        results, sent_at = await self._exchange.send(
            "POST", path, f"[{body}]", timeout=attempt_time(deadline), minimal=kind.is_minimal
        )
        if not isinstance(results, list) or len(results) != len(entries):
            raise unexpected()
        if not all(isinstance(result, dict) and kind.has in result for result in results):
            raise unexpected()
        for entry, got in zip(entries, results):
            result = kind.restore(got, entry.item)
            self._names.pop(kind.name_of(entry.item), None)
            if not entry.is_settled:
                entry.resolve(Answer(result, sent_at, entry.is_repeated))
            elif self._late is not None:
                self._late(result)

    def _again(self, entries: Sequence[Entry], error: HoldfastError) -> None:
        """Queues calls again after a pause, before those that came later; rejects the calls that are not repeated."""
        delay: float | None = None
        again: list[Entry] = []
        for entry in entries:
            if entry.is_settled:
                continue
            own = delay_before(error, entry.tries, entry.deadline)
            if own is None:
                entry.reject(error)
                continue
            if entry.on_failure is not None:
                entry.on_failure(error)
            # Of the oldest one, for all: they stay together.
            delay = own if delay is None else delay
            again.append(entry)
        if delay is None:
            return

        def queue() -> None:
            self._queue = again + self._queue
            self._soon()

        self._retries.tell(error, again[0].tries, delay)
        self._runtime.later(max(delay, 0.001), queue)
