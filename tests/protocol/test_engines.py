"""msgpack has two engines, and both must read alike: the same tests run once more on the one in plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import msgpack
import pytest

from tests.protocol.documents import ROOT

PURE = "MSGPACK_PUREPYTHON"
HERE = Path(__file__).parent
AGAIN = [
    HERE / "test_vectors.py",
    HERE / "test_sessions.py",
    HERE.parent / "wire" / "test_codec.py",
    HERE.parent / "wire" / "test_scan.py",
    HERE.parent / "wire" / "test_bounds.py",
    HERE.parent / "wire" / "test_fuzz.py",
]


def test_the_engine_is_the_one_asked_for() -> None:
    is_pure = msgpack.Unpacker.__module__ == "msgpack.fallback"
    assert is_pure == bool(os.environ.get(PURE))


@pytest.mark.skipif(bool(os.environ.get(PURE)), reason="this is the run in plain Python")
def test_the_other_engine_passes_the_same_tests() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__, *map(str, AGAIN)],
        cwd=ROOT,
        env={**os.environ, PURE: "1", "KILLE_FUZZ": "20000"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
