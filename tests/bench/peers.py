"""Servers of others that ours is held against: where they are, and how they come there.

Owns the installing of Colyseus from its lock file, once, beside its server. Refuses to know what is measured.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from kille_net.bench.table import Broken

__all__ = ["colyseus", "install_colyseus"]

_FOLDER: Final = Path(__file__).with_name("colyseus")
_PATIENCE: Final = 120.0
"""Seconds until what does not come is given up."""


def colyseus(how: str, octets: int) -> list[str]:
    """How to run it."""
    return ["node", str(_FOLDER / "server.mjs"), how, str(octets)]


def install_colyseus() -> None:
    """Unless it is there. Raises Broken."""
    locked, installed = _FOLDER / "package-lock.json", _FOLDER / "node_modules" / ".package-lock.json"
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Broken("there is no node and npm here")
    if installed.exists() and installed.stat().st_mtime > locked.stat().st_mtime:
        return
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        subprocess.run(command, cwd=_FOLDER, check=True, capture_output=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        raise Broken(f"it cannot be installed: {' '.join(command[1:2])} in {_FOLDER.name} failed") from error
