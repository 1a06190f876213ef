"""Each defence is taken out of a copy of the package, where its test has to fail then."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.catalogue.defences import DEFENCES, Defence
from tests.serving import doomed

pytestmark = pytest.mark.deep

ROOT: Final = Path(__file__).parents[2]
_COPIED: Final = ("kille_net", "tests", "protocol", "pyproject.toml")
_FAILED: Final = 1
"""What pytest returns when it has run tests and some have failed."""
_SECONDS: Final = 110.0
_WHOLE: Final = 600.0


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


def run(copy: Path, test: str, most: float = _SECONDS) -> tuple[int | None, str]:
    """How pytest ended with the test and what it printed; None: it had to be ended, and all that it had started."""
    env = {name: value for name, value in os.environ.items() if name not in {"KILLE_DEEP", "HYPOTHESIS_PROFILE"}}
    env |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    with (
        subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", test],
            cwd=copy, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        ) as process,
        doomed(process, is_group=True, after=most + 10.0),
    ):  # fmt: skip
        try:
            said, _ = process.communicate(timeout=most)
        except subprocess.TimeoutExpired:
            return None, ""
    return process.returncode, said


@pytest.mark.parametrize("defence", DEFENCES, ids=str)
def test_without_its_defence_a_test_fails(defence: Defence, copy: Path) -> None:
    path = copy / defence.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(defence.text, defence.without), encoding="utf-8")
    try:
        code, said = run(copy, defence.test)
    finally:
        path.write_text(text, encoding="utf-8")
    assert code == (None if defence.hangs else _FAILED), said


@pytest.mark.parametrize("test", sorted({defence.test for defence in DEFENCES}))
def test_with_all_of_them_each_test_passes(test: str, copy: Path) -> None:
    """Whole: that takes longer than to fail somewhere."""
    code, said = run(copy, test, _WHOLE)
    assert code == 0, said
