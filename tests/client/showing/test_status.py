"""The status lines: what they tell, and that they fit."""

from dataclasses import replace

import msgspec
import pytest
from wcwidth import wcswidth

from kille_net.client.effects import Style
from kille_net.client.model import Model, reduce
from kille_net.client.showing.listing import table_lines
from kille_net.client.showing.status import Notes, in_words, status
from kille_net.client.showing.texts import CARDS
from kille_net.game.cards import Card
from kille_net.game.views import View
from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, Outlet, Table, room
from tests.client.looking import SIZES, seated, text_of
from tests.each import each

WORDS = Notes(pictures=False)


def test_the_status_tells_the_table_and_whose_turn_it_is() -> None:
    model = seated(ms=20_000)
    assert text_of(status(model, WORDS, "en", 5.2, (80, 24))) == [
        "→• You 3 deals | Bo 3 | • Cilla 3 (Mask)",
        "→[Inn] · YOUR TURN · 15 s · pot 1 of 1 · hand 1",
    ]
    (first, second) = status(model, WORDS, "sv", 5.2, (80, 24))
    assert first[0].style is Style.MINE
    assert second[2].text == "DIN TUR"
    assert second[4].text == "15 s"


def late_in_a_hand() -> Model:
    """A table where cards lie open, one seat is struck, one is out and one is away."""
    model = seated(NAMES[:4], ms=20_000)
    assert model.view is not None
    assert model.room is not None
    away = msgspec.structs.replace(model.room.seats[3], away=90_000)
    state = msgspec.structs.replace(model.room, seats=(*model.room.seats[:3], away))
    view = replace(
        model.view,
        dealer=1,
        lives=(3, 2, 0, 1),
        cards=(Card.HARLEKIN, Card.HUSAR, None, Card.N4),
        origins=(0, 1, None, 3),
        face_up=(0, 1),
        low_harlekins=(0,),
        struck=(3,),
        beside=(Card.KAVALL,),
    )
    return replace(model, view=view, looked=view, room=state, returns=(None, None, None, 90.0))


def test_what_is_face_up_struck_low_out_away_and_known_is_said() -> None:
    model = late_in_a_hand()
    assert text_of(status(model, WORDS, "sv", 3.0, (100, 24))) == [
        "→ Du 3 [Harlekin-] | Bo 2 [Husar] ger | Cilla ute | Doris 1 (4) huggen borta 87 s",
        "→[Harlekin-] · DIN TUR · 17 s · bredvid talongen: Kavall · parti 1 av 1 · giv 1",
    ]
    assert table_lines(model, "sv", 3.0) == [
        "Ada (du): 3 liv, 0 poäng, i tur, visar en Harlekin (låg)",
        "Bo: 2 liv, 0 poäng, ger, visar en Husar",
        "Cilla: ute, 0 poäng",
        "Doris: 1 liv, 0 poäng, har en fyra, uthuggen, borta 87 s",
    ]


def test_our_card_is_drawn_beside_the_table_where_there_is_room() -> None:
    assert [line.rstrip() for line in text_of(status(late_in_a_hand(), Notes(), "en", 3.0, (80, 24)))] == [
        "┌───────────┐  → You   ♥♥♥ [Harlequin-]",
        "│Harlequin  │    Bo    ♥♥· [Hussar] deals",
        "│  o._ _.o  │    Cilla out",
        r"│   \\V//   │    Doris ♥·· (4) struck away 87 s",
        "│   (^_^)   │  YOUR TURN · 17 s · beside the talon: Horse · pot 1 of 1 · hand 1",
        "│        low│",
        "└───────────┘",
    ]


def test_all_cards_are_drawn_where_there_is_more_room() -> None:
    assert [line.rstrip() for line in text_of(status(late_in_a_hand(), Notes(), "en", 3.0, (80, 40)))] == [
        "→ You          Bo             Cilla          Doris",
        "♥♥♥            ♥♥·                           ♥··",
        "┌───────────┐  ┌───────────┐                 ┌───────────┐",
        "│Harlequin  │  │Hussar     │                 │░░░░░░░░░░░│",
        "│  o._ _.o  │  │    _n_   /│                 │░░░░░░░░░░░│",
        r"│   \\V//   │  │    (-)__/ │                 │░░░░░░░░░░░│",
        r"│   (^_^)   │  │    /#\    │                 │░░░░░░░░░░░│",
        "│        low│  │      19/20│                 │░░░░░░░░░░░│",
        "└───────────┘  └───────────┘                 └───────────┘",
        "               deals          out            (4)",
        "                                             struck away …",
        "YOUR TURN · 17 s · beside the talon: Horse · pot 1 of 1 · hand 1",
    ]


def test_all_that_the_status_shows_is_also_said_in_words() -> None:
    model = late_in_a_hand()
    assert in_words(model, Notes(), "en", 3.0) == [
        "YOUR TURN, 17 s, beside the talon: Horse, pot 1 of 1, hand 1.",
        "Ada (you): lives 3, points 0, to act, a Harlequin face up (low)",
        "Bo: lives 2, points 0, deals, a Hussar face up",
        "Cilla: out, points 0",
        "Doris: lives 1, points 0, holds a 4, struck, away 87 s",
    ]
    assert model.room is not None
    paused = replace(model, room=msgspec.structs.replace(model.room, status=wire.RoomStatus.PAUSED))
    assert in_words(paused, Notes(silence=9), "sv", 3.0)[0].startswith("ingen kontakt på 9 s, paus")


@each([40, 59, 60, 79, 80, 100, 130, 300], [12, 20, 21, 24, 35, 40, 100], range(2, 9))
def test_our_card_and_every_seat_are_always_in_sight(columns: int, rows: int, seats: int) -> None:
    model = seated(NAMES[:seats], ms=20_000)
    for notes in (Notes(), WORDS):
        lines = text_of(status(model, notes, "en", 0.0, (columns, rows)))
        assert len(lines) <= rows // 3
        whole = " ".join(lines)
        assert model.card is not None
        assert CARDS["en"][model.card] in whole
        for name in ("You", *NAMES[1:seats]):
            assert f" {name[0]}" in f" {whole}"


@pytest.mark.parametrize("size", [(40, 12), (30, 9)])
def test_short_names_that_are_alike_are_told_apart_by_their_seats(size: tuple[int, int]) -> None:
    names = ("Ada", "Movitz", "Mollberg", "Mollbergska")
    line = " ".join(text_of(status(seated(names), WORDS, "en", 0.0, size))) + " "
    for seat, name in enumerate(names[1:], 2):
        assert f" {name} 3" in line or any(f" {name[:cells]}{seat} 3" in line for cells in (1, 3, 6, 10))


def test_what_has_changed_since_we_looked_is_marked() -> None:
    model = late_in_a_hand()
    view = model.view
    assert view is not None

    def marked(looked: View | None) -> list[str]:
        (line, _) = text_of(status(replace(model, looked=looked), WORDS, "en", 3.0, (100, 24)))
        return [seat.removeprefix("→").removeprefix("•").split()[0] for seat in line.split(" | ") if "•" in seat]

    assert marked(view) == []
    assert marked(replace(view, struck=())) == ["Doris"]
    assert marked(replace(view, lives=(3, 3, 0, 1))) == ["Bo"]
    assert marked(replace(view, face_up=(1,), origins=(3, 1, None, 0))) == ["You", "Doris"]
    assert marked(replace(view, hand=view.hand - 1)) == ["You", "Bo", "Doris"], "a new hand: all but the deal"
    assert table_lines(replace(model, looked=replace(view, struck=())), "en", 3.0)[3].endswith(
        "struck, away 87 s, changed since you looked"
    )


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
        model = reduce(model, wire.Snapshot(seq=0, room=room(*names), view=None, match=0, open=None, rest=None), 0.0)
        for message in outlet.take():
            if isinstance(message, wire.Question) and model.seat is None:
                continue
            model = reduce(model, message, 0.0)
            for lang in ("sv", "en"):
                assert status(model, Notes(), lang, 0.0, (80, 24))
                assert in_words(model, Notes(), lang, 0.0)
        assert model.seat is None or model.card is not None


def test_the_status_notes_what_only_the_client_knows() -> None:
    model = seated(ms=20_000)
    (_, line) = text_of(status(model, Notes(is_sent=True, silence=12, pictures=False), "en", 0.0, (100, 24)))
    assert line.startswith("→[Inn] · no contact for 12 s · answer sent · 20 s")
    (_, line) = text_of(status(model, Notes(is_unsure=True, pictures=False), "en", 0.0, (100, 24)))
    assert line.startswith("→[Inn] · YOUR TURN · sure? yes/no")


def test_the_status_outside_a_match() -> None:
    lobby = reduce(
        Model(),
        wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0),
        0.0,
    )
    assert text_of(status(lobby, Notes(), "en", 0.0, (80, 24))) == ["in the lobby"]
    waiting = reduce(
        lobby, wire.Snapshot(seq=0, room=room("Ada", "", "Bo"), view=None, match=0, open=None, rest=None), 0.0
    )
    assert text_of(status(waiting, Notes(), "en", 0.0, (80, 24))) == [
        "Bordet 2/3 · waiting to begin: 1 empty seat; not ready: Ada"
    ]
