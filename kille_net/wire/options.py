"""What a room plays whose maker says nothing: for clients that offer it, and for servers that make rooms themselves."""

from typing import Final

from kille_net.wire.messages import Coach, Format, Length, Level, Options, Rank, Watching

__all__ = ["DEFAULT_OPTIONS"]

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
