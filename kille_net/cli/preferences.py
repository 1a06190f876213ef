"""What a person likes, from `client.toml`, the environment and the command line, each over the one before.

Owns where that file is and what it may say. What it says of the language holds at the table, where nobody chooses one.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from kille_net.cli.reading import fault, read_toml
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import option, speak, tell
from kille_net.client.preferences import Preferences
from kille_net.files import is_there
from kille_net.languages import LANGUAGES

__all__ = ["FILE", "settings_file", "with_preferences"]

FILE: Final = "client.toml"
_SWITCHES: Final = tuple(field.name for field in fields(Preferences))
_NAME: Final = "name"
_LANG: Final = "lang"


def with_preferences(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that takes `name` the options of each preference; it is handed them as `preferences`.

    The name is None where neither the command line nor the file has one.
    """

    @functools.wraps(command)
    def taking(settings: Settings, *, name: str | None, **given: Any) -> Any:  # noqa: ANN401  whatever the command takes
        chosen = {switch: value for switch in _SWITCHES if (value := given.pop(switch)) is not None}
        written = _read(settings_file())
        if _LANG in written and _is_open(_LANG):
            settings = replace(settings, lang=written[_LANG])
            speak(settings.lang)
        switches = {switch: value for switch, value in written.items() if switch in _SWITCHES}
        preferences = Preferences(**{**switches, **chosen})
        return command(settings, name=name or written.get(_NAME), preferences=preferences, **given)

    for switch in reversed(_SWITCHES):
        taking = option(f"--{switch}/--no-{switch}", default=None, envvar=f"KILLE_{switch.upper()}")(taking)
    return taking


def settings_file() -> Path:
    """Where what a person likes is written, if it is."""
    return _folder() / FILE


def _folder() -> Path:
    import platformdirs

    return platformdirs.user_config_path("kille", appauthor=False)


def _is_open(name: str) -> bool:
    """Whether nobody has chosen it before the command's name."""
    source = click.get_current_context().find_root().get_parameter_source(name)
    return source in {None, ParameterSource.DEFAULT}


def _read(path: Path) -> Mapping[str, Any]:
    """What the file says; nothing, where there is none. Raises CliError for what it may not say."""
    if not is_there(path):
        return {}
    written = read_toml(path)
    for key, value in written.items():
        if key not in {*_SWITCHES, _NAME, _LANG}:
            raise fault("preferences.unknown", file=path, key=key, keys=", ".join((*_SWITCHES, _NAME, _LANG)))
        wrong = _what_is_wrong(key, value)
        if wrong:
            raise fault("config.wrong", file=path, key=key, how=wrong)
    return written


def _what_is_wrong(key: str, value: object) -> str:
    """How the text on it goes on from the key; nothing, where all is well."""
    if key in _SWITCHES:
        return "" if isinstance(value, bool) else tell("config.bool")
    if key == _LANG:
        return "" if value in LANGUAGES else tell("preferences.one_of", choices=", ".join(LANGUAGES))
    from kille_net.wire.text import valid_name

    is_name = isinstance(value, str) and valid_name(value) == value
    return "" if is_name else f": {tell('cli.bad_name')}"
