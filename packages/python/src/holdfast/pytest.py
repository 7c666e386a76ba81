"""The pytest plugin: fixtures that hold resources while tests run. It imports the client when a test uses one.

Explained in docs/guides/share-test-devices.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from . import Hold, Holdfast
    from . import Retry
    from ._generated import Waiting

Scope = Literal["session", "package", "module", "class", "function"]


@pytest.fixture(scope="session")
def holdfast_client(pytestconfig: pytest.Config) -> Iterator[Holdfast]:
    """The client of this process, made from HOLDFAST_URL and HOLDFAST_KEY. Override it to make another one."""
    from . import Holdfast

    def show(retry: Retry) -> None:
        pytestconfig.stash[_STATE].show(f"{retry.error}. It is tried again for a while")

    with _failing_in_a_line():
        client = Holdfast.from_env(on_retry=show)
    with client:
        yield client


def hold_fixture(
    target: str | Sequence[str] | None = None, *, scope: Scope = "function", note: str | None = None, **options: Any
) -> Any:
    """Returns a fixture that holds resources, and gives the hold to the tests.

    `target` and `options` are those of `Holdfast.using`, such as `match` and `wait`. Names that belong together are one
    target: two fixtures are two waits, so two tests could each hold what the other one waits for. `note` says why, for
    people: by default, it is the name of the test; with a scope of all tests, that of the folder.
    """

    @pytest.fixture(scope=scope)
    def held(request: pytest.FixtureRequest, holdfast_client: Holdfast) -> Iterator[Hold]:
        """Holds what hold_fixture() was called with, as long as its scope lasts."""
        state = request.config.stash[_STATE]
        why = note or request.node.nodeid or request.config.rootpath.name

        def show(waiting: Waiting) -> None:
            state.show(f"{request.fixturename} waits for {_text_of(waiting)}")

        hint = "" if "wait" in options else " (to wait for it: hold_fixture(…, wait=\"10m\"))"
        with _failing_in_a_line(hint), holdfast_client.using(target, note=why, on_waiting=show, **options) as hold:
            entry = _Held(request.fixturename, request.node, hold)
            state.holds.append(entry)
            yield hold
            state.holds.remove(entry)

    return held


@contextmanager
def _failing_in_a_line(if_taken: str = "") -> Iterator[None]:
    """Shows what is wrong with an address, a key, a wait or a lease, without the frames of the client.

    `if_taken` is added if somebody else has it.
    """
    from .errors import HoldfastError, NotAvailable

    try:
        yield
    except HoldfastError as error:
        hint = if_taken if isinstance(error, NotAvailable) else ""
        raise pytest.fail.Exception(f"{error}{hint}", pytrace=False) from None


class _Held(NamedTuple):
    """What a fixture holds. `node` is the test, class, module or session that it is for."""

    fixture: str | None
    node: pytest.Item | pytest.Collector
    hold: Hold


class _State:
    """What the fixtures of this process hold, and the test that runs."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._shown = ""
        self.holds: list[_Held] = []
        self.item: pytest.Item | None = None

    def of(self, item: pytest.Item) -> list[Hold]:
        """Returns the holds that a test uses."""
        # Only the request has the fixtures that a test gets by getfixturevalue.
        names: Sequence[str] = getattr(getattr(item, "_request", item), "fixturenames", ())
        return [hold for fixture, node, hold in self.holds if fixture in names and node in item.listchain()]

    def show(self, line: str) -> None:
        """Shows a wait on the terminal, or in the report of the test: workers of xdist have no terminal."""
        if line == self._shown:
            return
        self._shown = line
        if hasattr(self._config, "workerinput"):
            if self.item is not None:
                self.item.add_report_section("setup", "holdfast", line)
            return
        plugins = self._config.pluginmanager
        terminal, capture = plugins.get_plugin("terminalreporter"), plugins.get_plugin("capturemanager")
        if terminal is not None and capture is not None:
            with capture.global_and_fixture_disabled():
                terminal.ensure_newline()
                terminal.write_line(f"holdfast: {line}")
                terminal.flush()


_STATE = pytest.StashKey[_State]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_STATE] = _State(config)


def pytest_runtest_protocol(item: pytest.Item) -> None:
    item.config.stash[_STATE].item = item


def _after_setup(item: pytest.Item) -> None:
    """A test does not begin with what was lost during an earlier one."""
    for hold in item.config.stash[_STATE].of(item):
        with _failing_in_a_line():
            hold.raise_if_lost()
        item.user_properties.extend(("holdfast_slot", slot) for slot in hold.slots)


def _after_teardown(item: pytest.Item) -> None:
    """What fixtures of a wider scope hold goes on: a loss is told with the test that uses it."""
    for hold in item.config.stash[_STATE].of(item):
        with _failing_in_a_line():
            hold.raise_if_lost()


pytest_runtest_setup = pytest.hookimpl(trylast=True)(_after_setup)
pytest_runtest_teardown = pytest.hookimpl(trylast=True)(_after_teardown)


def _text_of(waiting: Waiting) -> str:
    """Returns `phones, 2 ahead: ann has phones_0 (nightly)`."""
    from .errors import holder_text

    place = "next" if waiting["ahead"] == 0 else f"{waiting['ahead']} ahead"
    reason = waiting.get("reason")
    slots: dict[tuple[str | None, str | None], list[str]] = {}
    for one in reason["holders"] if reason else ():
        slots.setdefault((one["requester"], one["note"]), []).append(one["slot"])
    holders = [holder_text(requester, ", ".join(held), note) for (requester, note), held in slots.items()]
    return f"{waiting['waitsFor']}, {place}" + (f": {', '.join(holders)}" if holders else "")
