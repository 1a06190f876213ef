"""A match while it is played in a room: who is asked what, until when, and what counts when nobody answers.

Owns questions, windows, deadlines and the computers' turns. Sync and handed its time, which stands still
while the room is paused; chance comes as packs and numbers that are drawn before anybody looks at a card, so that
nothing about timing depends on what is hidden. Refuses to know who may enter, ready and host a room.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kille_net.game.actions import DEFAULTS, Action, Phase, Refusal
from kille_net.game.events import Dealt, Event
from kille_net.game.match import Match, Stage
from kille_net.game.record import By, MatchLine, Played
from kille_net.game.rules import MAX_ASKS, Seat
from kille_net.game.shuffle import Material
from kille_net.game.views import observe, redact
from kille_net.server.chronicle import Chronicle
from kille_net.server.drawing import settled
from kille_net.server.effects import Refusing, Search
from kille_net.server.herald import Herald
from kille_net.server.open_hands import OpenHands
from kille_net.server.people import Chair, Player
from kille_net.server.resting import Resting
from kille_net.server.saving import NextSaid, Step
from kille_net.server.sources import Chance, Shuffle
from kille_net.translate import from_do, to_legal, to_phase, to_refusal, to_view
from kille_net.wire.messages import (
    CallKuku,
    Decide,
    HandShown,
    Late,
    NextHand,
    Ok,
    OpenQuestion,
    OpenRest,
    Options,
    Question,
    RefusalCode,
    Refused,
    SecretRevealed,
    ShuffleState,
    Turn,
    Watching,
)

__all__ = ["SEARCH", "RunningMatch"]

_PACE_SPREAD: Final = 0.5
"""A computer takes its pace give or take so large a part of it."""
SEARCH: Final = 0.5
"""Seconds that one which searches takes at least, whatever it holds and however soon it knows."""


@dataclass(frozen=True, slots=True)
class _Held:
    """An answer that waits for the end of the window."""

    action: Action
    by: By
    player: Player | None = None
    """Whose command it is, which is answered when it takes effect; None: nobody's."""
    id: int = 0


@dataclass(slots=True)
class _Open:
    """An open question."""

    number: int
    seat: Seat
    posed_at: float
    window_ends: float
    deadline: float | None
    pause: float
    """How long a computer takes for it."""
    calls: list[tuple[float, Seat]]
    """When each computer decides whether it calls Kuku; the next one last."""
    held: _Held | None = None
    thought: Action | None = None
    """What the computer on that seat will do when its pause is over."""

    def take(self, thought: Action) -> None:
        """The computer has found something better to do; too late, it changes nothing."""
        self.thought = thought


class RunningMatch:
    """Times are the room's own; `tick` does what is due, one thing at a time, so that no room holds up the others."""

    def __init__(
        self,
        header: MatchLine,
        options: Options,
        chairs: Sequence[Chair],
        herald: Herald,
        chronicle: Chronicle,
        *,
        shuffle: Shuffle,
        chance: Chance,
        next_turn: Callable[[], int],
        show: Callable[[Sequence[HandShown]], None],
    ) -> None:
        """`next_turn` numbers the questions; `show` is given hands that may be shown with open cards."""
        self.match: Final = Match(header.rules, len(header.seats), header.first_dealer)
        self._options = options
        self._chairs = chairs
        self._herald = herald
        self._chronicle = chronicle
        self._shuffle = shuffle
        self._dealer = header.first_dealer if header.is_rematch else None
        self._chance = chance
        self._next_turn = next_turn
        self._show = show
        self._open_hands = OpenHands(self.match) if options.watching is Watching.OPEN else None
        self._open: _Open | None = None
        self._rest: Resting | None = None
        self._dealt_at = 0.0
        self._dealt_seq = 0
        self._is_stopping = False
        self.actions = 0
        """How many have taken effect."""

    # --- what is due ----------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return self.match.stage is Stage.OVER

    @property
    def is_hand_open(self) -> bool:
        """Whether somebody is to be waited for in a hand."""
        return self._open is not None

    @property
    def held(self) -> tuple[Player, int] | None:
        """The command that waits for its answer, if there is one."""
        held = self._open.held if self._open is not None else None
        return None if held is None or held.player is None else (held.player, held.id)

    def deadline(self) -> float | None:
        """When `tick` is to be called next."""
        due = self._due()
        return None if due is None else due[0]

    def _due(self) -> tuple[float, Callable[[float], None]] | None:
        question = self._open
        if question is None:
            return None if self._rest is None or self._is_stopping else (self._rest.due, self._deal)
        answer = self._due_answer(question)
        if question.calls and (answer is None or question.calls[-1][0] <= answer[0]):
            return question.calls[-1][0], self._let_computer_call
        return answer

    def _due_answer(self, question: _Open) -> tuple[float, Callable[[float], None]] | None:
        if question.held is not None:
            return question.window_ends, self._do_held
        if self._chairs[question.seat].computer is not None:
            if question.thought is None:
                return question.posed_at, self._let_computer_think
            return max(question.window_ends, question.posed_at + question.pause), self._let_computer_act
        return None if question.deadline is None else (question.deadline, self._time_out)

    def tick(self, time: float) -> None:
        """Do the next thing that is due at that time, if there is one."""
        due = self._due()
        if due is not None and due[0] <= time:
            due[1](time)

    def catch_up(self, time: float) -> None:
        """Before something that comes from outside: do what was due before it, so that one order holds for both.

        What becomes due only by doing so is left to `tick`.
        """
        while True:
            question = self._open
            due = self._due()
            if due is None or due[0] > time or (question is not None and question.posed_at == time):
                return
            due[1](time)

    # --- what comes from outside ----------------------------------------------------------------------------------

    def begin(self, time: float) -> None:
        self._deal(time)

    def stop_dealing(self) -> None:
        """When the hand that is under way has ended, the table waits."""
        self._is_stopping = True

    def resume(self, steps: Sequence[Step], time: float, turn: int, said: NextSaid = (0, ())) -> None:
        """Come to where these steps led; if there is an open question, it is asked anew, with all its time.

        `turn`: the number of the last question; `said`: who had said `next`. Raises IllegalAction when the steps do not
        lead anywhere.
        """
        for step, events in zip(steps, self._chronicle.replay(self.match, steps), strict=True):
            self._show_computers(events)
            if self._open_hands is not None:
                self._open_hands.follow(step, events)
                self._open_hands.take()  # it was told then
        last = steps[-1]
        self._dealt_at = time - (last.t or 0.0) if isinstance(last, Played) else time
        self._dealt_seq = self._herald.seq
        if self.is_over:
            return
        if self.match.wants_pack:
            self._rest = self._make_rest(time)
            self._rest.recall(said)
        else:
            self._pose(self._while_people(self._options.window), time, turn)

    def decide(self, seat: Seat, player: Player, command: Decide, time: float) -> None:
        """An answer (protocol/v1/protocol.md §7.4). Raises Refusing."""
        question = self._open
        if question is None:
            raise Refusing(RefusalCode.NO_HAND)
        if command.turn != question.number:
            raise Refusing(RefusalCode.OLD_TURN)
        action = from_do(command.do)
        self._check(seat, action)
        if question.held is not None:
            raise Refusing(RefusalCode.ALREADY_ANSWERED)
        question.held = _Held(action, By.PLAYER, player, command.id)
        if time >= question.window_ends:
            self._do_held(time)

    def call_kuku(self, seat: Seat, player: Player, command: CallKuku, time: float) -> None:
        """Out of turn or not, it takes effect now (M7), if it was meant for these cards. Raises Refusing."""
        if not self._dealt_seq <= command.seq <= self._herald.seq:
            raise Refusing(RefusalCode.OLD_TURN)
        self._check(seat, Action.KUKU)
        self._herald.tell(player, Ok(id=command.id))
        self._act(seat, Action.KUKU, By.PLAYER, time)

    def say_next(self, seat: Seat, player: Player, command: NextHand, time: float) -> None:
        """The next hand may come (§7.9). Raises Refusing."""
        if self._rest is None or self._rest.hand != command.hand:
            raise Refusing(RefusalCode.OLD_TURN)
        self._herald.tell(player, Ok(id=command.id))
        self._rest.say(seat, time)

    @property
    def next_said(self) -> NextSaid:
        return (0, ()) if self._rest is None else self._rest.said

    def rests_for(self, seat: Seat, hand: int) -> bool:
        """Whether the table waits for the seat after that hand."""
        return self._rest is not None and self._rest.hand == hand and self._rest.waits_for(seat)

    def is_open_to(self, seat: Seat, number: int) -> bool:
        """Whether the seat still owes the answer to that question."""
        question = self._open
        return question is not None and question.seat == seat and question.number == number and question.held is None

    def _check(self, seat: Seat, action: Action) -> None:
        refusal: Refusal | None = self.match.why_not(seat, action)
        if refusal is not None:
            raise Refusing(to_refusal(refusal))

    def changed(self, seat: Seat, time: float) -> None:
        """Who decides for the seat has changed: its player left or was lost, or a computer came."""
        if self._rest is not None:
            self._rest.look(time)
        question = self._open
        if question is None or question.seat != seat:
            return
        chair = self._chairs[seat]
        if chair.is_absent and question.held is None:
            question.held = self._default(By.CLOCK)
        elif chair.player is None and question.held is not None and question.held.player is not None:
            self._overtake()
        elif chair.computer is not None and question.held is not None and question.held.player is None:
            question.held = None  # a stand-in answers better than the default

    def came_back(self, seat: Seat, time: float, *, is_paused: bool) -> None:
        """The seat's player is here again; a stand-in that was asked before answers that still."""
        question, chair = self._open, self._chairs[seat]
        if question is None or question.seat != seat:
            chair.take_back()
            if self._rest is not None:
                self._rest.look(time)
            return
        if chair.computer is not None:
            return
        if question.held is not None and question.held.player is None:
            question.held = None  # nobody's default while there is somebody
        if question.held is None and not is_paused:
            self._ask(question, time)

    def open_question(self, time: float) -> OpenQuestion | None:
        """What is open, for whoever did not hear it asked."""
        question = self._open
        if question is None:
            return None
        left, window = self._left(question, time)
        return OpenQuestion(turn=question.number, seat=question.seat, ms=left, window=window)

    def open_rest(self, time: float) -> OpenRest | None:
        """For whom the table waits between two hands, for whoever did not hear it."""
        return None if self._rest is None else self._rest.open(time)

    def shuffle_state(self) -> ShuffleState | None:
        """What was published of the shuffle, for whoever did not hear it; None: it is known to all beforehand."""
        return settled(self._shuffle, self._dealer) if isinstance(self._shuffle, Material) else None

    def tell_again(self, time: float) -> None:
        """Say what is open, after a pause."""
        if self._open is not None:
            self._tell_question(self._open, time)
        elif self._rest is not None and self._rest.is_waiting:
            self._rest.tell(time)

    def break_off(self, reason: str) -> None:
        events = self.match.break_off(reason)
        self._overtake()
        self._open = self._rest = None
        self._chronicle.broken_off(reason)
        self._announce(events)
        self._chronicle.over(self.match, reason)
        self._reveal()
        self._show_hands()

    @property
    def id(self) -> str:
        return self._shuffle.match_id.hex()

    # --- what happens at the table --------------------------------------------------------------------------------

    def _deal(self, time: float) -> None:
        self._rest = None
        self._dealt_at = time
        self._go_on(self._deal_pack(), time)

    def _deal_pack(self) -> list[Event]:
        pack = self._shuffle.pack(*self.match.next_pack)
        events = self.match.deal(pack)
        self._chronicle.dealt(pack, events)
        if self._open_hands is not None:
            self._open_hands.dealt(events)
        return events

    def _act(self, seat: Seat, action: Action, by: By, time: float) -> None:
        events = self._apply(seat, action, by, time)
        self._overtake()
        if by is By.CLOCK:
            self._herald.tell_all(lambda seq: Late(seq=seq, seat=seat))
        self._go_on(events, time)

    def _apply(self, seat: Seat, action: Action, by: By, time: float) -> list[Event]:
        events = self.match.act(seat, action)
        self.actions += 1
        t = round(time - self._dealt_at, 3)
        self._chronicle.acted(seat, action, events, t=t, by=by)
        if self._open_hands is not None:
            self._open_hands.acted(seat, action, events)
        return events

    def _overtake(self) -> None:
        """What waited for the end of the window will not take effect."""
        question = self._open
        if question is None or question.held is None:
            return
        held, question.held = question.held, None
        if held.player is not None:
            self._herald.tell(held.player, Refused(id=held.id, code=RefusalCode.OVERTAKEN))

    def _go_on(self, events: list[Event], time: float) -> None:
        """Tell what happened, and what follows from it until somebody is to be waited for."""
        self._open = None
        for chair in self._chairs:
            if chair.computer is not None:
                chair.take_back()
        while True:
            self._announce(events)
            if self.is_over:
                self._chronicle.over(self.match)
                self._reveal()
                self._show_hands()
                return
            self._show_hands()
            if self.match.wants_pack:
                if self._is_between and (self._is_stopping or self._rests(time)):
                    return
                self._dealt_at = time
                events = self._deal_pack()
                continue
            if (by_itself := self._server_declines(time)) is not None:
                events = by_itself
                continue
            window = self._while_people(self._options.window)
            if not window and (caller := self._caller()) is not None:
                events = self._apply(caller, Action.KUKU, self._by(caller), time)
                continue
            self._pose(window, time)
            return

    def _rests(self, time: float) -> bool:
        """Whether the table waits for somebody before the next hand. Where only bots play it goes on at once, with no
        breath for who looks on: without a pace and a window nobody could follow the hands either."""
        rest = self._make_rest(time)
        rest.look(time)
        if rest.is_waiting:
            self._rest = rest
        return rest.is_waiting

    @property
    def _is_between(self) -> bool:
        """Whether the pack that is wanted is that of another hand, and not to be dealt again within one."""
        return self.match.next_pack[1] == 0

    def _make_rest(self, time: float) -> Resting:
        most = self._options.rest / 1000 if self._is_between else 0.0
        return Resting(self.match.number, most, time, self._chairs, self._herald)

    def _announce(self, events: Sequence[Event]) -> None:
        for event in events:
            self._herald.tell_game(event)
            if type(event) is Dealt:
                self._dealt_seq = self._herald.seq
        self._show_computers(events)

    def _show_computers(self, events: Sequence[Event]) -> None:
        for seat, chair in enumerate(self._chairs):
            if chair.computer is not None and chair.computer.listens:
                for event in events:
                    chair.computer.saw(redact(event, seat))

    def _show_hands(self) -> None:
        if self._open_hands is not None and (shown := self._open_hands.take()):
            self._show(shown)

    def _reveal(self) -> None:
        """Nothing is dealt any more: the secret opens every pack (protocol/v1/protocol.md §7.8)."""
        chance = self._shuffle
        if isinstance(chance, Material):
            self._herald.tell_all(
                lambda seq: SecretRevealed(seq=seq, match=chance.match_id.hex(), secret=chance.secret.hex())
            )

    def _while_people(self, milliseconds: int) -> float:
        """Seconds that the table takes while a person plays at it; none between bots."""
        return milliseconds / 1000 if milliseconds and any(chair.wants_time for chair in self._chairs) else 0.0

    def _server_declines(self, time: float) -> list[Event] | None:
        """Rule G6."""
        hand = self.match.hand
        if self.match.phase is not Phase.ASKED or hand is None or hand.asks < MAX_ASKS:
            return None
        return self._apply(hand.dealer, DEFAULTS[Phase.ASKED], By.CLOCK, time)

    # --- questions ------------------------------------------------------------------------------------------------

    def _pose(self, window: float, time: float, turn: int | None = None) -> None:
        """`turn`: the number of a question that was asked before."""
        seat = self.match.to_act
        assert seat is not None
        # As many numbers as there are seats, whoever sits there and whatever they hold.
        moments = [self._chance() * window for _ in self._chairs] if window else []
        pace = self._while_people(self._options.pace)
        pause = pace * (1 + _PACE_SPREAD * (2 * self._chance() - 1)) if pace else 0.0
        if self._chairs[seat].searcher is not None:
            pause = max(pause, SEARCH)
        calls = [
            (time + moments[caller], caller)
            for caller, chair in enumerate(self._chairs)
            if chair.computer is not None and moments
        ]
        clock = self._options.clock
        question = _Open(
            number=self._next_turn() if turn is None else turn,
            seat=seat,
            posed_at=time,
            window_ends=time + window,
            deadline=time + max(clock, window) if clock else None,
            pause=pause,
            calls=sorted(calls, reverse=True),
        )
        if self._chairs[seat].is_absent:
            question.held = self._default(By.CLOCK)
        self._open = question
        self._tell_question(question, time)

    def _tell_question(self, question: _Open, time: float) -> None:
        seat = question.seat
        left, window = self._left(question, time)
        phase = to_phase(self.match.phase)
        self._herald.tell_all(
            lambda seq: Turn(seq=seq, turn=question.number, seat=seat, phase=phase, ms=left, window=window)
        )
        chair = self._chairs[seat]
        if chair.is_here and chair.computer is None and question.held is None:
            self._ask(question, time)

    def _ask(self, question: _Open, time: float) -> None:
        seat = question.seat
        player = self._chairs[seat].player
        assert player is not None
        ask = Question(
            seq=self._herald.seq,
            turn=question.number,
            legal=to_legal(self.match.legal(seat)),
            ms=self._left(question, time)[0],
            view=to_view(observe(self.match, seat)),
        )
        self._herald.tell(player, ask)

    def _left(self, question: _Open, time: float) -> tuple[int, int]:
        """Milliseconds until the default is taken (0: no clock), and until the window ends."""
        left = 0 if question.deadline is None else max(1, round((question.deadline - time) * 1000))
        return left, max(0, round((question.window_ends - time) * 1000))

    def _default(self, by: By) -> _Held:
        return _Held(DEFAULTS[self.match.phase], by)

    def _do_held(self, time: float) -> None:
        question = self._open
        assert question is not None
        assert question.held is not None
        held = question.held
        if held.player is not None:
            self._herald.tell(held.player, Ok(id=held.id))
        question.held = None
        self._act(question.seat, held.action, held.by, time)

    def _time_out(self, time: float) -> None:
        assert self._open is not None
        self._act(self._open.seat, DEFAULTS[self.match.phase], By.CLOCK, time)

    # --- computers ------------------------------------------------------------------------------------------------

    def _by(self, seat: Seat) -> By:
        return By.PLAYER if self._chairs[seat].player is None else By.STAND_IN

    def _let_computer_think(self, _time: float) -> None:
        """Before its pause, and after the question is told: how long it takes depends on its card."""
        question = self._open
        assert question is not None
        chair = self._chairs[question.seat]
        view = observe(self.match, question.seat)
        if (searcher := chair.searcher) is not None:
            question.thought = searcher.at_once(view)
            due = max(question.window_ends, question.posed_at + question.pause)
            self._herald.search(Search(view, due - question.posed_at, question.take))
        else:
            assert chair.computer is not None
            question.thought = chair.computer.decide(view)

    def _let_computer_act(self, time: float) -> None:
        question = self._open
        assert question is not None
        assert question.thought is not None
        self._act(question.seat, question.thought, self._by(question.seat), time)

    def _let_computer_call(self, time: float) -> None:
        assert self._open is not None
        _, seat = self._open.calls.pop()
        if self._calls(seat):
            self._act(seat, Action.KUKU, self._by(seat), time)

    def _caller(self) -> Seat | None:
        """The first computer from the dealer's left that calls at this safe point (M7)."""
        hand = self.match.hand
        assert hand is not None
        return next((seat for seat in hand.kuku_seats() if self._calls(seat)), None)

    def _calls(self, seat: Seat) -> bool:
        computer = self._chairs[seat].computer
        if computer is None or self.match.why_not(seat, Action.KUKU) is not None:
            return False
        return computer.calls_kuku(observe(self.match, seat))
