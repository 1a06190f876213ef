"""Names and texts that look like markup, templates or controls: shown as what they are, and nothing else changes."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.client.showing.layout import cells
from kille_net.client.showing.listing import room_lines, rooms_lines, waits_for
from kille_net.client.showing.narrate import narrate
from kille_net.client.showing.status import Notes, in_words, status
from kille_net.game.rules import Format
from kille_net.wire import messages as wire
from kille_net.wire.text import safe_text
from tests.catalogue.rows import row
from tests.client.fake_server import NAMES, room
from tests.client.looking import seated
from tests.client.showing.test_narrate import EN
from tests.client.test_core import in_room

EVIL = (
    "</b><i>",
    "&amp;&lt;",
    "\x01\x02\x01",
    "%s%d%n%",
    "{}{0}{x!r}",
    "{who:p}",
    "\x1b[2J\x07",
    "\u202e\u200b&",
    "<Bo>",
)
LANGS = ("sv", "en")


def plain(text: str) -> str:
    """A name as wide as that, with nothing odd about it, that no text of ours holds."""
    return "Ÿ" * cells(safe_text(text, 32))


def of_status(name: str, lang: str) -> list[str]:
    lines = status(seated((NAMES[0], name, NAMES[2])), Notes(pictures=False), lang, 0.0, (200, 50))
    return ["".join(span.text for span in line) for line in lines]


def of_rooms(name: str, lang: str) -> list[str]:
    line = wire.RoomLine(
        name=safe_text(name, 32), seats=3, taken=2, format=wire.Format.POTS, length=wire.Length.SHORT, locked=True,
        status=wire.RoomStatus.OPEN, watching=wire.Watching.EVERYONE,
    )  # fmt: skip
    return rooms_lines([line], lang)


def of_room(name: str, lang: str) -> list[str]:
    model = in_room(name, name, "-").core.model
    assert model.room is not None
    return [*room_lines(model, lang), waits_for(model.room, lang)]


def of_table(name: str, lang: str) -> list[str]:
    return in_words(seated((NAMES[0], name, name)), Notes(), lang, 0.0)


def of_events(name: str, lang: str) -> list[str]:
    return [line for event, seat, _ in EN for game in Format for line in narrate(event, [name] * 4, lang, seat, game)]


def of_talk(name: str, _lang: str) -> list[str]:
    client = in_room(*NAMES[:3])
    client.hear(wire.Said(seq=1, who=name, text=name))
    for number, news in enumerate((wire.News.WATCHES, wire.News.LOST, wire.News.BACK, wire.News.LEFT), 2):
        client.hear(wire.RoomChanged(seq=number, news=news, who=name, room=room(*NAMES[:3])))
    return client.lines


SHOWN: tuple[Callable[[str, str], list[str]], ...] = (of_status, of_rooms, of_room, of_table, of_events, of_talk)


def check(shows: Callable[[str, str], list[str]], text: str, lang: str) -> None:
    name, other = safe_text(text, 32), plain(text)
    shown = shows(text, lang)
    assert shown == [line.replace(other, name) for line in shows(other, lang)]
    assert any(name in line for line in shown)


@row(45)
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("text", EVIL)
@pytest.mark.parametrize("shows", SHOWN, ids=lambda shows: shows.__name__)
def test_what_looks_like_markup_is_shown_as_it_is(shows: Callable[[str, str], list[str]], text: str, lang: str) -> None:
    check(shows, text, lang)


@row(44, 45)
@given(
    text=st.text("</b>&{}%!:;[]\\\x01\x1b\x9b'\"\u202e", min_size=1, max_size=16),
    shows=st.sampled_from(SHOWN),
    lang=st.sampled_from(LANGS),
)
def test_whatever_it_is_made_of(text: str, shows: Callable[[str, str], list[str]], lang: str) -> None:
    check(shows, text, lang)
