"""Which tournament is meant where nobody says which, and which there are to choose among.

Owns what each command can be said of. Refuses to know what it then does.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kille_net.client.commands import Verb
from kille_net.client.contest import ENDED, Contest, Part
from kille_net.wire import messages as wire

__all__ = ["SIGNING", "meant", "offered", "takes_entrants"]

SIGNING: Final = frozenset({wire.TournamentStage.OPEN, wire.TournamentStage.CHECK_IN})


def takes_entrants(line: wire.TournamentLine) -> bool:
    """Whether one can sign up for it, as far as the list says."""
    return line.stage in SIGNING or (line.kind is wire.TournamentKind.LADDER and line.stage not in ENDED)


def _is_to_enter(line: wire.TournamentLine) -> bool:
    return takes_entrants(line) and not line.entered


def _is_on(line: wire.TournamentLine) -> bool:
    return line.stage not in ENDED and line.stage not in SIGNING and not line.entered


def _is_not_over(line: wire.TournamentLine) -> bool:
    return line.stage not in ENDED


_FITS: Final[Mapping[Verb, tuple[Callable[[wire.TournamentLine], bool], ...]]] = MappingProxyType(
    {
        Verb.ENTER: (_is_to_enter,),
        Verb.FOLLOW: (_is_on, _is_not_over),
        Verb.BEGIN: (_is_not_over,),
        Verb.CANCEL: (_is_not_over,),
    }
)
"""Of which ones it can be said: the first kind of which there are any. What can be asked for all stands here not."""


def offered(verb: Verb, lines: Sequence[wire.TournamentLine]) -> list[wire.TournamentLine]:
    """Of which of these it can be said."""
    if verb not in _FITS:
        return list(lines)
    fitting = ([line for line in lines if fits(line)] for fits in _FITS[verb])
    return next((found for found in fitting if found), [])


def meant(verb: Verb, known: Contest) -> str:
    """What must be meant; empty: none, or one of several."""
    found = offered(verb, known.listed)
    only = found[0].name if len(found) == 1 else ""
    match verb:
        case Verb.ENTER:
            ours = "" if known.part is Part.KNOCKED_OUT else known.entered
            return ours or known.made or only
        case Verb.FOLLOW:
            return only
        case Verb.BEGIN | Verb.CANCEL:
            return known.made or only
    followed = known.followed[-1] if known.followed else ""
    only_open = known.open[0].name if len(known.open) == 1 else ""
    return known.entered or followed or known.made or known.last or only or only_open
