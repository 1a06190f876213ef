"""Each defence is taken out of a copy of the package, where its test has to fail then."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.catalogue.defences import DEFENCES, Defence
from tests.deep import IS_DEEP

pytestmark = pytest.mark.skipif(not IS_DEEP, reason="a process for each; `make deep`")

ROOT: Final = Path(__file__).parents[2]
_COPIED: Final = ("kille_net", "tests", "protocol", "pyproject.toml")
_FAILED: Final = 1
"""What pytest returns when it has run tests and some have failed."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def run(copy: Path, test: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name not in {"KILLE_DEEP", "HYPOTHESIS_PROFILE"}}
    env |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", test],
        cwd=copy, env=env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("defence", DEFENCES, ids=str)
def test_without_its_defence_a_test_fails(defence: Defence, copy: Path) -> None:
    path = copy / defence.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(defence.text, defence.without), encoding="utf-8")
    try:
        done = run(copy, defence.test)
    except subprocess.TimeoutExpired:  # it waits for what would have ended
        return
    finally:
        path.write_text(text, encoding="utf-8")
    assert done.returncode == _FAILED, done.stdout + done.stderr


def test_with_all_of_them_all_tests_pass(copy: Path) -> None:
    for test in sorted({defence.test for defence in DEFENCES}):
        done = run(copy, test)
        assert done.returncode == 0, done.stdout + done.stderr
