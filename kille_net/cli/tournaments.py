"""Tournaments as TOML: what a file says of each, what is said of a wrong setting, and when a start is.

Owns the keys, which are those of a plan and of its tables. Refuses to know the server, and what a setting is for.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.reading import WrongValue, fault, read_toml, switch, text, to_toml, whole
from kille_net.cli.speaking import code_of, tell, value_word

if TYPE_CHECKING:
    from kille_net.wire.messages import Plan

__all__ = ["TABLE", "Described", "plan_at", "read_file", "read_several", "show_one"]

TABLE: Final = "tournament"
"""What the list of several is called."""
_NAME: Final = "name"
_START: Final = "start"
_THROUGH: Final = "through"
_DAYS: Final = 7
"""How far away a start may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    name: str
    key: str
    """Of the name."""
    plan: "Plan"
    """But for its start."""
    start: time | datetime | None
    """As it is written; a time is that of today or tomorrow, whichever comes next."""
    file: str
    """Which says so."""


# --- reading ----------------------------------------------------------------------------------------------------------


def read_file(path: Path) -> list[Described]:
    """The tournaments of a file: one, or several as a list. Raises CliError."""
    file, found = click.format_filename(path), read_toml(path)
    if TABLE not in found:
        return [_described(found, file, "")]
    several = read_several(found.pop(TABLE), file)
    for key in found:
        raise fault("config.unknown", file=file, key=key)
    return several


def read_several(value: object, file: str) -> list[Described]:
    """Raises CliError."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise fault("config.wrong", file=file, key=TABLE, how=tell("config.tables"))
    return [_described(one, file, f"{TABLE}[{number}].") for number, one in enumerate(value, 1)]


def _described(found: Mapping[str, object], file: str, before: str) -> Described:
    """`before`: what stands before its keys."""
    from kille_net.wire.text import name_key

    known, taken = _known(), dict[str, Any]()
    for key, value in found.items():
        if key not in known:
            raise fault("config.unknown", file=file, key=f"{before}{key}")
        try:
            taken[key] = known[key](value)
        except WrongValue as wrong:
            raise fault("config.wrong", file=file, key=f"{before}{key}", how=wrong) from None
    if _NAME not in taken:
        raise fault("config.wrong", file=file, key=f"{before}{_NAME}", how=tell("config.missing"))
    name, start = taken.pop(_NAME), taken.pop(_START, None)
    one = Described(name=name, key=name_key(name), plan=_plan(taken), start=start, file=file)
    if (wrong_key := _contradiction(one)) is not None:
        how = tell(f"config.plan.{wrong_key}")
        raise fault("config.wrong", file=file, key=f"{before}{wrong_key}", how=how)
    return one


def _plan(taken: Mapping[str, Any]) -> "Plan":
    from msgspec.structs import replace

    from kille_net.wire.options import DEFAULT_PLAN

    own = {key: value for key, value in taken.items() if hasattr(DEFAULT_PLAN, key)}
    options = replace(DEFAULT_PLAN.options, **{key: value for key, value in taken.items() if key not in own})
    own.setdefault(_THROUGH, min(DEFAULT_PLAN.through, max(1, options.seats // 2)))
    return replace(DEFAULT_PLAN, options=options, **own)


def _contradiction(one: Described) -> str | None:
    from msgspec.structs import replace

    from kille_net.wire.plans import contradiction

    return contradiction(one.plan if one.start is None else replace(one.plan, start=_DAYS * 86_400))


@cache
def _known() -> Mapping[str, Callable[[object], Any]]:
    """Every key → what takes its value, or raises WrongValue."""
    from typing import get_type_hints

    from kille_net.wire.messages import Options, Plan

    kinds = {**get_type_hints(Plan, include_extras=True), **get_type_hints(Options, include_extras=True)}
    del kinds["options"]
    takers = {key: _taker(kind) for key, kind in kinds.items()}
    return {_NAME: _name, **takers, _START: _start}


def _taker(kind: Any) -> Callable[[object], Any]:  # noqa: ANN401  a type, or what annotates one
    if kind is bool:
        return switch
    if isinstance(kind, type) and issubclass(kind, Enum):
        return partial(_word, kind)
    (bounds,) = kind.__metadata__
    return partial(whole, least=bounds.ge, most=bounds.le)


def _word(kind: type[Enum], value: object) -> Enum:
    codes = [one.value for one in kind]
    code = code_of(text(value), codes)
    if code is None:
        raise WrongValue(tell("config.one_of", words=", ".join(map(value_word, codes))))
    return kind(code)


def _name(value: object) -> str:
    from kille_net.wire.text import valid_name

    name = valid_name(text(value))
    if name is None:
        raise WrongValue(tell("config.no_name"))
    return name


# --- when -------------------------------------------------------------------------------------------------------------


def _start(value: object) -> time | datetime:
    found = _moment(value) if isinstance(value, str) else value
    if not isinstance(found, datetime) and (not isinstance(found, time) or found.tzinfo is not None):
        raise WrongValue(tell("config.start"))
    try:
        is_far = _seconds_to(found, datetime.now()) > _DAYS * 86_400
    except (OverflowError, ValueError, OSError):  # before all clocks, or after
        is_far = True
    if is_far:
        raise WrongValue(tell("config.far", days=_DAYS))
    return found


def _moment(written: str) -> time | datetime | None:
    kinds: Iterable[Callable[[str], time | datetime]] = (time.fromisoformat, datetime.fromisoformat)
    for read in kinds if ":" in written else ():
        try:
            return read(written)
        except ValueError:
            continue
    return None


def _seconds_to(start: time | datetime, now: datetime) -> float:
    """`now`: without a zone, as clocks here show it."""
    if isinstance(start, datetime):
        return start.timestamp() - now.timestamp()
    left = datetime.combine(now.date(), start).timestamp() - now.timestamp()
    return left if left > 0 else datetime.combine(now.date() + timedelta(days=1), start).timestamp() - now.timestamp()


def plan_at(one: Described, now: datetime) -> "Plan | None":
    """As the server takes it now; None: its date has passed. Where a check-in would be longer than there is time, it
    begins at once.
    """
    from msgspec.structs import replace

    if one.start is None:
        return one.plan
    left = round(_seconds_to(one.start, now))
    return replace(one.plan, start=left, check_in=min(one.plan.check_in, left)) if left > 0 else None


# --- showing ----------------------------------------------------------------------------------------------------------


def show_one(one: Described | None) -> list[str]:
    """One with all that it has, as it could be read; None: what any has, and all of it a comment."""
    from kille_net.wire.options import DEFAULT_PLAN

    plan = DEFAULT_PLAN if one is None else one.plan
    mark = "# " if one is None else ""
    lines = [f"{mark}[[{TABLE}]]"]
    for key in _known():
        value = getattr(one, key, None) if key in {_NAME, _START} else getattr(plan, key, getattr(plan.options, key, 0))
        lines.append(f"# {key} =" if value is None else f"{mark}{key} = {to_toml(value)}")
    return lines
