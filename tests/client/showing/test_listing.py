"""Rooms and seats in words."""

from dataclasses import replace

import msgspec
import pytest

from kille_net.arena.situations import view_of
from kille_net.client.model import Model, reduce
from kille_net.client.showing.listing import known_lines, room_lines, rooms_lines, score_lines, table_lines
from kille_net.client.showing.status import Notes, status
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.hand import Deed
from kille_net.game.rules import Format, Seat
from kille_net.game.views import View
from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, OPTIONS, room
from tests.client.looking import seated, text_of


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
        "1  日本  1/4  pots, long  waiting",
        "2  Bo    1/4  pots, long  waiting, locked",
    ]
    assert rooms_lines((), "sv") == ["Det finns inga bord än."]


def test_a_room_is_told_seat_by_seat() -> None:
    model = reduce(
        Model(),
        wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0),
        0.0,
    )
    model = reduce(
        model, wire.Snapshot(seq=0, room=room("Ada", "", "Bo"), view=None, match=0, open=None, rest=None), 0.0
    )
    assert room_lines(model, "en") == [
        "Table Bordet: pots, short, 3 seats.",
        "1. Ada (you), host, not ready",
        "2. (empty)",
        "3. Bo, computer",
    ]


def test_a_room_says_that_it_wishes_no_coach() -> None:
    state = room("Ada", "Bo", options=msgspec.structs.replace(OPTIONS, seats=2, coach=wire.Coach.OFF))
    model = reduce(Model(), wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None), 0.0)
    assert room_lines(model, "en")[0] == "Table Bordet: pots, short, 2 seats, no coach."
    assert room_lines(model, "sv")[0] == "Bordet Bordet: partier (tre liv), kort, 2 platser, ingen coach."


def test_the_score_names_the_best_first_with_the_pots_that_we_saw() -> None:
    model = seated(NAMES[:4])
    view = model.view
    assert view is not None
    assert score_lines(Model(), "sv") == ["Ingen match har spelats här än."]
    for pot, seat in ((1, 1), (2, 3), (3, 1), (4, 2)):
        points = tuple(points + (n == seat) for n, points in enumerate(view.points))
        view = replace(view, pot=pot, points=points, rules=replace(view.rules, pots=4))
        model = replace(model, view=view, won=(*model.won, (pot, seat)))
    assert score_lines(model, "en") == [
        "Score, pot 4 of 4:",
        "1. Bo         2  (won 1, 3)",
        "2. Cilla      1  (won 4)",
        "2. Doris      1  (won 2)",
        "4. Ada (you)  0",
    ]
    late = replace(model, won=((4, 2),), view=replace(view, pot=5))
    assert score_lines(late, "sv")[:2] == ["Ställning, i partiet som avgör:", "1. Bo        2"]
    assert score_lines(replace(late, view=replace(view, pot=None)), "en")[0].startswith("Sticks, in the final")


@pytest.mark.parametrize(
    ("lang", "title", "seat", "part"),
    [
        ("en", "Sticks, bout 1 of 4:", "Bo: lives 1, sticks 2", "bout 1 of 4"),
        ("sv", "Pinnar, parti 1 av 4:", "Bo: liv 1, pinnar 2", "parti 1 av 4"),
    ],
)
def test_where_sticks_are_played_they_are_counted(lang: str, title: str, seat: str, part: str) -> None:
    model = seated(NAMES[:4])
    view = model.view
    assert view is not None
    rules = replace(view.rules, format=Format.STICKS, pots=4)
    view = replace(view, rules=rules, pot=1, lives=(1,) * 4, points=(0, 2, 0, 0))
    model = replace(model, view=view)
    assert score_lines(model, lang)[0] == title
    assert any(line.startswith(seat) for line in table_lines(model, lang, 0.0))
    assert part in " ".join(text_of(status(model, Notes(), lang, 0.0, (100, 24))))


def test_a_room_says_that_those_who_watch_see_open_cards() -> None:
    state = room("Ada", "Bo", options=msgspec.structs.replace(OPTIONS, seats=2, watching=wire.Watching.OPEN))
    model = reduce(Model(), wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None), 0.0)
    assert room_lines(model, "en")[0] == "Table Bordet: pots, short, 2 seats, watchers see past hands open."
    assert room_lines(model, "sv")[0] == (
        "Bordet Bordet: partier (tre liv), kort, 2 platser, åskådare får se spelade givar med öppna kort."
    )


def known(view: View, lang: str = "en") -> list[str]:
    """What the seat of the view knew, whose table is that of Ada, Bo, Cy and Di."""
    names = ("Ada", "Bo", "Cy", "Di")[: len(view.lives)]
    return known_lines(Model(room=room(*names), seat=view.seat, view=view, returns=(None,) * len(names)), lang)


STAND, SWAP, ASK = Action.STAND, Action.SWAP, Action.ASK


def test_what_a_seat_knew_tells_the_same_card_first_and_after_two_who_stood_apart() -> None:
    first = known(view_of("4 9 4 9"))
    later = known(view_of("10 9 4 9", play=[(0, STAND), (1, STAND)]))
    assert first == [
        "Ada (you): lives 3, points 0, holds a 4",
        "Bo: lives 3, points 0, not yet on turn",
        "Cy: lives 3, points 0, not yet on turn",
        "Di: lives 3, points 0, deals, not yet on turn",
    ]
    assert later == [
        "Ada: lives 3, points 0, stood",
        "Bo: lives 3, points 0, stood",
        "Cy (you): lives 3, points 0, holds a 4",
        "Di: lives 3, points 0, deals, not yet on turn",
    ]


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (view_of("2 9 5 6", play=[(0, SWAP)]), "Ada: lives 3, points 0, holds a 9, swapped, the card dealt to Bo"),
        (view_of("2 kavall 5 6", play=[(0, SWAP)]), "Ada: lives 3, points 0, holds a 5, swapped, the card dealt to Cy"),
        (view_of("2 kavall 5 6", play=[(0, SWAP)]), "Bo: lives 3, points 0, a Horse face up, its turn is gone"),
        (view_of("2 husar 5 6", play=[(0, SWAP)]), "Ada: lives 3, points 0, struck, was refused its swap"),
        (view_of("2 9", 2, [(0, ASK)]), "Ada: lives 3, points 0, asks for better cards"),
        (view_of("2 9 9", 3, [(0, ASK), (2, Action.DEPENDS)]), "Cy: lives 3, points 0, deals, leaves it to the next"),
    ],
)
def test_what_a_seat_knew_has_what_others_did_in_words(view: View, line: str) -> None:
    assert line in known(view)


def test_what_a_seat_knew_is_told_in_the_order_of_speaking_with_who_is_out_last() -> None:
    view = replace(view_of("4 9 4 9"), dealer=1, lives=(3, 3, 3, 0), origins=(0, 1, 2, None))
    assert [line[:2] for line in known(view)] == ["Cy", "Ad", "Bo", "Di"]
    assert known(view)[-1] == "Di: out, points 0"


def test_what_a_seat_knew_has_the_cards_that_are_gone_and_the_deals_that_were_asked_for() -> None:
    view = replace(view_of("4 9 4 9"), beside=(Card.HUSAR,), gone=(Card.N4, Card.HARLEKIN), asks=1)
    assert known(view)[4:] == [
        "Beside the talon: Hussar",
        "Known to be gone: 4, Harlequin",
        "New deals in this hand, as asked for: 1",
    ]
    assert known(view, "sv")[4:] == [
        "Bredvid talongen: Husar",
        "Borta, så vitt platsen vet: 4, Harlekin",
        "Nya kort på begäran i den här given: 1",
    ]
    assert known(view_of("4 9 4 9"))[4:] == []


@pytest.mark.parametrize("lang", ["en", "sv"])
def test_every_deed_and_origin_has_words_of_its_own(lang: str) -> None:
    view = replace(view_of("4 9 4 9"), phase=Phase.TURN)

    def told(deed: Deed, origin: Seat) -> str:
        return known(replace(view, deeds=(deed,) * 4, origins=(0, 1, 2, origin)), lang)[-1]

    lines = {told(deed, origin) for deed in Deed for origin in (0, 1, 3, 4)}
    assert len(lines) == len(Deed) * 4
    assert not any("{" in line for line in lines)
