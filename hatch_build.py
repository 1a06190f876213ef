"""What a build does first: compile the catalogues of texts, and the rules if that is asked for.

The catalogues are compiled for wheels and for installs from a checkout alike, the rules only for a wheel, and only with
KILLE_COMPILE=1, by mypyc, from the same files, which the wheel holds, too: without it neither mypyc nor a C compiler is
looked for. hatch-mypyc would do the same, but it moves pyproject.toml away while it builds, and is of 2023.
"""

import subprocess
import sys
from os import environ
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import Any, Final

from babel.messages.frontend import CommandLineInterface
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_RULES: Final = "kille_net/game"
_COMPILED: Final = ("actions", "cards", "events", "hand", "match", "showdown", "stream", "table", "values", "views")
"""What each question goes through. No frozen dataclass is among them: compiled, they cannot be pickled."""
_SETUP: Final = """
from setuptools import setup
from mypyc.build import mypycify
modules = mypycify({files}, opt_level="3", debug_level="0", group_name="kille_rules")
setup(name="rules", packages=[], ext_modules=modules)
"""


class Build(BuildHookInterface[Any]):
    """Found by hatchling, as the one hook in this file."""

    _built: TemporaryDirectory[str] | None = None

    @property
    def _compiles(self) -> bool:
        return self.target_name == "wheel" and environ.get("KILLE_COMPILE") == "1"

    def dependencies(self) -> list[str]:
        """Beside those of every build (pyproject.toml)."""
        return ["mypy[mypyc]>=1.18", "setuptools>=77"] if self._compiles else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Each `.po` becomes a `.mo` beside it, and the rules extensions beside their files."""
        folder = str(Path(self.root) / "kille_net" / "locale")
        CommandLineInterface().run(["pybabel", "-q", "compile", "-D", "kille", "-d", folder])
        if self._compiles and version == "standard":
            self._built = TemporaryDirectory()
            built = Path(self._built.name)
            self._compile(built)
            found = [path for path in (built / "lib").rglob("*") if path.is_file()]
            build_data["force_include"].update({str(path): str(path.relative_to(built / "lib")) for path in found})
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def _compile(self, where: Path) -> None:
        """In a folder of its own, since setuptools leaves much beside what it builds."""
        copytree(Path(self.root) / _RULES, where / _RULES, ignore=ignore_patterns("__pycache__"))
        copy(Path(self.root) / "kille_net/__init__.py", where / "kille_net")
        files = [f"{_RULES}/{name}.py" for name in _COMPILED]
        (where / "setup.py").write_text(_SETUP.format(files=files), encoding="utf-8")
        command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "lib"]
        # What stays hidden from other libraries is called directly: a twenty-fifth of the time of a question.
        flags = f"{environ.get('CFLAGS', '')} -fvisibility=hidden"
        subprocess.run(command, cwd=where, env={**environ, "CFLAGS": flags}, check=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._built is not None:
            self._built.cleanup()
