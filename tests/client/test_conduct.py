"""What is wrong with what a client does is found, and nothing that the protocol allows."""

from collections.abc import Sequence

import pytest

from kille_net.client.conduct import Breach, Conduct, Wrong
from kille_net.translate import to_view
from kille_net.wire import messages as wire
from tests.bots.hands import view
from tests.client.fake_server import OPTIONS, room

SERVER, CLIENT = "server", "client"
VIEW = to_view(view("4 5 6 7", 4))
TICKET = "ab" * 32
ASK = wire.Question(seq=5, turn=3, legal=0b0000011, ms=0, view=VIEW)
STAND = wire.Decide(id=7, turn=3, do=wire.Do.STAND)
END = wire.MatchEnded(seq=9, winner=0, points=(1, 0, 0, 0), reason="")


def refused(number: int, code: wire.RefusalCode) -> wire.Refused:
    return wire.Refused(id=number, code=code)


def bye(code: wire.ByeCode, place: str = "") -> wire.Bye:
    return wire.Bye(code=code, place=place, versions=wire.VERSIONS)


def hello(ticket: str | None) -> wire.Hello:
    return wire.Hello(versions=(1,), agent="", name="Bo", bot=True, ticket=ticket, password=None)


def seen(*said: tuple[str, wire.Message]) -> Conduct:
    """After one line on which all this was said, a second apart, and which then ended."""
    conduct = Conduct()
    conduct.began()
    for now, (who, message) in enumerate(said):
        if who == SERVER:
            conduct.server(message, float(now))
        else:
            conduct.client(message, float(now))
    conduct.ended(float(len(said)), is_cut=False)
    return conduct


@pytest.mark.parametrize(
    "said",
    [
        [(SERVER, ASK), (CLIENT, STAND), (SERVER, END)],
        [(SERVER, ASK), (CLIENT, STAND), (SERVER, refused(7, wire.RefusalCode.OVERTAKEN)), (SERVER, END)],
        [(SERVER, ASK), (CLIENT, wire.CallKuku(id=6, seq=5)), (SERVER, refused(6, wire.RefusalCode.OVERTAKEN)),
         (CLIENT, STAND), (SERVER, END)],
        [(SERVER, ASK), (CLIENT, STAND), (SERVER, refused(7, wire.RefusalCode.CANNOT_SAVE)),
         (CLIENT, wire.Decide(id=8, turn=3, do=wire.Do.STAND)), (SERVER, END)],
        [(SERVER, ASK), (CLIENT, STAND), (SERVER, ASK), (CLIENT, STAND), (SERVER, END)],
        [(CLIENT, wire.Join(id=1, room="Krogen", password=None)), (SERVER, refused(1, wire.RefusalCode.NO_SUCH_ROOM)),
         (SERVER, END)],
        [(SERVER, ASK), (SERVER, wire.Late(seq=6, seat=2)), (SERVER, END), (CLIENT, bye(wire.ByeCode.DONE))],
        [(SERVER, bye(wire.ByeCode.SHUTTING_DOWN))],
    ],
    ids=["answers", "is overtaken", "calls, then answers", "answers again", "sends again", "finds no room",
         "another was late", "the server stops"],
)  # fmt: skip
def test_what_the_protocol_allows(said: Sequence[tuple[str, wire.Message]]) -> None:
    assert seen(*said).breaches == []


@pytest.mark.parametrize(
    ("said", "breach"),
    [
        ([(SERVER, ASK), (SERVER, wire.Late(seq=6, seat=0)), (SERVER, END)], Breach(Wrong.UNANSWERED)),
        (
            [(SERVER, ASK), (CLIENT, STAND), (CLIENT, wire.Decide(id=8, turn=3, do=wire.Do.SWAP)), (SERVER, END)],
            Breach(Wrong.TWICE, "swap"),
        ),
        ([(CLIENT, STAND), (SERVER, END)], Breach(Wrong.UNASKED, "stand")),
        (
            [(SERVER, ASK), (CLIENT, wire.Decide(id=7, turn=3, do=wire.Do.ASK)), (SERVER, END)],
            Breach(Wrong.ILLEGAL, "ask"),
        ),
        (
            [(CLIENT, wire.Start(id=1)), (SERVER, refused(1, wire.RefusalCode.NOT_HOST)), (SERVER, END)],
            Breach(Wrong.REFUSED, "not_host"),
        ),
        ([(SERVER, bye(wire.ByeCode.BAD_FIELD, "id"))], Breach(Wrong.BYE, "bad_field id")),
        ([(CLIENT, bye(wire.ByeCode.BAD_FIELD, "settings"))], Breach(Wrong.GAVE_UP, "bad_field settings")),
        ([(SERVER, ASK)], Breach(Wrong.LEFT)),
        ([(SERVER, ASK), (CLIENT, bye(wire.ByeCode.DONE))], Breach(Wrong.LEFT)),
    ],
)
def test_what_it_does_not(said: Sequence[tuple[str, wire.Message]], breach: Breach) -> None:
    assert seen(*said).breaches == [breach]


def test_a_ping_of_ours_is_answered_soon_and_that_answer_goes_no_further() -> None:
    conduct = Conduct()
    conduct.began()
    conduct.pinged(77, 0.0)
    conduct.pinged(78, 0.0)
    assert not conduct.client(wire.Pong(n=77), 1.0)
    assert conduct.client(wire.Pong(n=1), 1.0)
    conduct.server(END, 2.0)
    conduct.ended(2.0, is_cut=False)
    assert conduct.breaches == [], "78 was not waited for long enough"
    conduct.began()
    conduct.pinged(79, 3.0)
    conduct.ended(9.0, is_cut=False)
    assert conduct.breaches == [Breach(Wrong.NO_PONG)]


def test_a_line_that_we_cut_is_no_fault_and_a_ticket_brings_it_back() -> None:
    conduct = Conduct()
    conduct.began()
    assert conduct.client(hello(None), 0.0)
    conduct.server(ASK, 1.0)
    conduct.ended(2.0, is_cut=True)
    assert not conduct.is_back
    conduct.began()
    conduct.client(hello(TICKET), 3.0)
    conduct.server(ASK, 4.0)
    conduct.client(STAND, 4.5)
    conduct.server(END, 5.0)
    conduct.ended(6.0, is_cut=False)
    assert conduct.is_back
    assert (conduct.breaches, conduct.questions, conduct.slowest) == ([], 1, 0.5)


def test_a_match_that_nobody_waits_for_any_longer() -> None:
    conduct = Conduct()
    conduct.not_played()
    assert conduct.breaches == [Breach(Wrong.UNPLAYED)]


def test_in_a_tournament_each_table_counts_its_questions_anew() -> None:
    conduct = Conduct(matches=2)
    conduct.began()
    for number, name in enumerate(("Torsdag 1-1", "Torsdag 2-1")):
        called = wire.Snapshot(seq=1, room=room("Bo", "Ada", name=name), view=None, match=0, open=None, rest=None)
        conduct.server(called, 0.0)
        conduct.server(ASK, 0.0)
        conduct.client(wire.Decide(id=number + 1, turn=ASK.turn, do=wire.Do.STAND), 0.0)
        assert not conduct.has_ended
        conduct.server(END, 0.0)
    assert conduct.has_ended
    assert (conduct.questions, conduct.breaches) == (2, [])


def test_a_table_that_it_is_not_to_join_is_told_once() -> None:
    strayed: list[str] = []
    conduct = Conduct(place="Krogen", strayed=strayed.append)
    for room_ in ("krogen", "Krogen", "Källaren", "Elsewhere"):
        assert conduct.client(wire.Join(id=1, room=room_, password=None), 0.0)
    assert strayed == ["Källaren"]
    others = (
        wire.Create(id=1, room="Mine", options=OPTIONS, password=None),
        wire.SignUp(id=1, tournament="Mine"),
    )
    for message in others:
        conduct = Conduct(place="Krogen", strayed=strayed.append)
        conduct.client(message, 0.0)
        Conduct(strayed=strayed.append).client(message, 0.0)
    assert strayed[1:] == ["Mine", "Mine"]
    assert not conduct.breaches
