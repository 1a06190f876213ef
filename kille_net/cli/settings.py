"""What every command is told: the choices made before its name. Knows the environment, no command, and
of files only where they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kille_net.languages import DEFAULT, LANGUAGES

_SERVER: Final = "server"
"""Below a person's folder: that of a server for which none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Found by a command as `ctx.obj`."""

    lang: str
    data: Path | None = None
    is_data_typed: bool = False
    """Whether it was given on the command line, which comes before all else."""

    def folder(self) -> Path:
        """Where what is to be remembered is kept."""
        if self.data is not None:
            return self.data
        import platformdirs

        return platformdirs.user_data_path("kille", appauthor=False)

    def server_folder(self, told: Path | None) -> Path:
        """Where a server keeps what it is to remember; `told`: what its command heard otherwise than by --data.

        A folder that is named is the server's own, unless only the one below it is a server's already.
        """
        named = self.data if self.is_data_typed else told or self.data
        below = (named or self.folder()) / _SERVER
        if named is None or (_is_servers(below) and not _is_servers(named)):
            return below
        return named


def _is_servers(folder: Path) -> bool:
    from kille_net.server.schema import FILE

    try:
        return (folder / FILE).exists()
    except OSError:  # which whoever opens it will tell
        return False


def lang_of_locale(environ: Mapping[str, str]) -> str:
    """Take the first language named that we speak, in the order in which gettext asks; English if there is none."""
    names = environ.get("LANGUAGE", "").split(":")
    names.append(environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or "")
    for name in names:
        code = name.partition(".")[0].partition("@")[0].partition("_")[0].lower()
        if code in {"c", "posix"}:
            break
        if code in LANGUAGES:
            return code
    return DEFAULT
