"""How Hypothesis searches: HYPOTHESIS_PROFILE chooses; without it `ci` where CI=true, else `dev`. Who hears Ctrl-C.

No test touches what its user has."""

import os
import signal
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests import compiling, deep

# No deadlines: two cores that are busy with other tests say nothing about an example's own time.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "deep", deadline=None, max_examples=5_000, stateful_step_count=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") == "true" else "dev"))

LONGEST: Final = ("test_club_evening.py", "test_bot_check_tcp.py", "test_worlds.py")
"""Modules whose tests take longest, what waits before what counts: they begin first, so that none of them is what all
workers but one wait for at the end."""


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_counts() -> None:
    """Also where a shell started the tests in the background: the programs under test inherit what is ignored here."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever a command of a test remembers, it remembers for this run alone."""
    with pytest.MonkeyPatch.context() as patch:
        for size in ("COLUMNS", "LINES"):  # they come before a terminal's own: some shells export them…
            patch.delenv(size, raising=False)
            os.unsetenv(size)  # …and readline, which pytest imports, sets them where os.environ does not see it
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("KILLE_DATA", str(tmp_path_factory.mktemp("data") / "kille"))
        patch.setenv("KILLE_SERVE_NO_DISCOVERY", "1")  # the network is its user's, too
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Texts that were changed are tested as they are now."""
    if not hasattr(config, "workerinput") and compiling.is_stale():
        compiling.compile_catalogues()


def pytest_itemcollected(item: pytest.Item) -> None:
    deep.mark(item)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(LONGEST)))


def pytest_collection_finish(session: pytest.Session) -> None:
    deep.share_out(session.items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if deep.IS_DEEP:
        terminalreporter.section("what the long run did")
        for outcome in ("passed", "failed"):
            for line in deep.summary(terminalreporter.getreports(outcome)):
                terminalreporter.line(f"{outcome}: {line}")
