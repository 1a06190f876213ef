"""The settings of a server as TOML: read from a file, given one by one, and shown.

Owns which keys there are (the options of the command, `Limits` and tournaments), and what beats what.
Refuses to know what a setting is for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.reading import WrongValue, fault, read_toml, switch, text, to_toml, whole
from kille_net.cli.speaking import option, tell
from kille_net.cli.tournaments import TABLE, Described, read_file, read_several, show_one

if TYPE_CHECKING:
    from kille_net.server.limits import Bound, Limits

__all__ = ["config_options", "limits_of", "show", "tournaments_of"]

_SERVER: Final = "server"
_NOT_IN_FILES: Final = frozenset({"config", "show_config", "limit", TABLE, "help"})
"""Options that are no settings of that section."""
_LIMITS: Final = "kille.limits"
"""Where the context keeps the limits of the file…"""
_TOURNAMENTS: Final = "kille.tournaments"
"""…its tournaments…"""
_FILE: Final = "kille.config"
"""…and its name."""


def config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options by which its settings are read and shown."""
    for one in (
        option("--show-config", is_flag=True),
        option("--limit", multiple=True, metavar="NAME=NUMBER", show_default=False),
        option(
            "--config",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            is_eager=True,
            expose_value=False,
            callback=_read,
        ),
    ):
        command = one(command)
    return command


def limits_of(ctx: click.Context, given: tuple[str, ...]) -> "Limits":
    """The limits of the file, and over them those that were given as NAME=NUMBER."""
    from kille_net.server.limits import BOUNDS, Limits

    source = tell("config.option")
    values = dict(ctx.meta.get(_LIMITS, {}))
    for one in given:
        name, _, number = one.partition("=")
        bound = BOUNDS.get(name)
        if bound is None:
            raise fault("config.unknown", file=source, key=name)
        try:
            values[name] = _limit(_number(number), bound)
        except WrongValue as wrong:
            raise fault("config.wrong", file=source, key=name, how=wrong) from None
    limits = Limits(**values)
    if limits.silence <= limits.ping:
        raise fault("config.silence", file=ctx.meta.get(_FILE, source))
    return limits


def _read(ctx: click.Context, _param: click.Parameter, path: Path | None) -> None:
    """Let what the file says be the command's defaults, which whatever else is given comes before."""
    if path is None:
        return
    file = click.format_filename(path)
    found = read_toml(path)
    tournaments = read_several(found.pop(TABLE, []), file)
    server: dict[str, object] = {}
    limits: dict[str, object] = {}
    known = _known(ctx)
    for key, value in _flat(found):
        if key not in known:
            raise fault("config.unknown", file=file, key=key)
        try:
            (server if key.startswith(f"{_SERVER}.") else limits)[key.partition(".")[2]] = known[key](value)
        except WrongValue as wrong:
            raise fault("config.wrong", file=file, key=key, how=wrong) from None
    ctx.default_map = server
    ctx.meta[_LIMITS], ctx.meta[_TOURNAMENTS], ctx.meta[_FILE] = limits, tournaments, file


def _flat(found: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Every value by its section and name."""
    for section, values in found.items():
        if not isinstance(values, dict):
            yield section, values
            continue
        for name, value in values.items():
            yield f"{section}.{name}", value


def _known(ctx: click.Context) -> dict[str, Callable[[object], object]]:
    """Every key → what takes its value, or raises WrongValue."""
    from kille_net.server.limits import BOUNDS

    known: dict[str, Callable[[object], object]] = {}
    for param in _options(ctx):
        assert param.name is not None
        known[f"{_SERVER}.{param.name}"] = lambda value, param=param: _setting(value, param, ctx)  # type: ignore[misc]  # bound at once
    for name, bound in BOUNDS.items():
        known[f"{bound.unit}.{name}"] = lambda value, bound=bound: _limit(value, bound)  # type: ignore[misc]  # bound at once
    return known


def _options(ctx: click.Context) -> list[click.Option]:
    return [p for p in ctx.command.params if isinstance(p, click.Option) and p.name not in _NOT_IN_FILES]


def _setting(value: object, param: click.Option, ctx: click.Context) -> object:
    if param.is_flag:
        return switch(value)
    if isinstance(param.type, click.IntRange):
        return whole(value, param.type.min, param.type.max)  # type: ignore[arg-type]  # ours have both ends
    try:
        param.type.convert(text(value), param, ctx)
    except click.BadParameter as error:
        raise WrongValue(f": {error.message.rstrip('.')}") from None
    return value


def _limit(value: object, bound: "Bound") -> float:
    """An int where the limit is a whole number, or else a float."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (bound.is_whole and not isinstance(value, int)) or not bound.least <= value <= bound.most:  # type: ignore[operator]  # a number
        kind = "config.whole" if bound.is_whole else "config.number"
        raise WrongValue(tell(kind, least=f"{bound.least:g}", most=f"{bound.most:.0f}"))
    return value if bound.is_whole else float(value)  # type: ignore[arg-type, return-value]  # a number


def _number(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def tournaments_of(ctx: click.Context, files: Sequence[Path]) -> list[Described]:
    """The tournaments of the file, and those of other files. No two may have the same name."""
    found = list(ctx.meta.get(_TOURNAMENTS, []))
    for path in files:
        found += read_file(path)
    names: set[str] = set()
    for one in found:
        if one.key in names:
            raise fault("config.twice", file=one.file, name=one.name)
        names.add(one.key)
    return found


def show(ctx: click.Context, limits: "Limits", tournaments: Sequence[Described], derived: Mapping[str, object]) -> str:
    """All settings as TOML; `derived`: those that stand for options, whatever was given for them."""
    from kille_net.server.limits import BOUNDS

    lines = [f"[{_SERVER}]"]
    for param in _options(ctx):
        assert param.name is not None
        value = derived.get(param.name, ctx.params[param.name])
        lines.append(f"# {param.name} =" if value is None else f"{param.name} = {to_toml(value)}")
    unit = ""
    for name, bound in sorted(BOUNDS.items(), key=lambda item: ("seconds", "counts", "bytes").index(item[1].unit)):
        if bound.unit != unit:
            unit = bound.unit
            lines += ["", f"[{unit}]"]
        lines.append(f"{name} = {to_toml(getattr(limits, name))}")
    for one in tournaments or (None,):
        lines += ["", *show_one(one)]
    return "\n".join(lines)
