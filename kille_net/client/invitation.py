"""What a client is started with."""

from dataclasses import dataclass, field
from pathlib import Path

from kille_net.bots import Bot
from kille_net.client.net.trust import Trust
from kille_net.client.preferences import Preferences
from kille_net.wire.messages import Options, Quick

__all__ = ["DEFAULT_PORT", "TYPED", "Invitation"]

DEFAULT_PORT = 4747
TYPED = "typed"
"""The file of typed lines, below the user's data folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Where to go, as whom, and what to do there before anything is typed."""

    host: str
    port: int = DEFAULT_PORT
    name: str
    room: str | None = None
    """Entered at once; None: the lobby is shown."""
    create: Options | None = None
    """Make the room, named after the player if `room` is None, with these options."""
    password: str | None = field(default=None, repr=False)
    """The room's."""
    server_password: str | None = field(default=None, repr=False)
    quick: Quick | None = None
    """Sit down where others wait to play such a match soon; its id is nobody's."""
    watch: bool = False
    """Look on instead of taking a seat."""
    private: bool = False
    """Nobody else is on the server: to leave the table is to leave."""
    start: bool = False
    """As host, begin at once."""
    autopilot: Bot | None = None
    """Decides instead of the person; the client leaves when the match is over."""
    plain: bool = False
    """Lines in, lines out, also where there is a terminal."""
    trust: Trust = field(default_factory=Trust)
    lang: str = "en"
    preferences: Preferences = field(default_factory=Preferences)
    returns: bool = False
    """Come back by itself after a lost line."""
    tickets: Path | None = None
    """The folder in which the ticket outlives the client; None: it does not."""
    typed: Path | None = None
    """The file that keeps the lines that are typed; None: they are remembered while the client runs."""
    recent: Path | None = None
    """The file in which the server is remembered as the one that was joined last; None: it is not."""
