"""The catalogues of texts, compiled as a build does it; which imports nothing of them."""

import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["LOCALE", "compile_catalogues", "is_stale"]

LOCALE: Final = Path(__file__).parents[1] / "kille_net" / "locale"


def is_stale(locale: Path = LOCALE) -> bool:
    """Whether one is not compiled, or was changed since."""
    return any(
        not path.with_suffix(".mo").exists() or path.with_suffix(".mo").stat().st_mtime_ns < path.stat().st_mtime_ns
        for path in locale.glob("*/LC_MESSAGES/kille.po")
    )


def compile_catalogues(locale: Path = LOCALE) -> None:
    command = [sys.executable, "-m", "babel.messages.frontend", "-q", "compile", "-D", "kille", "-d", str(locale)]
    subprocess.run(command, check=True, timeout=60)
