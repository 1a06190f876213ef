"""How Hypothesis searches: HYPOTHESIS_PROFILE chooses; without it `ci` where CI=true, else `dev`. Who hears Ctrl-C."""

import atexit
import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# No test meets the tickets of whoever runs it.
os.environ["KILLE_DATA"] = tempfile.mkdtemp(prefix="kille-tests-")
atexit.register(shutil.rmtree, os.environ["KILLE_DATA"], ignore_errors=True)

# No deadlines: two cores that are busy with other tests say nothing about an example's own time.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "deep", deadline=None, max_examples=5_000, stateful_step_count=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") == "true" else "dev"))


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_counts() -> None:
    """Also where a shell started the tests in the background: the programs under test inherit what is ignored here."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
