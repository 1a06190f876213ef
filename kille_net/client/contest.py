"""What the client knows of tournaments: a value that each message of the server turns into the next.

Owns which there are, which one we take part in and how it is there with us, and which we follow. Texts are cleaned
here. Refuses to know words, and what goes on at a table.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import msgspec

from kille_net.wire import messages as wire
from kille_net.wire.text import name_key, safe_text

__all__ = ["ENDED", "Contest", "Part", "Since", "granted", "heard", "is_table", "left_table", "listed", "stood"]

_NAME_CELLS: Final = 32
_MOST_LISTED: Final = 200
_MOST_FOLLOWED: Final = 16
ENDED: Final = frozenset({wire.TournamentStage.OVER, wire.TournamentStage.CANCELLED})


class Part(Enum):
    """How it is with us in the tournament that we take part in; the texts are `part.…`."""

    SIGNED_UP = "signed_up"
    CHECK_IN = "check_in"
    """We have to say that we are there."""
    CHECKED_IN = "checked_in"
    BEGAN = "began"
    """It has begun, or a round has, of which we do not know more."""
    CALLED = "called"
    """To a table."""
    BYE = "bye"
    DONE = "done"
    """Our table is; others still play."""
    PAUSE = "pause"
    """Until the next round."""
    KNOCKED_OUT = "knocked_out"
    """We only hear how it goes on."""


class Since(Enum):
    """When standings are as they are, of a round; the texts are `standings_…`."""

    DURING = "during"
    AFTER = "title"
    OVER = "over"
    SO_FAR = "so_far"
    """It is not known whether the round is over."""


_NOT_PLAYING: Final = frozenset({Part.SIGNED_UP, Part.CHECK_IN, Part.CHECKED_IN, Part.KNOCKED_OUT})
_PARTS: Final = {
    wire.TournamentStage.OPEN: (Part.SIGNED_UP,),
    wire.TournamentStage.CHECK_IN: (Part.CHECK_IN, Part.CHECKED_IN),
    wire.TournamentStage.PLAYING: (Part.BEGAN, Part.CALLED, Part.BYE, Part.DONE),
    wire.TournamentStage.BETWEEN: (Part.PAUSE,),
}
"""Which can be at that stage of the tournament, the one first of which we know no better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    listed: tuple[wire.TournamentLine, ...] = ()
    """As the server had them last."""
    listed_at: float = 0.0
    """When that was, by the clock of `now`."""
    entered: str = ""
    """The one that we take part in; empty: none."""
    followed: tuple[str, ...] = ()
    made: str = ""
    """The one that we have made last, while it is not over."""
    last: str = ""
    """Which of these was over last."""
    part: Part = Part.SIGNED_UP
    round: int = 0
    table: int = 0
    room: str = ""
    """The table that we were called to last; empty: to none."""
    until: float | None = None
    """When what follows comes, by the clock of `now`; None: not known."""

    @property
    def is_on(self) -> bool:
        """Whether ours is being played."""
        return bool(self.entered) and self.part not in _NOT_PLAYING

    @property
    def is_ladder(self) -> bool:
        return self.kind_of(self.entered) is wire.TournamentKind.LADDER

    @property
    def is_to_begin(self) -> bool:
        """Whether ours has not begun."""
        return bool(self.entered) and self.part in _NOT_PLAYING - {Part.KNOCKED_OUT}

    @property
    def open(self) -> tuple[wire.TournamentLine, ...]:
        """Those that are not over."""
        return tuple(line for line in self.listed if line.stage not in ENDED)

    def named(self, name: str) -> str:
        """Its name as the server has it, or what was said."""
        key = name_key(name)
        known = [*(line.name for line in self.listed), self.entered, *self.followed, self.made, self.last]
        return next((one for one in known if one and name_key(one) == key), name)

    def since(self, name: str, round_: int) -> Since:
        """What is known of that round of a tournament, its last one: only news keeps it up to date."""
        line = next((line for line in self.listed if line.name == name), None)
        if line is not None and line.stage is wire.TournamentStage.OVER:
            return Since.OVER
        if line is None or line.round != round_ or name not in {self.entered, *self.followed}:
            return Since.SO_FAR
        return _SINCE.get(line.stage, Since.SO_FAR)

    def starts_at(self, name: str) -> float | None:
        """When it begins, by the clock of `now`; None: not at a time, or that is not known."""
        line = next((line for line in self.listed if line.name == name), None)
        return None if line is None or line.starts is None else self.listed_at + line.starts

    def kind_of(self, name: str) -> wire.TournamentKind | None:
        return next((line.kind for line in self.listed if line.name == name), None)


_SINCE: Final = {
    wire.TournamentStage.PLAYING: Since.DURING,
    wire.TournamentStage.BETWEEN: Since.AFTER,
}
_BEGUN: Final = frozenset({wire.TournamentStage.PLAYING, wire.TournamentStage.BETWEEN})
_STAGES: Final = {
    wire.Happening.CHECK_IN: wire.TournamentStage.CHECK_IN,
    wire.Happening.BEGAN: wire.TournamentStage.PLAYING,
    wire.Happening.ROUND: wire.TournamentStage.PLAYING,
    wire.Happening.CALLED: wire.TournamentStage.PLAYING,
    wire.Happening.ROUND_OVER: wire.TournamentStage.BETWEEN,
}
"""What happens → at which stage the tournament is from then on."""


def listed(contest: Contest, message: wire.Tournaments, now: float) -> Contest:
    """A page of the list has come."""
    page = tuple(msgspec.structs.replace(line, name=_name(line.name)) for line in message.tournaments)
    lines = page if message.page == 0 else (*contest.listed, *page)[:_MOST_LISTED]
    lines = tuple(sorted(lines, key=_in_order))
    contest = replace(contest, listed=lines, listed_at=now)
    if contest.part is Part.KNOCKED_OUT and contest.entered in {line.name for line in contest.open}:
        return contest
    ours = next((line for line in lines if line.entered and line.stage not in ENDED), None)
    if ours is None:
        return replace(contest, entered="") if message.page + 1 >= message.pages else contest
    parts = _PARTS[ours.stage]
    is_same_round = ours.round == contest.round or ours.kind is wire.TournamentKind.LADDER  # which pairs all the time
    is_known = contest.entered == ours.name and contest.part in parts and is_same_round
    if is_known and ours.starts is None:
        return contest
    part = contest.part if is_known else parts[0]
    until = None if ours.starts is None else now + ours.starts
    return replace(contest, entered=ours.name, part=part, until=until, round=ours.round)


def granted(contest: Contest, command: wire.Command | None) -> Contest:
    """The server has done what we asked for."""
    match command:
        case wire.OpenTournament():
            return replace(contest, made=_name(command.tournament))
        case wire.SignUp():
            name = contest.named(_name(command.tournament))
            if contest.entered == name:
                return contest
            until = contest.starts_at(name)
            return replace(contest, entered=name, part=Part.SIGNED_UP, until=until, round=0, table=0, room="")
        case wire.Withdraw():
            return _out(contest, contest.entered)
        case wire.CheckIn():
            return replace(contest, part=Part.CHECKED_IN) if contest.part is Part.CHECK_IN else contest
        case wire.Follow():
            name = contest.named(_name(command.tournament))
            others = tuple(one for one in contest.followed if one != name)
            return replace(contest, followed=(*others, name)[-_MOST_FOLLOWED:] if command.on else others)
    return contest


def heard(contest: Contest, message: wire.TournamentNews, own: str, now: float) -> Contest:
    """Something has happened in a tournament; `own`: what we are called."""
    name = _name(message.tournament)
    contest = _noted(contest, message, name)
    until = now + message.s if message.s else None
    happening = message.news
    is_us = _name(message.who) == own
    match happening:
        case wire.Happening.OVER | wire.Happening.CANCELLED:
            is_over = happening is wire.Happening.OVER
            return _over(contest, name, wire.TournamentStage.OVER if is_over else wire.TournamentStage.CANCELLED)
        case wire.Happening.WITHDREW | wire.Happening.DROPPED_OUT if is_us:
            return _out(contest, name)
        case wire.Happening.SIGNED_UP if is_us and contest.entered != name:
            return replace(contest, entered=name, part=Part.SIGNED_UP, until=until, round=0, table=0, room="")
        case wire.Happening.CALLED:
            return replace(
                contest,
                entered=name,
                part=Part.CALLED,
                until=until,
                round=message.round,
                table=message.table,
                room=_name(message.room),
            )
        case wire.Happening.BYE:
            return replace(contest, entered=name, part=Part.BYE, until=None, round=message.round, table=0, room="")
    if contest.entered != name or contest.part is Part.KNOCKED_OUT:
        return contest
    match happening:
        case wire.Happening.CHECK_IN:
            return replace(contest, part=Part.CHECK_IN, until=until)
        case wire.Happening.BEGAN:
            return replace(contest, part=Part.BEGAN, until=until)
        case wire.Happening.ROUND if contest.round != message.round or contest.part is Part.PAUSE:
            return replace(contest, part=Part.BEGAN, round=message.round, table=0, room="", until=None)
        case wire.Happening.ROUND_OVER if contest.part is not Part.CALLED:
            return replace(contest, part=Part.PAUSE, round=message.round, table=0, room="", until=until)
    return contest


def _in_order(line: wire.TournamentLine) -> int:
    """First what one can still sign up for, last what is over."""
    if line.stage in ENDED:
        return 2
    return int(line.stage in _BEGUN and line.kind is not wire.TournamentKind.LADDER)


def _noted(contest: Contest, message: wire.TournamentNews, name: str) -> Contest:
    """The list as it would be now."""
    stage = _STAGES.get(message.news)
    if stage is None:
        return contest
    lines = tuple(
        msgspec.structs.replace(line, stage=stage, round=max(line.round, message.round)) if line.name == name else line
        for line in contest.listed
    )
    return replace(contest, listed=lines)


def stood(contest: Contest, message: wire.Standings, own: str) -> Contest:
    """How they stand tells who is knocked out."""
    is_out = any(row.status is wire.EntryStatus.KNOCKED_OUT and _name(row.name) == own for row in message.standings)
    if not is_out or contest.entered != _name(message.tournament):
        return contest
    return replace(contest, part=Part.KNOCKED_OUT, until=None, table=0, room="")


def left_table(contest: Contest) -> Contest:
    """The table that we were called to is done."""
    if contest.part is not Part.CALLED:
        return contest
    return replace(contest, part=Part.DONE, room="", until=None)


def is_table(room: wire.RoomState) -> bool:
    """Whether it is a tournament's: only there nobody is host though no seat is empty (§6.13)."""
    return not room.host and all(seat.occupant is not wire.Occupant.EMPTY for seat in room.seats)


def _over(contest: Contest, name: str, stage: wire.TournamentStage) -> Contest:
    last = name if name in {contest.entered, *contest.followed} else contest.last
    others = tuple(one for one in contest.followed if one != name)
    made = "" if contest.made == name else contest.made
    lines = tuple(msgspec.structs.replace(line, stage=stage) if line.name == name else line for line in contest.listed)
    return replace(_out(contest, name), followed=others, made=made, last=last, listed=lines)


def _out(contest: Contest, name: str) -> Contest:
    """We take part in it no more."""
    if contest.entered != name:
        return contest
    return replace(contest, entered="", last=name, part=Part.SIGNED_UP, round=0, table=0, room="", until=None)


def _name(name: str) -> str:
    return safe_text(name, _NAME_CELLS)
