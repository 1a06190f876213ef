"""The status lines: what they tell, and that they fit."""

from dataclasses import replace

import msgspec
import pytest
from wcwidth import wcswidth

from kille_net.client.effects import Style
from kille_net.client.listing import table_lines
from kille_net.client.model import Model, reduce
from kille_net.client.status import Notes, status
from kille_net.game.cards import Card
from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, Outlet, Table, room
from tests.client.looking import SIZES, seated, text_of


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
