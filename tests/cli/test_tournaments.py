"""Tournaments as TOML: what may be said, what is said of a wrong setting, and when they start."""

import re
import tomllib
from datetime import UTC, datetime, time, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, Final, get_type_hints

import pytest
import trio
from click.testing import CliRunner
from msgspec.structs import replace

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.cli.tournaments import Described, plan_at, read_file
from kille_net.languages import LANGUAGES
from kille_net.wire.messages import Format, Options, Plan, TournamentKind
from kille_net.wire.options import DEFAULT_PLAN
from tests.examples.running import ROOT

EXAMPLE: Final = ROOT / "examples" / "tournament.toml"
TYPES: Final[dict[str, Any]] = {
    **{key: kind for key, kind in get_type_hints(Plan, include_extras=True).items() if key not in {"options", "start"}},
    **get_type_hints(Options, include_extras=True),
}
NOON: Final = datetime(2026, 11, 30, 12, 0)  # a Monday, far from any change of clocks


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "club.toml"


def read(file: Path, text: str) -> list[Described]:
    file.write_text(text, encoding="utf-8")
    return read_file(file)


def refused(file: Path, text: str, *options: str, lang: str = "en") -> str:
    """What is said of it, without the file's name."""
    file.write_text(text, encoding="utf-8")
    options = options or ("--tournament", str(file))
    result = CliRunner().invoke(main, ["--lang", lang, "serve", *options, "--show-config"])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)
    return result.stderr.removeprefix(f"kille: {file}: ").rstrip()


def of(plan: Plan, key: str) -> object:
    return getattr(plan, key) if hasattr(plan, key) else getattr(plan.options, key)


def test_only_a_name_is_needed(file: Path) -> None:
    (one,) = read(file, 'name = "Torsdag"')
    assert (one.name, one.plan, one.start) == ("Torsdag", DEFAULT_PLAN, None)


@pytest.mark.parametrize("key", TYPES)
def test_every_setting_of_a_plan_and_of_its_tables_may_be_said_within_its_bounds(file: Path, key: str) -> None:
    kind = TYPES[key]
    if kind is bool:
        values, wrong, says = ["true"], ["1", '"yes"'], "is to be true or false"
    elif isinstance(kind, type) and issubclass(kind, Enum):
        values, wrong, says = [f'"{one.value}"' for one in kind], ['"none"', "3"], "is to be "
    else:
        (bounds,) = kind.__metadata__
        values, wrong = [str(bounds.ge), str(bounds.le)], [str(bounds.ge - 1), str(bounds.le + 1), '"5"', "true", "2.5"]
        says = f"is to be a whole number from {bounds.ge} to {bounds.le}"
    sound = {"clock": values[1:], "through": values[:1], "most": ["64", "8"]}.get(key, values)
    for value in sound:
        (one,) = read(file, f'name = "Torsdag"\n{key} = {value}')
        assert of(one.plan, key) == tomllib.loads(f"x = {value}")["x"]
        assert (of(one.plan, "call"), of(one.plan, "rest")) == (30, 20_000) or key in {"call", "rest"}
    for value in wrong:
        assert refused(file, f'name = "Torsdag"\n{key} = {value}').startswith(f"{key} {says}")


def test_words_are_taken_in_every_language(file: Path) -> None:
    (one,) = read(file, 'name = "Torsdag"\nformat = "pinnar"\nlevel = "FÖRSIKTIG"')
    assert one.plan.options.format is Format.STICKS


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "name is missing"),
        ("name = 3", "name is to be a text"),
        ('name = "a/b"', "name is to be a name: 1 to 16 letters, digits, spaces and -_'"),
        ('name = "a\\u0000"', "name must not contain the character NUL"),
        ('name = "A"\nkinds = 1', "there is no setting kinds; kille serve --show-config lists all"),
        ('name = "A"\noptions = {}', "there is no setting options; kille serve --show-config lists all"),
        ('name = "A"\nformat = "cards"', "format is to be one of: pots, sticks"),
        ('name = "A"\nclock = 0', "clock is to be greater than 0 in a tournament, so that every table comes to an end"),
        ('name = "A"\nmost = 8\nnumber = 9', "number cannot be more than most"),
        ('name = "A"\nmost = 4\ncomputers = 5', "computers cannot be more than most"),
        ('name = "A"\nkind = "knock_out"\nthrough = 3', "through cannot be more than half of seats in a knock-out"),
        ('name = "A"\nkind = "knock_out"\nduplicate = true', "duplicate is not for a knock-out"),
        *[
            (
                f'name = "A"\nkind = "ladder"\n{line}',
                "kind: a ladder has no start, check_in, number or duplicate",
            )
            for line in ("number = 4", "check_in = 60", "duplicate = true", "start = 19:00:00")
        ],
        *[
            (
                f'name = "A"\nstart = {start}',
                "start is to be a time like 19:00:00, or a date and a time like 2030-12-24T19:00:00",
            )
            for start in ("600", '"soon"', "2030-12-24", '"2030"', "true", '"19:00+02:00"', '"25:00"', '""')
        ],
        *[
            (f'name = "A"\nstart = {start}', "start is to be within 7 days from now")
            for start in ("2030-12-24T19:00:00Z", '"9999-12-31 23:59"', "9999-12-31T23:59:59-12:00")
        ],
        ("tournament = 3", "tournament is to be a list of tables, each of which begins with [[tournament]]"),
        ("[tournament]\nx = 1", "tournament is to be a list of tables, each of which begins with [[tournament]]"),
        ('name = "A"\n[[tournament]]\nname = "B"', "there is no setting name; kille serve --show-config lists all"),
        ('[[tournament]]\nname = "A"\n[[tournament]]\nseats = 3', "tournament[2].name is missing"),
        ('[[tournament]]\nname = "A"\nseats = 9', "tournament[1].seats is to be a whole number from 2 to 8"),
        ('[[tournament]]\nname = "A"\nclok = 9',
         "there is no setting tournament[1].clok; kille serve --show-config lists all"),
        ('[[tournament]]\nname = "Å"\n[[tournament]]\nname = "å"',
         "there is another tournament called å; each needs a name of its own"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_in_one_line(file: Path, text: str, says: str) -> None:
    assert refused(file, text) == says
    assert refused(file, text, lang="sv") != says


def test_a_wrong_setting_of_the_servers_file_is_named_in_the_same_way(file: Path) -> None:
    text = '[[tournament]]\nname = "A"\nseats = 1'
    assert refused(file, text, "--config", str(file)) == "tournament[1].seats is to be a whole number from 2 to 8"
    text = '[[tournament]]\nname = "A"'
    other = file.with_name("other.toml")
    other.write_text(text, encoding="utf-8")
    said = refused(file, text, "--config", str(file), "--tournament", str(other))
    assert said == f"kille: {other}: there is another tournament called A; each needs a name of its own"


def test_those_of_the_servers_file_and_of_files_of_their_own_are_all_opened(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def take(*given: Any, **_: object) -> Exit:  # noqa: ANN401  what is run
        seen.extend(one.name for one in given[-1])
        return Exit.DONE

    monkeypatch.setattr(trio, "run", take)
    config = tmp_path / "kille.toml"
    config.write_text('[server]\nport = 0\n[[tournament]]\nname = "A"\n[[tournament]]\nname = "B"', encoding="utf-8")
    file.write_text('name = "C"', encoding="utf-8")
    several = file.with_name("several.toml")
    several.write_text('[[tournament]]\nname = "D"\n[[tournament]]\nname = "E"', encoding="utf-8")
    words = ["serve", "--config", str(config), "--tournament", str(file), "--tournament", str(several)]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert seen == ["A", "B", "C", "D", "E"]


# --- when -------------------------------------------------------------------------------------------------------------


def plan_of(start: time | datetime | None, **others: int) -> Plan:
    return plan_or_none(start, **others) or pytest.fail("its date has passed")


def plan_or_none(start: time | datetime | None, **others: int) -> Plan | None:
    plan = replace(DEFAULT_PLAN, **others)
    return plan_at(Described(name="A", key="a", plan=plan, start=start, file=""), NOON)


@pytest.mark.parametrize(
    ("start", "seconds"),
    [
        (None, 0),
        (time(12, 0, 1), 1),
        (time(19), 7 * 3600),
        (time(12), 24 * 3600),
        (time(11, 59), 24 * 3600 - 60),
        (datetime(2026, 12, 1, 12), 24 * 3600),
        (NOON.astimezone(UTC) + timedelta(hours=3), 3 * 3600),
    ],
)
def test_a_start_is_so_many_seconds_away(start: time | datetime | None, seconds: int) -> None:
    assert plan_of(start).start == seconds


@pytest.mark.parametrize("start", [NOON, NOON - timedelta(days=3), datetime(2026, 11, 30, 12, 0, 0, 400_000)])
def test_a_date_that_has_passed_has_no_plan(start: datetime) -> None:
    assert plan_or_none(start) is None


def test_a_check_in_for_which_there_is_too_little_time_begins_at_once() -> None:
    assert plan_of(time(12, 5), check_in=600).check_in == 300
    assert plan_of(time(12, 15), check_in=600).check_in == 600
    assert plan_of(None, check_in=600).check_in == 600


@pytest.mark.parametrize("written", ["19:30:00", '"19:30"', '"19:30:00"'])
def test_a_time_may_be_a_text(file: Path, written: str) -> None:
    (one,) = read(file, f'name = "A"\nstart = {written}')
    assert one.start == time(19, 30)


# --- what is shown, and the example -----------------------------------------------------------------------------------


def test_how_many_go_on_is_by_itself_no_more_than_half_a_table(file: Path) -> None:
    (one,) = read(file, 'name = "A"\nkind = "knock_out"\nseats = 2')
    assert (one.plan.kind, one.plan.through) == (TournamentKind.KNOCK_OUT, 1)


def test_what_is_shown_can_be_fed_back(tmp_path: Path) -> None:
    config = tmp_path / "kille.toml"
    words = ["serve", "--tournament", str(EXAMPLE), "--show-config"]
    first = CliRunner().invoke(main, words).stdout
    config.write_text(first, encoding="utf-8")
    assert CliRunner().invoke(main, ["serve", "--config", str(config), "--show-config"]).stdout == first
    (shown,) = tomllib.loads(first)["tournament"]
    assert shown.keys() == {"name", "start", *TYPES}


def test_without_tournaments_their_settings_are_shown_with_their_defaults(file: Path) -> None:
    shown = CliRunner().invoke(main, ["serve", "--show-config"]).stdout.partition("# [[tournament]]\n")[2]
    lines = [line.removeprefix("# ") for line in shown.splitlines()]
    assert {line.partition(" =")[0] for line in lines} == {"name", "start", *TYPES}
    (one,) = read(file, 'name = "A"\n' + "\n".join(line for line in lines if not line.endswith("=")))
    assert one.plan == DEFAULT_PLAN


def test_the_example_tells_every_setting_and_its_default(file: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    (one,) = read_file(EXAMPLE)
    assert (one.name, one.start, one.plan.check_in) == ("Torsdag", time(19), 300)
    told = re.findall(r"^(?:# )?(\w+) = ", text, re.MULTILINE)
    assert sorted(told) == sorted(["name", "start", *TYPES])
    lines = re.findall(r"^# (\w+ = .*)", text, re.MULTILINE)
    (plain,) = read(file, "\n".join(['name = "A"', *lines]))
    assert plain.plan == DEFAULT_PLAN


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_rule_of_a_start_anew_is_told(lang: str) -> None:
    result = CliRunner().invoke(main, ["--lang", lang, "serve", "--help"])
    assert {"en": "unless one of", "sv": "om inte en med"}.get(lang, "") in " ".join(result.stdout.split())
