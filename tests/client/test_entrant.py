"""A bot in a tournament: it signs up, plays the tables to which it is called, and knows when that is over."""

import msgspec
import pytest

from kille_net.client.errand import Errand
from kille_net.client.steps import (
    Awaits,
    CalledOff,
    Entered,
    Finished,
    Later,
    MatchOver,
    NewMatch,
    Placed,
    SignedUp,
    Step,
    TurnedAway,
)
from kille_net.game.actions import DEFAULTS
from kille_net.wire import messages as wire
from tests.client.contests import listed, news, row, rows, standings
from tests.client.fake_server import OPTIONS, Outlet, Table, room
from tests.client.test_errand import NAMES, WELCOME

H = wire.Happening


class Bot:
    """An errand to a tournament, and what came of it."""

    def __init__(self, tournament: str | None = "Torsdag", matches: int | None = None) -> None:
        self.errand = Errand(None, OPTIONS, matches, tournament=tournament)
        self.steps: list[Step] = []

    def hear(self, *messages: wire.ServerMessage) -> "Bot":
        for message in messages:
            self.steps += self.errand.message(message, 0.0)
        return self

    def take(self) -> list[Step]:
        steps, self.steps = self.steps, []
        return steps

    @property
    def last(self) -> Step:
        return self.steps[-1]

    @property
    def said(self) -> int:
        """The id of the last command."""
        return max(step.id for step in self.steps if isinstance(step, wire.Command))


def entered() -> Bot:
    bot = Bot().hear(WELCOME)
    bot.hear(wire.Ok(id=bot.said)).take()
    return bot


def called(status: wire.RoomStatus) -> wire.RoomState:
    return msgspec.structs.replace(room(*NAMES, name="Torsdag 1-1", status=status), host="")


def at_table(bot: Bot) -> Outlet:
    """The bot is called, and a match is played without it to its end."""
    state = called(wire.RoomStatus.GATHERING)
    bot.hear(news(H.CALLED, who=NAMES[0], room="Torsdag 1-1", s=5))
    bot.hear(wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None))
    outlet = Outlet()
    playing = called(wire.RoomStatus.PLAYING)
    outlet.send(outlet.event(wire.RoomChanged, news=wire.News.STARTED, who="", room=playing))
    table = Table(outlet, 3, NAMES)
    while table.step():
        table.act(DEFAULTS[table.match.phase])
    outlet.send(outlet.event(wire.RoomChanged, news=wire.News.TABLE_OVER, who="", room=playing))
    bot.hear(*outlet.take())
    return outlet


def test_it_signs_up_and_says_so_once() -> None:
    bot = Bot().hear(WELCOME)
    (sign_up,) = bot.steps
    assert sign_up == wire.SignUp(id=bot.said, tournament="Torsdag")
    assert bot.hear(wire.Ok(id=bot.said)).last == SignedUp("Torsdag")
    bot.take()
    bot.hear(WELCOME)
    assert bot.hear(wire.Refused(id=bot.said, code=wire.RefusalCode.ALREADY_ENTERED)).last == sign_up_again(bot)


@pytest.mark.parametrize("code", [wire.RefusalCode.ALREADY_ENTERED, wire.RefusalCode.WRONG_PLACE])
def test_who_is_called_to_a_table_while_it_signs_up_is_in(code: wire.RefusalCode) -> None:
    bot = Bot().hear(WELCOME)
    assert bot.hear(wire.Refused(id=bot.said, code=code)).last == SignedUp("Torsdag")


def sign_up_again(bot: Bot) -> wire.SignUp:
    return wire.SignUp(id=bot.said, tournament="Torsdag")


def test_it_waits_for_a_tournament_that_is_not_there_yet_ever_longer_but_not_too_long() -> None:
    bot = Bot().hear(WELCOME)
    pauses = []
    for _ in range(7):
        number = bot.errand._last_id
        bot.hear(wire.Refused(id=number, code=wire.RefusalCode.NO_SUCH_TOURNAMENT))
        assert isinstance(bot.last, Later)
        pauses.append(bot.last.seconds)
    assert pauses == [1, 2, 4, 8, 15, 15, 15]
    (asked,) = [step for step in bot.steps if isinstance(step, wire.ListTournaments)]
    over = listed("Onsdag", stage=wire.TournamentStage.OVER)
    bot.hear(wire.Tournaments(id=asked.id, page=0, pages=1, tournaments=(listed("Fredag"), over)))
    assert [step for step in bot.steps if isinstance(step, Awaits)] == [Awaits("Torsdag", ("Fredag",))]
    assert bot.hear(wire.Ok(id=bot.errand._last_id)).last == SignedUp("Torsdag")


def test_where_it_may_not_see_what_there_is_it_waits_all_the_same() -> None:
    bot = Bot().hear(WELCOME)
    bot.hear(wire.Refused(id=bot.said, code=wire.RefusalCode.NO_SUCH_TOURNAMENT))
    (asked,) = [step for step in bot.steps if isinstance(step, wire.ListTournaments)]
    assert bot.hear(wire.Refused(id=asked.id, code=wire.RefusalCode.TOO_FAST)).last == Awaits("Torsdag")


@pytest.mark.parametrize("code", [wire.RefusalCode.TOO_LATE, wire.RefusalCode.TOURNAMENT_FULL])
def test_one_that_it_cannot_enter_is_the_end(code: wire.RefusalCode) -> None:
    bot = Bot().hear(WELCOME)
    with pytest.raises(TurnedAway) as error:
        bot.hear(wire.Refused(id=bot.said, code=code))
    assert (error.value.room, error.value.code) == ("Torsdag", code)


def test_it_plays_the_table_to_which_it_is_called_and_stays() -> None:
    bot = entered()
    at_table(bot)
    steps = bot.take()
    assert any(isinstance(step, Entered) for step in steps)
    assert any(isinstance(step, NewMatch) for step in steps)
    assert any(isinstance(step, MatchOver) and step.winner is not None for step in steps)
    assert not any(isinstance(step, Finished | wire.Ready | wire.Leave | wire.SignUp) for step in steps)
    at_table(bot)
    assert bot.errand.played == 2


def test_at_the_end_it_says_where_it_stands() -> None:
    bot = entered().hear(news(H.OVER, who="Bo"))
    assert bot.last == wire.AskStandings(id=bot.said, tournament="Torsdag", page=0)
    bot.hear(standings(bot.said, *rows(10), pages=2))
    assert bot.last == wire.AskStandings(id=bot.said, tournament="Torsdag", page=1)
    own = row(11, NAMES[0])
    bot.hear(standings(bot.said, own, page=1, pages=2))
    assert bot.steps[-2:] == [Placed("Torsdag", wire.TournamentKind.SWISS, own), Finished(None)]


@pytest.mark.parametrize("status", [wire.EntryStatus.KNOCKED_OUT, wire.EntryStatus.OUT])
def test_after_a_round_it_may_be_out(status: wire.EntryStatus) -> None:
    bot = entered().hear(news(H.ROUND_OVER, round=1, s=9))
    bot.hear(standings(bot.said, row(1, "Bo"), row(2, NAMES[0], status=status)))
    assert bot.last == Finished(None)


def test_after_a_round_it_goes_on_if_it_is_not() -> None:
    bot = entered().hear(news(H.ROUND_OVER, round=1, s=9))
    bot.hear(standings(bot.said, row(1, NAMES[0])))
    assert isinstance(bot.last, wire.AskStandings)


def test_who_has_dropped_out_is_done_and_others_do_not_matter() -> None:
    bot = entered().hear(news(H.DROPPED_OUT, who="Bo"), news(H.OVER, "Annan", who="Bo"))
    assert bot.steps == []
    bot.hear(news(H.DROPPED_OUT, who=NAMES[0]))
    bot.hear(standings(bot.said, row(3, NAMES[0], status=wire.EntryStatus.OUT)))
    assert bot.last == Finished(None)


def test_one_that_is_called_off_is_the_end() -> None:
    bot = entered().hear(news(H.CANCELLED, text="too few"))
    assert bot.steps == [CalledOff("Torsdag", "too few"), Finished(None)]


def test_one_that_is_over_when_it_comes_back_is_the_end() -> None:
    bot = entered().hear(WELCOME)
    bot.hear(wire.Refused(id=bot.said, code=wire.RefusalCode.TOO_LATE))
    bot.hear(wire.Refused(id=bot.said, code=wire.RefusalCode.NO_SUCH_TOURNAMENT))
    assert bot.last == Finished(None)


def test_a_bot_that_waits_in_the_lobby_plays_a_table_to_which_it_is_called() -> None:
    bot = Bot(tournament=None).hear(WELCOME)
    at_table(bot)
    steps = bot.take()
    assert any(isinstance(step, NewMatch) for step in steps)
    assert not any(isinstance(step, Finished) for step in steps)
    assert isinstance(steps[-1], wire.ListRooms), "then it looks for a table of its own"


def test_it_counts_such_a_table_among_its_matches() -> None:
    bot = Bot(tournament=None, matches=1).hear(WELCOME)
    at_table(bot)
    assert bot.last == Finished(None)
