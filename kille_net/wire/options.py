"""What a room plays, and how a tournament goes, whose maker says nothing.

For clients that offer it, and for servers that make rooms themselves.
"""

from typing import Final

from kille_net.wire.messages import Coach, Format, Length, Level, Options, Plan, Rank, TournamentKind, Watching

__all__ = ["DEFAULT_OPTIONS", "DEFAULT_PLAN"]

DEFAULT_OPTIONS: Final = Options(
    seats=4,
    format=Format.POTS,
    length=Length.STANDARD,
    dealt_harlekin=Rank.HIGH,
    pots=0,
    computers=0,
    level=Level.CAREFUL,
    clock=60,
    pace=1500,
    window=1500,
    rest=20_000,
    watching=Watching.EVERYONE,
    coach=Coach.ALLOWED,
)

DEFAULT_PLAN: Final = Plan(
    kind=TournamentKind.SWISS,
    options=DEFAULT_OPTIONS,
    rounds=0,
    through=2,
    most=64,
    number=0,
    start=0,
    check_in=0,
    late=2,
    call=30,
    pause=15,
    minutes=60,
    at_once=16,
    duplicate=False,
)
