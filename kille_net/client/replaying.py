"""A record to look back on: each step of a match as one seat saw it, or with all cards open.

Owns the steps and the ways between them. Refuses to know keys, terminals and files. What a seat sees comes by
`observe` and `redact`, as it did at the table.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kille_net.client.model import Model, OpenTurn
from kille_net.client.showing.layout import wrap
from kille_net.client.showing.narrate import narrate
from kille_net.client.showing.texts import Who, say, say_many
from kille_net.game.actions import Action
from kille_net.game.events import Event, HandBegan
from kille_net.game.match import Match
from kille_net.game.record import By, MatchLine, Played
from kille_net.game.replay import replay
from kille_net.game.rules import Seat
from kille_net.game.views import View, observe, redact
from kille_net.wire import messages as wire
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.text import safe_text

__all__ = ["PASTED_COLUMNS", "Frame", "NoSuchMatch", "Replay", "Viewer", "load"]

Viewer: TypeAlias = Seat | None
"""A seat; None: nobody at the table, to whom all cards are open."""

PASTED_COLUMNS: Final = 72
_NAME_CELLS: Final = 32
_BY_CLOCK: Final = {Action.STAND: "late.stand", Action.REFUSE: "late.refuse"}


class NoSuchMatch(LookupError):
    """The file has only `matches`."""

    def __init__(self, matches: int) -> None:
        super().__init__(matches)
        self.matches = matches


@dataclass(frozen=True, slots=True)
class Frame:
    """A pack that was dealt, an action, or the end, with all that followed at once."""

    match: Match
    """As it stood then. Not to be changed."""
    events: tuple[Event, ...]
    """Told whole; none in the first frame, before the first deal."""
    move: Played | None


def load(lines: Iterable[str | bytes], number: int = 1) -> "Replay":
    """The match of that number, from 1, of the record, all of which is read. Raises RecordError and NoSuchMatch.

    Whether the packs follow from the shuffle is for `verify` to say.
    """
    matches = 0
    header: MatchLine | None = None
    frames: list[Frame] = []
    for step in replay(lines, prepared=True):
        begins = isinstance(step.line, MatchLine)
        matches += begins
        if matches != number:
            continue
        header = step.header
        if begins or step.events:
            frames.append(Frame(step.match.copy(), step.events, step.move))
    if header is None:
        raise NoSuchMatch(matches)
    return Replay(header, frames, number, matches)


class Replay:
    """One match; its steps are numbered from 0, where nothing is dealt yet."""

    def __init__(self, header: MatchLine, frames: list[Frame], number: int = 1, matches: int = 1) -> None:
        self.header: Final = header
        self.number: Final = number
        """Of the match in its file, from 1."""
        self.matches: Final = matches
        """That the file has."""
        self.names: Final = tuple(safe_text(seat.name, _NAME_CELLS) or "-" for seat in header.seats)
        self._frames: Final = frames
        began = [(n, event) for n, frame in enumerate(frames) for event in frame.events if isinstance(event, HandBegan)]
        self._hands: Final = [n for n, _ in began]
        """The step with which each hand begins."""
        self._pots: Final = [n for k, (n, event) in enumerate(began) if not k or event.pot != began[k - 1][1].pot]

    # --- ways -----------------------------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        return len(self._frames) - 1

    @property
    def hands(self) -> int:
        return len(self._hands)

    def clamp(self, n: int) -> int:
        """The step nearest to it that there is."""
        return min(max(n, 0), self.last)

    def hand_at(self, n: int) -> int:
        """The hand that is under way or was the last, from 1; 0 before the first."""
        return self._frames[n].match.number

    def steps_of(self, hand: int) -> range:
        """The steps of a hand, and for 0 what comes before the first. Raises LookupError where there is no such."""
        if not 0 <= hand <= self.hands:
            raise LookupError(hand)
        starts = [0, *self._hands, self.last + 1]
        return range(starts[hand], starts[hand + 1])

    def next_hand(self, n: int) -> int:
        return self._after(self._hands, n)

    def previous_hand(self, n: int) -> int:
        """The beginning of the hand, or of the one before for who is there."""
        return self._before(self._hands, n)

    def next_pot(self, n: int) -> int:
        return self._after(self._pots, n)

    def previous_pot(self, n: int) -> int:
        return self._before(self._pots, n)

    def _after(self, steps: list[int], n: int) -> int:
        at = bisect_right(steps, n)
        return steps[at] if at < len(steps) else self.last

    def _before(self, steps: list[int], n: int) -> int:
        at = bisect_left(steps, n)
        return steps[at - 1] if at else 0

    def next_change(self, n: int) -> int:
        """The next step at which all could see cards move or be shown, or a seat be struck, lose or win."""

        def lies(step: int) -> tuple[object, ...]:
            view = observe(self._frames[step].match, None)
            return view.origins, view.face_up, view.struck, view.lives, view.points

        found = self._first(range(n + 1, self.last + 1), lambda step: lies(step) != lies(step - 1))
        return self.last if found is None else found

    def find(self, words: str, n: int, viewer: Viewer, lang: str) -> int | None:
        """The next step after n, round by the beginning, of which the viewer is told in these words."""
        sought = words.casefold()

        def is_told(step: int) -> bool:
            return sought in "\n".join(self.told(step, viewer, lang)).casefold()

        return self._first([*range(n + 1, self.last + 1), *range(n + 1)], is_told)

    @staticmethod
    def _first(steps: Iterable[int], holds: Callable[[int], bool]) -> int | None:
        return next((step for step in steps if holds(step)), None)

    # --- what is seen ---------------------------------------------------------------------------------------------

    def view(self, n: int, viewer: Viewer) -> View:
        """The table after the step."""
        match = self._frames[n].match
        view = observe(match, viewer)
        if viewer is not None or match.hand is None:
            return view
        table = match.hand.table
        return replace(view, cards=table.cards(), low_harlekins=table.low_harlekins)

    def move(self, n: int) -> Played | None:
        """The action that the step is; None: a pack that was dealt, the end, or what comes before the first."""
        return self._frames[n].move

    def events(self, n: int, viewer: Viewer) -> tuple[Event, ...]:
        """What happened at the step."""
        events = self._frames[n].events
        return events if viewer is None else tuple(redact(event, viewer) for event in events)

    def told(self, n: int, viewer: Viewer, lang: str, *, to_others: bool = False) -> list[str]:
        """The same in sentences; `to_others`: of what the viewer saw, but not to the viewer as `you`."""
        listener = None if to_others else viewer
        lines: list[str] = []
        move = self._frames[n].move
        if move is not None and move.by is By.CLOCK and move.action in _BY_CLOCK:
            who = Who(self.names[move.seat], lang, is_you=move.seat == listener)
            lines.append(say(lang, _BY_CLOCK[move.action], who=who))
        game = self.header.rules.format
        for event in self.events(n, viewer):
            lines += narrate(event, self.names, lang, listener, game)
        return lines

    def title(self, viewer: Viewer, lang: str) -> list[str]:
        """What is played by whom, and who looks on."""
        rules = self.header.rules
        game = say(
            lang,
            "replay.title",
            id=self.header.id.hex()[:8],
            format=say(lang, f"value.{rules.format.value}"),
            length=say_many(lang, f"replay.{rules.format.value}", rules.pots),
            names=", ".join(self.names),
        )
        lines = [game, self.seen_by(viewer, lang)]
        if self.matches > 1:
            lines.append(say(lang, "replay.matches", number=self.number, matches=self.matches))
        return lines

    def seen_by(self, viewer: Viewer, lang: str) -> str:
        if viewer is None:
            return say(lang, "replay.all_cards")
        return say(lang, "replay.seen_by", who=Who(self.names[viewer], lang, is_you=False))

    def story(self, viewer: Viewer, lang: str, hand: int | None = None) -> Iterator[str]:
        """The whole match, or a hand of it, line by line. Raises LookupError where there is no such hand."""
        if hand is None:
            yield from self.title(viewer, lang)
        for n in range(self.last + 1) if hand is None else self.steps_of(hand):
            if n in self._hands and hand is None:
                yield ""
            yield from self.told(n, viewer, lang)

    def pasted(self, viewer: Viewer, lang: str, hand: int) -> list[str]:
        """A hand to paste in a chat: everybody by name, in lines of 72 columns. Raises LookupError as `steps_of`."""
        lines = [f"Kille: {self.seen_by(viewer, lang)}"]
        for n in self.steps_of(hand):
            lines += self.told(n, viewer, lang, to_others=True)
        return [part for line in lines for part in wrap(line, PASTED_COLUMNS)]

    def model(self, n: int, viewer: Viewer) -> Model:
        """The table as a client at it would know it, for what draws a table."""
        view = self.view(n, viewer)
        seats = tuple(
            wire.SeatState(occupant=wire.Occupant.PERSON, name=name, ready=True, away=None) for name in self.names
        )
        room = wire.RoomState(
            name="",
            options=DEFAULT_OPTIONS,
            host="",
            locked=False,
            status=wire.RoomStatus.PLAYING,
            seats=seats,
            watchers=0,
        )
        turn = None if view.to_act is None else OpenTurn(turn=n, seat=view.to_act, deadline=None)
        return Model(room=room, seat=viewer, returns=(None,) * len(seats), view=view, turn=turn)
