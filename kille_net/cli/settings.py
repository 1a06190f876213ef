"""What every command is told: the choices made before its name. Knows the environment, no file and no command."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Lang(StrEnum):
    """The languages that `kille` speaks."""

    SV = "sv"
    EN = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Found by a command as `ctx.obj`."""

    lang: Lang


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
