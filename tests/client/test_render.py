"""How things look, by cells: status lines, lists, wrapping."""

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from kille_net.client.effects import Line, Style
from kille_net.client.model import Model, reduce
from kille_net.client.render import (
    Notes,
    cells,
    choices,
    help_lines,
    room_lines,
    rooms_lines,
    status,
    table_lines,
    to_ascii,
    wrap,
)
from kille_net.client.texts import TEXTS
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.wire import messages as wire
from kille_net.wire.states import Place
from kille_net.wire.text import safe_text
from tests.client.fake_server import NAMES, OPTIONS, Outlet, Table, room

SIZES = [(1, 1), (8, 2), (20, 5), (40, 12), (80, 24), (300, 100), (500, 200)]


def text_of(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in line) for line in lines]


def seated(names: tuple[str, ...] = NAMES[:3], *, ms: int = 0, me: int = 0) -> Model:
    """A model whose client is asked at the table."""
    options = msgspec.structs.replace(OPTIONS, seats=len(names))
    outlet = Outlet()
    table = Table(outlet, 3, names, options)
    table.begin()
    table.step(ms=ms)
    model = reduce(
        Model(),
        wire.Welcome(
            version=1, agent="srv", name=names[me], settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0
        ),
        0.0,
    )
    model = reduce(model, wire.Snapshot(seq=0, room=room(*names, options=options), view=None, match=0, open=None), 0.0)
    for message in outlet.take():
        model = reduce(model, message, 0.0)
    return model


def test_the_status_tells_the_table_and_whose_turn_it_is() -> None:
    model = seated(ms=20_000)
    assert text_of(status(model, Notes(), "en", 5.2, (80, 24))) == [
        "→ You 3 deals | Bo 3 | Cilla 3",
        "YOUR TURN · 15 s · your card: Inn · pot 1 of 1 · hand 1",
    ]
    (first, second) = status(model, Notes(), "sv", 5.2, (80, 24))
    assert first[0].style is Style.MINE
    assert second[0].text == "DIN TUR"
    assert second[2].text == "15 s"


def test_what_is_face_up_struck_low_out_and_away_is_said() -> None:
    model = seated(NAMES[:4])
    assert model.view is not None
    assert model.room is not None
    away = msgspec.structs.replace(model.room.seats[3], away=90_000)
    state = msgspec.structs.replace(model.room, seats=(*model.room.seats[:3], away))
    table = replace(
        model.view,
        dealer=1,
        lives=(3, 2, 0, 1),
        cards=(Card.HARLEKIN, Card.HUSAR, None, None),
        origins=(0, 1, None, 3),
        face_up=(0, 1),
        low_harlekins=(0,),
        struck=(3,),
        beside=(Card.KAVALL,),
    )
    model = replace(model, view=table, room=state)
    wide = text_of(status(model, Notes(), "sv", 0.0, (80, 24)))
    assert wide[0] == "→ Du 3 [Harlekin-] | Bo 2 [Husar] ger | Cilla ute | Doris 1 huggen borta"
    assert "ditt kort: Harlekin, låg" in wide[1]
    assert "bredvid talongen: Kavall" in wide[1]
    words = table_lines(model, "sv")
    assert words == [
        "Ada (du): 3 liv, 0 poäng, i tur, en Harlekin öppet (låg)",
        "Bo: 2 liv, 0 poäng, ger, en Husar öppet",
        "Cilla: ute, 0 poäng",
        "Doris: 1 liv, 0 poäng, uthuggen",
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize(
    "names",
    [
        NAMES[:2],
        NAMES,
        tuple(chr(ord("日") + k) * 16 for k in range(8)),
        tuple(f"🙂👩‍👩‍👧{k}" for k in range(5)),
    ],
)
def test_the_status_fits_every_terminal(size: tuple[int, int], lang: str, names: tuple[str, ...]) -> None:
    model = seated(names, ms=20_000)
    lines = status(model, Notes(is_unsure=True, silence=9), lang, 0.0, size)
    assert len(lines) <= max(size[1] // 3, 1)
    for line in text_of(lines):
        assert wcswidth(line) <= size[0]
        assert line.isprintable()
    if size[0] >= 40 and size[1] >= 12 and names == NAMES:
        whole = " ".join(text_of(lines))
        for seat, name in enumerate(names):
            assert name[: 1 if seat else 0] in whole


def test_who_holds_no_card_sees_the_table_all_the_same() -> None:
    names = NAMES[:3]
    for me in ("Ada", "Zed"):  # at the table between two deals, and looking on
        outlet = Outlet()
        table = Table(outlet, 3, names)
        table.begin()
        table.step()
        model = reduce(
            Model(),
            wire.Welcome(version=1, agent="srv", name=me, settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0),
            0.0,
        )
        model = reduce(model, wire.Snapshot(seq=0, room=room(*names), view=None, match=0, open=None), 0.0)
        for message in outlet.take():
            if isinstance(message, wire.Question) and model.seat is None:
                continue
            model = reduce(model, message, 0.0)
            for lang in ("sv", "en"):
                assert status(model, Notes(), lang, 0.0, (80, 24))
                assert table_lines(model, lang)
        assert model.seat is None or model.card is not None


def test_the_status_notes_what_only_the_client_knows() -> None:
    model = seated(ms=20_000)
    (_, line) = text_of(status(model, Notes(is_sent=True, silence=12), "en", 0.0, (100, 24)))
    assert line.startswith("no contact for 12 s · answer sent · 20 s")
    (_, line) = text_of(status(model, Notes(is_unsure=True), "en", 0.0, (100, 24)))
    assert line.startswith("YOUR TURN · sure? yes/no")


def test_the_status_outside_a_match() -> None:
    lobby = reduce(
        Model(),
        wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0),
        0.0,
    )
    assert text_of(status(lobby, Notes(), "en", 0.0, (80, 24))) == ["in the lobby"]
    waiting = reduce(lobby, wire.Snapshot(seq=0, room=room("Ada", "", "Bo"), view=None, match=0, open=None), 0.0)
    assert text_of(status(waiting, Notes(), "en", 0.0, (80, 24))) == [
        "Bordet 2/3 · waiting to begin: 1 empty seat; not ready: Ada"
    ]


def test_rooms_are_listed_in_columns_by_cells() -> None:
    def line(name: str, *, locked: bool = False) -> wire.RoomLine:
        return wire.RoomLine(
            name=name,
            seats=4,
            taken=1,
            format=wire.Format.POTS,
            length=wire.Length.LONG,
            locked=locked,
            status=wire.RoomStatus.OPEN,
            watching=wire.Watching.EVERYONE,
        )

    assert rooms_lines((line("日本"), line("Bo", locked=True)), "en") == [
        "日本  1/4  pots, long  waiting",
        "Bo    1/4  pots, long  waiting, locked",
    ]
    assert rooms_lines((), "sv") == ["Inga rum finns. Gör ett: skapa NAMN."]


def test_a_room_is_told_seat_by_seat() -> None:
    model = reduce(
        Model(),
        wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0),
        0.0,
    )
    model = reduce(model, wire.Snapshot(seq=0, room=room("Ada", "", "Bo"), view=None, match=0, open=None), 0.0)
    assert room_lines(model, "en") == [
        "Room Bordet: pots, short, 3 seats.",
        "1. Ada (you), host, not ready",
        "2. (empty)",
        "3. Bo, computer",
    ]


def test_the_answers_to_a_question() -> None:
    model = seated()
    assert model.view is not None
    view = replace(model.view, dealer=1)
    assert choices(view, (Action.STAND, Action.SWAP), "sv") == "stå (s), byt (b)"
    assert choices(replace(view, dealer=0), (Action.STAND, Action.SWAP), "en") == "stand (s), draw from the talon (b)"


@pytest.mark.parametrize("place", list(Place))
@pytest.mark.parametrize("lang", ["sv", "en"])
def test_help_is_short_lines_about_what_can_be_done(place: Place, lang: str) -> None:
    for plain in (True, False):
        state = room("Ada", "Bo", "Cilla")
        seat = 0 if place is Place.SEATED else None
        model = Model(name="Ada", room=None if place is Place.LOBBY else state, seat=seat)
        lines = help_lines(model, lang, plain=plain)
        assert len(lines) > 5
        assert all(line.isprintable() for line in lines)
        assert ("Ctrl-K" in lines[-1]) is not plain
        assert "reset" in lines[-1] or plain


@given(st.text(st.characters(exclude_categories=()), max_size=200), st.integers(8, 60))
def test_wrapped_lines_fit_and_lose_no_word(text: str, columns: int) -> None:
    clean = safe_text(text, 400)
    lines = wrap(clean, columns)
    assert all(cells(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == clean.replace(" ", "")


@pytest.mark.parametrize("columns", [0, 1, 7])
def test_too_narrow_to_wrap(columns: int) -> None:
    assert wrap("some words that are long", columns) == ["some words that are long"]


def test_the_mark_of_the_turn_has_a_form_in_ascii() -> None:
    assert to_ascii("→ Bo 3") == "* Bo 3"


def test_ascii_for_terminals_that_show_nothing_else() -> None:
    for table in TEXTS.values():
        for text in table.values():
            assert "?" not in to_ascii(text.replace("?", ""))
    assert to_ascii("”Kuku står!” – Åsa · … ’é 日") == '"Kuku star!" - Asa - ... \'e ?'
