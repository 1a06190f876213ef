"""What every command is told: the choices made before its name. Knows the environment, no command, and
of files only where they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Lang(StrEnum):
    """The languages that `kille` speaks."""

    SV = "sv"
    EN = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Found by a command as `ctx.obj`."""

    lang: Lang
    data: Path | None = None

    def folder(self) -> Path:
        """Where what is to be remembered is kept."""
        if self.data is not None:
            return self.data
        import platformdirs

        return platformdirs.user_data_path("kille", appauthor=False)


def lang_of_locale(environ: Mapping[str, str]) -> Lang:
    """Take the first language named that we speak, in the order in which gettext asks; English if there is none."""
    names = environ.get("LANGUAGE", "").split(":")
    names.append(environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or "")
    spoken = {lang.value for lang in Lang}
    for name in names:
        code = name.partition(".")[0].partition("@")[0].partition("_")[0].lower()
        if code in {"c", "posix"}:
            break
        if code in spoken:
            return Lang(code)
    return Lang.EN
