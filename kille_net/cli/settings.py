"""What every command is told: the choices made before its name. Knows the environment, no command, and
of files only where they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kille_net.languages import DEFAULT, LANGUAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Found by a command as `ctx.obj`."""

    lang: str
    data: Path | None = None

    def folder(self) -> Path:
        """Where what is to be remembered is kept."""
        if self.data is not None:
            return self.data
        import platformdirs

        return platformdirs.user_data_path("kille", appauthor=False)


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
