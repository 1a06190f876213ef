"""Every message of protocol version 1 as a typed struct (protocol/v1/protocol.md §5 to §8).

Owns the names, fields and limits of what may be said. Refuses to know the game: cards, seats and actions are
plain numbers and words here, and `translate` alone gives them a meaning.
"""

from enum import StrEnum
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

VERSIONS: Final = (1,)
"""The protocol versions that this package speaks, ascending (§4)."""

U32: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Seat: TypeAlias = Annotated[int, Meta(ge=0, le=7)]
SeatSet: TypeAlias = Annotated[int, Meta(ge=0, le=255)]
"""A set of seats: bit k stands for seat k."""
ActionSet: TypeAlias = Annotated[int, Meta(ge=0, le=127)]
"""A set of actions: bits 0 to 6 are the words of `Do`, in their order."""
Card: TypeAlias = Annotated[int, Meta(ge=0, le=20)]
"""A card in the order of rule P5."""
HiddenCard: TypeAlias = Card | None
"""None: a card that the receiver may not know, or no card at all; one byte like any card."""
Lives: TypeAlias = Annotated[int, Meta(ge=0, le=99)]
PerSeat: TypeAlias = Annotated[tuple[Lives, ...], Meta(min_length=2, max_length=8)]
FlagPerSeat: TypeAlias = Annotated[tuple[bool, ...], Meta(min_length=2, max_length=8)]
"""What may be hidden is told so, and not as a set of seats, whose width is that of its number."""
CardPerSeat: TypeAlias = Annotated[tuple[HiddenCard, ...], Meta(min_length=2, max_length=8)]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=16)]
Agent: TypeAlias = Annotated[str, Meta(max_length=64)]
Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
Password: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Ticket: TypeAlias = Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
"""The secret that an identity is known by: 32 random bytes in hexadecimal (§4.5)."""
MatchId: TypeAlias = Annotated[str, Meta(min_length=32, max_length=32, pattern="^[0-9a-f]{32}$")]
"""16 bytes in hexadecimal, as in a record."""
Bytes32: TypeAlias = Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal: a secret, a nonce, or the digest of one."""
Bytes32PerSeat: TypeAlias = Annotated[tuple[Bytes32 | None, ...], Meta(min_length=2, max_length=8)]
VersionNumber: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]
VersionList: TypeAlias = Annotated[tuple[VersionNumber, ...], Meta(min_length=1, max_length=16)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=0, le=3_600_000)]


class Format(StrEnum):
    POTS = "pots"
    STICKS = "sticks"


class Length(StrEnum):
    SHORT = "short"
    STANDARD = "standard"
    LONG = "long"


class Rank(StrEnum):
    """How a dealt Harlekin counts (rule H4)."""

    HIGH = "high"
    LOW = "low"


class Level(StrEnum):
    """The built-in players, weakest first."""

    RANDOM = "random"
    EASY = "easy"
    CAREFUL = "careful"
    SHARP = "sharp"
    DEEP = "deep"


class Do(StrEnum):
    """What a seat may do; the order gives the bits of `ActionSet`."""

    STAND = "stand"
    SWAP = "swap"
    KUKU = "kuku"
    ASK = "ask"
    ACCEPT = "accept"
    REFUSE = "refuse"
    DEPENDS = "depends"


DECISIONS: Final = frozenset(Do) - {Do.KUKU}
"""What may answer a question: Kuku has a message of its own, which needs no question."""
REPLIES: Final = frozenset({Do.ACCEPT, Do.REFUSE, Do.DEPENDS})
"""What may answer an ask for better cards."""


class Phase(StrEnum):
    """What a hand waits for."""

    DEAL = "deal"
    TURN = "turn"
    ASKED = "asked"
    MIDDLE = "middle"
    OVER = "over"


class Deed(StrEnum):
    """What a seat has done with its turn in this hand."""

    WAITS = "waits"
    STOOD = "stood"
    SWAPPED = "swapped"
    DREW = "drew"
    REFUSED = "refused"
    PASSED_OVER = "passed_over"


class RedealReason(StrEnum):
    """Why the cards are dealt again in the same hand (rules F4, F5, G3)."""

    AGREED = "agreed"
    HARLEKIN = "harlekin"
    TIE = "tie"


class Occupant(StrEnum):
    EMPTY = "empty"
    PERSON = "person"
    BOT = "bot"
    COMPUTER = "computer"


class RoomStatus(StrEnum):
    OPEN = "open"
    GATHERING = "gathering"
    """Its first match begins by itself when its time is over, with computers for whoever is missing."""
    PLAYING = "playing"
    PAUSED = "paused"


class Watching(StrEnum):
    """Who may watch a room."""

    EVERYONE = "everyone"
    OPEN = "open"
    """Everyone, and they see each hand with open cards, one hand late (§6.8)."""
    NOBODY = "nobody"


class Coach(StrEnum):
    """Whether clients may tell their players what the odds are. Nobody can enforce it."""

    ALLOWED = "allowed"
    OFF = "off"


class News(StrEnum):
    """What changed a room."""

    CREATED = "created"
    JOINED = "joined"
    WATCHES = "watches"
    LEFT = "left"
    LOST = "lost"
    BACK = "back"
    KICKED = "kicked"
    READY = "ready"
    NOT_READY = "not_ready"
    COMPUTER_ADDED = "computer_added"
    COMPUTER_REMOVED = "computer_removed"
    STAND_IN = "stand_in"
    HOST = "host"
    STARTED = "started"
    PAUSED = "paused"
    RESUMED = "resumed"
    ENDED = "ended"
    FAILED = "failed"
    CLOSED = "closed"
    TABLE_OVER = "table_over"
    """The table of a tournament is done."""


GONE: Final = frozenset({News.FAILED, News.CLOSED, News.TABLE_OVER})
"""News after which there is no room any more."""


class ByeCode(StrEnum):
    """Why a connection ends; the first eight are faults in what the other side sent."""

    FRAME_TOO_BIG = "frame_too_big"
    FRAME_EMPTY = "frame_empty"
    BAD_ENCODING = "bad_encoding"
    TOO_COMPLEX = "too_complex"
    BAD_MESSAGE = "bad_message"
    BAD_FIELD = "bad_field"
    UNEXPECTED = "unexpected"
    UNSUPPORTED_VERSION = "unsupported_version"
    BAD_NAME = "bad_name"
    NAME_TAKEN = "name_taken"
    NEEDS_TLS = "needs_tls"
    BAD_TICKET = "bad_ticket"
    WRONG_PASSWORD = "wrong_password"
    BANNED = "banned"
    BUSY = "busy"
    TOO_SLOW = "too_slow"
    SILENT = "silent"
    FLOOD = "flood"
    REPLACED = "replaced"
    KICKED = "kicked"
    SHUTTING_DOWN = "shutting_down"
    INTERNAL = "internal"
    DONE = "done"


class RefusalCode(StrEnum):
    """Why a command was refused; nothing changed."""

    WRONG_PLACE = "wrong_place"
    NO_SUCH_ROOM = "no_such_room"
    ROOM_FULL = "room_full"
    ROOM_EXISTS = "room_exists"
    TOO_MANY_ROOMS = "too_many_rooms"
    WRONG_PASSWORD = "wrong_password"
    WATCHING_CLOSED = "watching_closed"
    BAD_NAME = "bad_name"
    NOT_HOST = "not_host"
    NOT_FULL = "not_full"
    NO_SUCH_SEAT = "no_such_seat"
    PLAYING = "playing"
    NOT_PLAYING = "not_playing"
    PAUSED = "paused"
    TOO_FAST = "too_fast"
    OLD_TURN = "old_turn"
    ALREADY_ANSWERED = "already_answered"
    OVERTAKEN = "overtaken"
    NOT_IN_HAND = "not_in_hand"
    NOT_YOUR_TURN = "not_your_turn"
    NOT_ASKED = "not_asked"
    MUST_ANSWER = "must_answer"
    WRONG_ANSWER = "wrong_answer"
    CANNOT_ASK = "cannot_ask"
    NO_KUKU = "no_kuku"
    NO_HAND = "no_hand"
    OLD_ID = "old_id"
    NOT_SHUFFLING = "not_shuffling"
    WRONG_NONCE = "wrong_nonce"
    CANNOT_SAVE = "cannot_save"
    SHUTTING_DOWN = "shutting_down"
    NO_SUCH_TOURNAMENT = "no_such_tournament"
    TOURNAMENT_EXISTS = "tournament_exists"
    TOO_MANY_TOURNAMENTS = "too_many_tournaments"
    TOURNAMENT_FULL = "tournament_full"
    BAD_PLAN = "bad_plan"
    ALREADY_ENTERED = "already_entered"
    NOT_ENTERED = "not_entered"
    TOO_EARLY = "too_early"
    TOO_LATE = "too_late"
    NOT_MAKER = "not_maker"
    ONLY_BOTS = "only_bots"


class NoticeCode(StrEnum):
    """What a server has to say to all of its players."""

    ANNOUNCE = "announce"
    """Whoever runs it says something."""
    DRAINING = "draining"
    """It stops soon."""
    CANNOT_SAVE = "cannot_save"
    """It cannot save what happens, and everything waits…"""
    SAVING_AGAIN = "saving_again"
    """…until now."""


class TournamentKind(StrEnum):
    ROUND_ROBIN = "round_robin"
    """Everybody meets everybody, as evenly as can be."""
    SWISS = "swiss"
    """Every round, those of like scores meet who have not met."""
    KNOCK_OUT = "knock_out"
    LADDER = "ladder"
    """Open: pairs whoever is free."""


class TournamentStage(StrEnum):
    OPEN = "open"
    """Whoever wants signs up."""
    CHECK_IN = "check_in"
    """Persons say that they are there."""
    PLAYING = "playing"
    BETWEEN = "between"
    """The next round comes after a pause."""
    OVER = "over"
    CANCELLED = "cancelled"


class EntryStatus(StrEnum):
    """How it is with who has signed up."""

    SIGNED_UP = "signed_up"
    CHECKED_IN = "checked_in"
    PLAYING = "playing"
    OUT = "out"
    """Withdrew, dropped out or was not there at the start: its results stand."""
    KNOCKED_OUT = "knocked_out"


class TableStatus(StrEnum):
    WAITING = "waiting"
    """For a place of its own."""
    CALLED = "called"
    """Its players are awaited, or play."""
    PLAYED = "played"
    WALKOVER = "walkover"
    """Only one came, who has won."""
    VOID = "void"
    """Nobody came, or it ended before it said anything."""
    BYE = "bye"
    """No table: this one sits out."""


class Happening(StrEnum):
    """What has happened in a tournament."""

    SIGNED_UP = "signed_up"
    WITHDREW = "withdrew"
    DROPPED_OUT = "dropped_out"
    CHECK_IN = "check_in"
    """The check-in begins: it lasts so long."""
    BEGAN = "began"
    ROUND = "round"
    """A round begins; of a duplicate one the text is the digest of its seed."""
    CALLED = "called"
    """To one: your table, whose match begins after so long at the latest."""
    BYE = "bye"
    """To one: you sit out."""
    TABLE_OVER = "table_over"
    ROUND_OVER = "round_over"
    """The next begins after so long; of a duplicate one the text is its seed."""
    OVER = "over"
    CANCELLED = "cancelled"
    """The text is why."""


class Resumed(StrEnum):
    """Where a resumed identity is."""

    NO = "no"
    """Nowhere: it is a new one."""
    LOBBY = "lobby"
    ROOM = "room"


_SECRETS = frozenset({"nonce", "password", "secret", "ticket"})
"""Fields that are never shown."""


class Message(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="t", gc=False):
    """What every message has: a tag in the field `t`, and no field that is not named here."""

    def __repr__(self) -> str:
        """Without what is secret, so that no log and no traceback shows it."""
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__)
        shown = (f"{n}={'<redacted>' if n in _SECRETS and value is not None else repr(value)}" for n, value in fields)
        return f"{type(self).__name__}({', '.join(shown)})"


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A map inside a message."""


# --- parts -----------------------------------------------------------------------------------------------------


class Options(Part, frozen=True, kw_only=True):
    """What a room plays and how fast (§6.2). All fields are always written."""

    seats: Annotated[int, Meta(ge=2, le=8)]
    format: Format
    length: Length
    dealt_harlekin: Rank
    pots: Annotated[int, Meta(ge=0, le=99)]
    """The number of pots or partier; 0: the table of rule F2."""
    computers: Annotated[int, Meta(ge=0, le=7)]
    """How many seats, from seat 1 on, are given to computers as the room is made."""
    level: Level
    clock: Annotated[int, Meta(ge=0, le=600)]
    """Seconds for a decision; 0: no clock."""
    pace: Annotated[int, Meta(ge=0, le=10_000)]
    """Milliseconds, about, that a computer takes for a move, when a person is seated."""
    window: Annotated[int, Meta(ge=0, le=10_000)]
    """Milliseconds in which Kuku may be called after every event that changes the table, when a person is seated."""
    rest: Annotated[int, Meta(ge=0, le=60_000)]
    """Milliseconds that a table waits at most, between a showdown and the next deal, for the persons who are here."""
    watching: Watching
    coach: Coach


class Plan(Part, frozen=True, kw_only=True):
    """How a tournament goes (§6.13). All fields are always written."""

    kind: TournamentKind
    options: Options
    """Of its tables: `seats` is how many each has at most, `computers` how many computers take part."""
    rounds: Annotated[int, Meta(ge=0, le=99)]
    """0: as many as the kind needs. On a ladder, how many tables each may play; 0: any number."""
    through: Annotated[int, Meta(ge=1, le=4)]
    """How many go on from each table of a knock-out."""
    most: Annotated[int, Meta(ge=2, le=64)]
    """Entrants, computers among them."""
    number: Annotated[int, Meta(ge=0, le=64)]
    """Begins when so many have signed up; 0: not by number."""
    start: Annotated[int, Meta(ge=0, le=604_800)]
    """Seconds from its making to its start; 0: not by time."""
    check_in: Annotated[int, Meta(ge=0, le=3600)]
    """Seconds before the start in which persons say that they are there; 0: nobody has to."""
    late: Annotated[int, Meta(ge=0, le=99)]
    """The last round that one may still enter for; 0: nobody enters late."""
    call: Annotated[int, Meta(ge=5, le=600)]
    """Seconds that a table waits for its players."""
    pause: Annotated[int, Meta(ge=0, le=3600)]
    """Seconds between two rounds."""
    minutes: Annotated[int, Meta(ge=1, le=600)]
    """After which a table is broken off."""
    at_once: Annotated[int, Meta(ge=1, le=32)]
    """Tables that are played at a time."""
    duplicate: bool
    """Whether all tables of a round have the same packs."""


class SeatState(Part, frozen=True, kw_only=True):
    occupant: Occupant
    name: Annotated[str, Meta(max_length=16)]
    """Empty for an empty seat."""
    ready: bool
    away: Milliseconds | None
    """How long until a computer plays for who is away, or the seat is freed, 0: a computer plays; of an empty seat of a
    table that gathers until a computer takes it. None: nobody is waited for."""


class RoomState(Part, frozen=True, kw_only=True):
    """A room as everyone in it sees it."""

    name: Name
    options: Options
    host: Annotated[str, Meta(max_length=16)]
    """The name of the host; empty while there is none."""
    locked: bool
    status: RoomStatus
    seats: Annotated[tuple[SeatState, ...], Meta(min_length=2, max_length=8)]
    watchers: Annotated[int, Meta(ge=0, le=10_000)]


class RoomLine(Part, frozen=True, kw_only=True):
    """A room as the lobby lists it."""

    name: Name
    seats: Annotated[int, Meta(ge=2, le=8)]
    taken: Annotated[int, Meta(ge=0, le=8)]
    format: Format
    length: Length
    locked: bool
    status: RoomStatus
    watching: Watching


class TournamentLine(Part, frozen=True, kw_only=True):
    """A tournament as it is listed."""

    name: Name
    kind: TournamentKind
    seats: Annotated[int, Meta(ge=2, le=8)]
    stage: TournamentStage
    entrants: Annotated[int, Meta(ge=0, le=64)]
    """Who takes part."""
    most: Annotated[int, Meta(ge=2, le=64)]
    round: U32
    rounds: U32
    """0: not known, or without end."""
    starts: Annotated[int, Meta(ge=0, le=604_800)] | None
    """In so many seconds; None: not by time."""
    duplicate: bool
    entered: bool
    """Whether the asker takes part."""


class StandingLine(Part, frozen=True, kw_only=True):
    rank: Annotated[int, Meta(ge=1, le=10_000)]
    name: Name
    occupant: Occupant
    status: EntryStatus
    score: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
    """840 a point; on a ladder hundredths of its cautious rating."""
    played: U32
    """Tables."""
    wins: U32
    opponents: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
    """The sum of their scores."""
    margin: U32 | None
    """Of the mean score of a table, either way, with a confidence of 95 %: 840 a point; on a ladder that of the rating.
    None: fewer than five tables."""
    plain_margin: U32 | None
    """What that would be without duplicates."""


class TableLine(Part, frozen=True, kw_only=True):
    number: U32
    """0: a bye."""
    status: TableStatus
    room: Annotated[str, Meta(max_length=16)]
    """Its room, while there is one."""
    seats: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=8)]
    places: Annotated[tuple[Annotated[int, Meta(ge=0, le=8)], ...], Meta(max_length=8)]
    """By seat, when it is over: from 1; 0: none."""


class Rules(Part, frozen=True, kw_only=True):
    """What a match is played by (§7.1)."""

    format: Format
    length: Length
    dealt_harlekin: Rank
    pots: Annotated[int, Meta(ge=1, le=99)]
    """Pots or partier of this match."""


class View(Part, frozen=True, kw_only=True):
    """All that one seat, or a spectator, may know of a match (§7.3)."""

    rules: Rules
    seat: Seat | None
    """Whose view; None: a spectator's."""
    hand: U32
    """Counts the hands of the match from 1; 0: none has begun."""
    pot: U32 | None
    """Counts pots or partier from 1; None: the slutspel."""
    dealer: Seat
    lives: PerSeat
    points: PerSeat
    phase: Phase
    to_act: Seat | None
    cards: CardPerSeat
    """Per seat the card that it holds, as far as the viewer knows it: its own, those face up, those that passed through
    its hands."""
    origins: Annotated[tuple[Annotated[int, Meta(ge=0, le=8)] | None, ...], Meta(min_length=2, max_length=8)]
    """Per seat the seat that its card was dealt to; the number of seats: drawn from the talon; None: no card. Known to
    all."""
    face_up: SeatSet
    low: FlagPerSeat
    """Per seat whether its Harlekin, known to the viewer, counts as low."""
    struck: SeatSet
    deeds: Annotated[tuple[Deed, ...], Meta(min_length=2, max_length=8)]
    beside: Annotated[tuple[Card, ...], Meta(max_length=5)]
    """The matadors drawn from the talon in this hand, in order (rule D6): four are laid aside at most (D5), and
    one ends the round."""
    gone: Annotated[tuple[Card, ...], Meta(max_length=22)]
    """Cards that the viewer knows to be out of the seats' hands: given for what was drawn or dealt again. A duel throws
    20 times at most until it is reshuffled, each time the viewer's own card, and the two Harlekins are shown."""
    asks: U32
    """Asks for better cards that were accepted in this hand."""
    can_ask: bool
    """Whether the first to speak may still ask in this hand (rules F4, G3)."""


class Move(Part, frozen=True, kw_only=True):
    """What a seat did in a hand that is over, and what came of it."""

    seat: Seat
    do: Do
    target: Annotated[int, Meta(ge=0, le=8)] | None
    """The seat that it swapped with; the number of seats: it drew from the talon; None: no card of its own moved."""
    cards: CardPerSeat
    """What each seat held after it."""


# --- both ways ---------------------------------------------------------------------------------------------------


class Ping(Message, frozen=True, kw_only=True, tag="ping"):
    n: U32


class Pong(Message, frozen=True, kw_only=True, tag="pong"):
    n: U32
    """The number of the ping that it answers."""


class Bye(Message, frozen=True, kw_only=True, tag="bye"):
    """The last message of a connection. Frozen for all versions (§4)."""

    code: ByeCode
    place: Annotated[str, Meta(max_length=64)]
    """Where in the other side's frame the fault is; empty where that means nothing."""
    versions: VersionList
    """The versions that the sender speaks."""


# --- client to server --------------------------------------------------------------------------------------------


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first message of a client. Frozen for all versions (§4)."""

    versions: VersionList
    agent: Agent
    name: Annotated[str, Meta(max_length=64)]
    """What the player wants to be called; checked by the server, which answers `bye bad_name` or `name_taken`."""
    bot: bool
    """Whether a program decides. Believed: it sets only whether a room takes its time, and who hosts."""
    ticket: Ticket | None
    """Of the identity to be resumed, whose name counts then; None: a new one."""
    password: Password | None
    """The server's, where it has one; ignored elsewhere."""


class ListRooms(Message, frozen=True, kw_only=True, tag="rooms"):
    id: U32
    page: Annotated[int, Meta(ge=0, le=1000)]


class Create(Message, frozen=True, kw_only=True, tag="create"):
    id: U32
    room: Annotated[str, Meta(max_length=64)]
    options: Options
    password: Password | None


class Join(Message, frozen=True, kw_only=True, tag="join"):
    id: U32
    room: Annotated[str, Meta(max_length=64)]
    password: Password | None


class Quick(Message, frozen=True, kw_only=True, tag="quick"):
    """Sit down at any table that gathers and is so, or at a new one (§6.12); None: however it is."""

    id: U32
    seats: Annotated[int, Meta(ge=2, le=8)] | None
    format: Format | None
    length: Length | None


class Watch(Message, frozen=True, kw_only=True, tag="watch"):
    id: U32
    room: Annotated[str, Meta(max_length=64)]
    password: Password | None


class Leave(Message, frozen=True, kw_only=True, tag="leave"):
    """Leave the room for good; not the same as a lost line."""

    id: U32


class Ready(Message, frozen=True, kw_only=True, tag="ready"):
    id: U32
    ready: bool


class Start(Message, frozen=True, kw_only=True, tag="start"):
    id: U32


class Pause(Message, frozen=True, kw_only=True, tag="pause"):
    id: U32
    paused: bool


class AddComputers(Message, frozen=True, kw_only=True, tag="add"):
    id: U32
    count: Annotated[int, Meta(ge=1, le=7)]
    level: Level


class RemoveComputer(Message, frozen=True, kw_only=True, tag="remove"):
    id: U32
    seat: Seat


class Kick(Message, frozen=True, kw_only=True, tag="kick"):
    id: U32
    seat: Seat


class Decide(Message, frozen=True, kw_only=True, tag="act"):
    """The answer to the question `turn`."""

    id: U32
    turn: U32
    do: Do
    """One of `DECISIONS`."""

    def __post_init__(self) -> None:
        if self.do not in DECISIONS:
            raise ValueError("not one of DECISIONS - at `$.do`")


class CallKuku(Message, frozen=True, kw_only=True, tag="kuku"):
    """Call one's Kuku, at any moment (rule M7)."""

    id: U32
    seq: U32
    """The last event that the caller has seen: one from before the last deal, or to come, is refused (§7.7)."""


class CommitNonce(Message, frozen=True, kw_only=True, tag="commit"):
    """This seat's nonce for the shuffle of the match is drawn, and this is its digest (§7.8)."""

    id: U32
    match: MatchId
    commit: Bytes32


class RevealNonce(Message, frozen=True, kw_only=True, tag="reveal"):
    """The nonce of the digest that was sent (§7.8)."""

    id: U32
    match: MatchId
    nonce: Bytes32


class NextHand(Message, frozen=True, kw_only=True, tag="next"):
    """As far as this seat is concerned, the next hand may come (§7.9)."""

    id: U32
    hand: U32
    """The one that has ended."""


class Say(Message, frozen=True, kw_only=True, tag="say"):
    id: U32
    text: Text


class ListTournaments(Message, frozen=True, kw_only=True, tag="tournaments"):
    id: U32
    page: Annotated[int, Meta(ge=0, le=1000)]


class OpenTournament(Message, frozen=True, kw_only=True, tag="tournament"):
    """Make one, and open it for signing up."""

    id: U32
    tournament: Annotated[str, Meta(max_length=64)]
    plan: Plan


class SignUp(Message, frozen=True, kw_only=True, tag="sign_up"):
    id: U32
    tournament: Annotated[str, Meta(max_length=64)]


class Withdraw(Message, frozen=True, kw_only=True, tag="withdraw"):
    """From the tournament that the player takes part in."""

    id: U32


class CheckIn(Message, frozen=True, kw_only=True, tag="check_in"):
    """The player is there, and wants to play on."""

    id: U32


class BeginTournament(Message, frozen=True, kw_only=True, tag="begin"):
    id: U32
    tournament: Annotated[str, Meta(max_length=64)]


class CancelTournament(Message, frozen=True, kw_only=True, tag="cancel"):
    id: U32
    tournament: Annotated[str, Meta(max_length=64)]


class AskStandings(Message, frozen=True, kw_only=True, tag="standings"):
    id: U32
    tournament: Annotated[str, Meta(max_length=64)]
    page: Annotated[int, Meta(ge=0, le=1000)]


class AskTables(Message, frozen=True, kw_only=True, tag="tables"):
    id: U32
    tournament: Annotated[str, Meta(max_length=64)]
    round: U32
    """0: the last one that is known."""
    page: Annotated[int, Meta(ge=0, le=1000)]


class Follow(Message, frozen=True, kw_only=True, tag="follow"):
    """Hear what happens in it, without taking part."""

    id: U32
    tournament: Annotated[str, Meta(max_length=64)]
    on: bool


# --- server to client: answers -----------------------------------------------------------------------------------


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The first message of a server. Frozen for all versions (§4)."""

    version: VersionNumber
    agent: Agent
    name: Name
    """What the player is called here."""
    settings: Annotated[dict[Annotated[str, Meta(max_length=32)], U32], Meta(max_length=32)]
    """The limits that concern a client (§9)."""
    ticket: Ticket | None
    """Resumes this identity after a lost line; None: the server keeps nothing for those who are lost."""
    resumed: Resumed
    last_id: U32
    """The highest id of a command that the server has had from this identity; 0: none."""


class Ok(Message, frozen=True, kw_only=True, tag="ok"):
    id: U32


class Refused(Message, frozen=True, kw_only=True, tag="no"):
    id: U32
    code: RefusalCode


class Rooms(Message, frozen=True, kw_only=True, tag="room_list"):
    id: U32
    page: U32
    pages: U32
    rooms: Annotated[tuple[RoomLine, ...], Meta(max_length=10)]


class Tournaments(Message, frozen=True, kw_only=True, tag="tournament_list"):
    id: U32
    page: U32
    pages: U32
    tournaments: Annotated[tuple[TournamentLine, ...], Meta(max_length=10)]


class Standings(Message, frozen=True, kw_only=True, tag="standing_list"):
    id: U32
    page: U32
    pages: U32
    tournament: Name
    kind: TournamentKind
    round: U32
    """After which they are so."""
    standings: Annotated[tuple[StandingLine, ...], Meta(max_length=10)]


class Tables(Message, frozen=True, kw_only=True, tag="table_list"):
    id: U32
    page: U32
    pages: U32
    tournament: Name
    round: U32
    rounds: U32
    tables: Annotated[tuple[TableLine, ...], Meta(max_length=8)]


# --- server to client: one seat's own ----------------------------------------------------------------------------


class OpenQuestion(Part, frozen=True, kw_only=True):
    """The `turn` whose answer is open, with the time that is left."""

    turn: U32
    seat: Seat
    ms: Milliseconds
    window: Milliseconds


class OpenRest(Part, frozen=True, kw_only=True):
    """The `rest` between two hands, with the time that is left."""

    hand: U32
    seats: SeatSet
    ms: Milliseconds


class Snapshot(Message, frozen=True, kw_only=True, tag="snapshot"):
    """Where a room and its match are, after the event `seq` (§7.2)."""

    seq: U32
    room: RoomState
    view: View | None
    """None: no match has begun."""
    match: U32
    """Counts the matches of the room from 1; 0: none has begun."""
    open: OpenQuestion | None
    """None: nobody is to act."""
    rest: OpenRest | None
    """None: the table waits for nobody between two hands."""


class ShuffleState(Message, frozen=True, kw_only=True, tag="shuffle_state"):
    """What was published of the shuffle of the match that is played or begins; comes after a snapshot (§7.8)."""

    match: MatchId
    commitment: Bytes32
    dealer: Seat | None
    """As in `shuffle`."""
    seats: SeatSet
    """Whose part is waited for now; 0 once the nonces are published."""
    commits: Bytes32PerSeat | None
    """None: not published yet."""
    nonces: Bytes32PerSeat | None
    """None: not published yet."""
    ms: Milliseconds
    """For how long; 0 once the nonces are published."""


class Question(Message, frozen=True, kw_only=True, tag="ask"):
    """Asks a seat to act, with all that it may know: whoever answers needs no memory (§7.3)."""

    seq: U32
    """The last event that the view holds."""
    turn: U32
    legal: ActionSet
    ms: Milliseconds
    """Time left; 0: no clock."""
    view: View


class HandShown(Message, frozen=True, kw_only=True, tag="shown"):
    """A hand that is over, with open cards, to one who watches; no event (§6.8)."""

    hand: U32
    deal: U32
    """From 1, in the hand: one more for every time that it was dealt again."""
    cards: CardPerSeat
    """As they were dealt."""
    moves: Annotated[tuple[Move, ...], Meta(max_length=12)]


# --- server to client: to all players, wherever they are --------------------------------------------------------


class Notice(Message, frozen=True, kw_only=True, tag="notice"):
    """About the server itself; no event of a room (§6.11)."""

    code: NoticeCode
    text: Annotated[str, Meta(max_length=200)]
    """Said by whoever runs the server; empty: nothing is."""
    ms: Milliseconds
    """For `draining`: how long until the server stops; 0 elsewhere."""


# --- server to client: events of a room, numbered by `seq` --------------------------------------------------------


class TournamentNews(Message, frozen=True, kw_only=True, tag="tournament_news"):
    """What has happened in a tournament, to who takes part and who follows it; no event of a room (§6.13)."""

    tournament: Name
    news: Happening
    who: Annotated[str, Meta(max_length=16)]
    """Whom it concerns, or who has won; empty: nobody, or all."""
    round: U32
    table: U32
    """0: none."""
    room: Annotated[str, Meta(max_length=16)]
    s: U32
    """Seconds until what follows."""
    seats: Annotated[tuple[Name, ...], Meta(max_length=8)]
    places: Annotated[tuple[Annotated[int, Meta(ge=0, le=8)], ...], Meta(max_length=8)]
    text: Annotated[str, Meta(max_length=200)]


class Event(Message, frozen=True, kw_only=True):
    seq: U32


class RoomChanged(Event, frozen=True, kw_only=True, tag="room"):
    news: News
    who: Annotated[str, Meta(max_length=16)]
    """The name of the player or computer that the news is about; empty: nobody's."""
    room: RoomState


class Said(Event, frozen=True, kw_only=True, tag="said"):
    who: Name
    text: Text


class Turn(Event, frozen=True, kw_only=True, tag="turn"):
    """Whose answer is open; that seat gets an `ask` with the same number besides."""

    turn: U32
    seat: Seat
    phase: Phase
    ms: Milliseconds
    window: Milliseconds
    """How long Kuku may be called before an answer takes effect."""


class Late(Event, frozen=True, kw_only=True, tag="late"):
    """The seat has not answered in time or is away; the default, which follows, counts as its answer (§7.4)."""

    seat: Seat


class Rest(Event, frozen=True, kw_only=True, tag="rest"):
    """Between two hands: whose `next` the table waits for (§7.9)."""

    hand: U32
    """The one that has ended."""
    seats: SeatSet
    """0: nobody's any more."""
    ms: Milliseconds
    """Until the next hand comes all the same; 0: at once."""


class ShuffleBegan(Event, frozen=True, kw_only=True, tag="shuffle"):
    """A match is to be shuffled; the server's secret for it is drawn, and this is what it is bound by (§7.8)."""

    match: MatchId
    commitment: Bytes32
    dealer: Seat | None
    """Who deals first where the deal goes on from a match before; None: the shuffle decides (rule S5)."""
    seats: SeatSet
    """Whose nonces are waited for."""
    ms: Milliseconds


class NoncesCommitted(Event, frozen=True, kw_only=True, tag="commits"):
    """The digests of the seats' nonces; those seats reveal them now (§7.8)."""

    commits: Bytes32PerSeat
    """None: a seat without a nonce."""
    ms: Milliseconds


class NoncesRevealed(Event, frozen=True, kw_only=True, tag="nonces"):
    """The shuffle is drawn (§7.8)."""

    nonces: Bytes32PerSeat
    """None: a seat without one, which counts as 32 zero bytes."""


class ShuffleVoided(Event, frozen=True, kw_only=True, tag="void"):
    """Everything is drawn anew, without these seats, who did not reveal what they had committed to (§7.8)."""

    seats: SeatSet


class SecretRevealed(Event, frozen=True, kw_only=True, tag="secret"):
    """The server's secret of a match that is over: whoever heard all this can check it (§7.8)."""

    match: MatchId
    secret: Bytes32


class HandBegan(Event, frozen=True, kw_only=True, tag="hand"):
    hand: U32
    pot: U32 | None
    dealer: Seat
    lives: PerSeat
    points: PerSeat


class Dealt(Event, frozen=True, kw_only=True, tag="dealt"):
    cards: CardPerSeat


class Stood(Event, frozen=True, kw_only=True, tag="stood"):
    seat: Seat


class Swapped(Event, frozen=True, kw_only=True, tag="swapped"):
    seat: Seat
    target: Seat
    gave: HiddenCard
    """The card that went from `seat` to `target`."""
    got: HiddenCard


class CardRefused(Event, frozen=True, kw_only=True, tag="refused"):
    """A matador refused a swap and is face up from now on (rules M1 to M6)."""

    seat: Seat
    """Who holds it."""
    asker: Seat
    card: Card


class SwapsUndone(Event, frozen=True, kw_only=True, tag="undone"):
    """A pig sent a card back (rule M3)."""

    path: Annotated[tuple[Seat, ...], Meta(min_length=1, max_length=8)]
    """The seats that the card travelled, its first holder first."""
    cards: CardPerSeat
    """Per seat (not per place in the path) what the viewer knows that it holds now."""


class SeatStruck(Event, frozen=True, kw_only=True, tag="struck"):
    seat: Seat


class Drew(Event, frozen=True, kw_only=True, tag="drew"):
    """A seat went to the talon (rules D1 to D6)."""

    seat: Seat
    card: HiddenCard
    """A matador is shown to all, another card to the drawer alone."""
    kept: bool


class BetterCardsAsked(Event, frozen=True, kw_only=True, tag="asked"):
    seat: Seat


class AskAnswered(Event, frozen=True, kw_only=True, tag="answered"):
    seat: Seat
    do: Do
    """One of `REPLIES`."""

    def __post_init__(self) -> None:
        if self.do not in REPLIES:
            raise ValueError("not one of REPLIES - at `$.do`")


class CardsThrown(Event, frozen=True, kw_only=True, tag="thrown"):
    """The cards are dealt again in the same hand."""

    reason: RedealReason
    cards: CardPerSeat
    """What the viewer knows of the old ones: its own, and the Harlekin that is shown."""
    whole_pack: bool
    """Whether the whole pack is reshuffled; otherwise they go to the discard pile of a duel."""


class Reshuffled(Event, frozen=True, kw_only=True, tag="reshuffled"):
    """The talon of a duel ran short: talon and discard pile are shuffled together (rule G4)."""


class KukuCalled(Event, frozen=True, kw_only=True, tag="kuku_called"):
    seat: Seat
    by_rule: bool
    """Turned up by itself (rule F5)."""


class Showdown(Event, frozen=True, kw_only=True, tag="showdown"):
    cards: CardPerSeat
    struck: SeatSet
    low: FlagPerSeat
    lost: SeatSet
    lives: PerSeat
    """After the hand."""


class PotWon(Event, frozen=True, kw_only=True, tag="pot"):
    pot: U32
    seat: Seat
    points: PerSeat


class MatchEnded(Event, frozen=True, kw_only=True, tag="end"):
    winner: Seat | None
    """None: broken off."""
    points: PerSeat
    reason: Annotated[str, Meta(max_length=64)]
    """Why it was broken off; empty for a match that was played to its end."""


GameEvent: TypeAlias = (
    HandBegan
    | Dealt
    | Stood
    | Swapped
    | CardRefused
    | SwapsUndone
    | SeatStruck
    | Drew
    | BetterCardsAsked
    | AskAnswered
    | CardsThrown
    | Reshuffled
    | KukuCalled
    | Showdown
    | PotWon
    | MatchEnded
)
ShuffleEvent: TypeAlias = ShuffleBegan | NoncesCommitted | NoncesRevealed | ShuffleVoided | SecretRevealed
RoomEvent: TypeAlias = RoomChanged | Said | Turn | Late | Rest | ShuffleEvent | GameEvent
Command: TypeAlias = (
    ListRooms
    | Create
    | Join
    | Quick
    | Watch
    | Leave
    | Ready
    | Start
    | Pause
    | AddComputers
    | RemoveComputer
    | Kick
    | Decide
    | CallKuku
    | CommitNonce
    | RevealNonce
    | NextHand
    | Say
    | ListTournaments
    | OpenTournament
    | SignUp
    | Withdraw
    | CheckIn
    | BeginTournament
    | CancelTournament
    | AskStandings
    | AskTables
    | Follow
)
Shown: TypeAlias = Rooms | Tournaments | Standings | Tables
"""Answers that say how it is, and are not kept."""
Answer: TypeAlias = Ok | Refused | Shown
ClientMessage: TypeAlias = Hello | Command | Ping | Pong | Bye
ServerMessage: TypeAlias = (
    Welcome
    | Answer
    | Snapshot
    | ShuffleState
    | Question
    | HandShown
    | Notice
    | TournamentNews
    | RoomEvent
    | Ping
    | Pong
    | Bye
)
AnyMessage: TypeAlias = ClientMessage | ServerMessage
