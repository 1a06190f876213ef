"""A client of Kille in plain Python, written from protocol/v1/protocol.md alone; § points into it.

Copy it to begin one of your own. It needs the standard library and msgpack, and nothing of the package:

    python examples/raw_client.py 127.0.0.1 4747 --name Ada --room Krogen seats=4 computers=3 format=sticks

With --pin and the fingerprint that `kille serve` prints it speaks TLS, as it has to from another machine (§2.4).
It joins the room, or makes it with these options if there is none, and plays; --watch looks on instead, and
--tournament signs up for one, and plays wherever it is called (§6.13). `Line` carries messages, `Table` folds events
into a view, `choose` decides, `Player` ties them together. Who only wants to play can leave the `Table` out: a question
holds all that may be known (§7.3).
"""

import argparse
import contextlib
import hashlib
import secrets
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from typing import Any, TextIO

import msgpack

# A message as its map. No field is trusted to be more than the schema promises, and the schema is not checked here.
Message = dict[str, Any]

VERSION = 1
MAX_FRAME = 65_536  # §2.2
VERSION_TAG = 0xA0  # of a certificate
ACTIONS = ("stand", "swap", "kuku", "ask", "accept", "refuse", "depends")  # §5.1, by bit
VARDSHUS, KAVALL, KUKU, HARLEKIN = 15, 16, 19, 20  # §11.1
MAX_ASKS = 3  # §11.8
WEAK = 7  # half of what may be dealt is lower than this "5"
POTS = {"short": (6, 4, 3, 3, 2, 2, 2), "standard": (12, 8, 6, 5, 4, 3, 3), "long": (18, 12, 9, 8, 6, 5, 5)}  # §11.7
OPTIONS: Message = {  # §6.2, in the order in which they are sent
    "seats": 4, "format": "pots", "length": "short", "dealt_harlekin": "high", "pots": 0, "computers": 0,
    "level": "easy", "clock": 30, "pace": 800, "window": 0, "rest": 0, "watching": "everyone", "coach": "allowed",
}  # fmt: skip
# What a command may be refused as because the table has gone on meanwhile (§7.4).
LATE = {"old_turn", "overtaken", "paused", "not_playing", "no_hand", "already_answered"}
MOST_PAGES = 20  # of the list of rooms
# Events after which better cards cannot be asked for (§7.5).
CLOSES_ASKS = {
    "stood", "swapped", "refused", "undone", "drew", "asked", "thrown", "reshuffled", "kuku_called", "showdown"
}  # fmt: skip


class FaultError(Exception):
    """The server broke the protocol: a code and a place for our bye (§10.1)."""


class EndedError(Exception):
    """There is nothing more to hear: the reason."""


class Line:
    """Messages over TCP (§2, §3), in TLS where there is a pin, kept alive by pings (§8.1)."""

    def __init__(self, host: str, port: int, pin: str | None) -> None:
        self.socket = socket.create_connection((host, port), timeout=15)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if pin is not None:
            self.socket = secured(self.socket, pin)
        self.ping_s, self.silence_s = 0.0, 15.0  # no pings before the welcome

    def open(self, settings: dict[str, int]) -> None:
        # Whatever the server says, no flood of pings and no wait without an end.
        self.ping_s = min(max(settings.get("ping_ms", 5_000), 500), 60_000) / 1_000
        self.silence_s = min(max(settings.get("silence_ms", 15_000), 1_000), 600_000) / 1_000
        self.socket.settimeout(self.ping_s)

    def send(self, **message: object) -> None:
        payload: bytes = msgpack.packb(message)
        self.socket.sendall(len(payload).to_bytes(4) + payload)

    def bye(self, code: str, place: str = "") -> None:
        with contextlib.suppress(OSError):  # the other end may have gone first
            self.send(t="bye", code=code, place=place, versions=[VERSION])
        self.socket.close()

    def receive(self) -> Message:
        """The next message that is not a matter of the line itself."""
        while True:
            size = int.from_bytes(self._bytes(4))
            if not 0 < size <= MAX_FRAME:
                raise FaultError("frame_too_big" if size else "frame_empty", "")
            message = decode(self._bytes(size))
            match message["t"]:
                case "ping":
                    self.send(t="pong", n=message["n"])
                case "pong":
                    pass
                case "bye":
                    self.socket.close()  # a bye is not answered (§4.4)
                    raise EndedError(f"the server says bye: {message['code']} {message['place']}".rstrip())
                case _:
                    return message

    def _bytes(self, count: int) -> bytes:
        taken, silent = b"", 0.0
        while len(taken) < count:
            try:
                part = self.socket.recv(count - len(taken))
            except TimeoutError:
                silent += self.ping_s or self.silence_s
                if silent >= self.silence_s:
                    self.bye("silent")
                    raise EndedError("the server is silent") from None
                self.send(t="ping", n=0)
                continue
            if not part:
                raise EndedError("the line is lost")
            taken, silent = taken + part, 0.0
        return taken


def secured(plain: socket.socket, pin: str) -> ssl.SSLSocket:
    """TLS with the one key whose fingerprint this is, whatever its certificate says (§2.4)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    line = context.wrap_socket(plain)
    certificate = line.getpeercert(binary_form=True)
    found = hashlib.sha256(public_key(certificate)).hexdigest() if certificate else "none"
    if found != pin.lower():
        line.close()
        raise EndedError(f"the server has another key: {found}")
    return line


def public_key(certificate: bytes) -> bytes:
    """The SubjectPublicKeyInfo of a certificate in DER (RFC 5280, 4.1)."""

    def element(at: int) -> tuple[int, int, int]:
        """Of what begins there: the tag, where its content begins, and where it ends."""
        size, content = certificate[at + 1], at + 2
        if size & 0x80:  # so many bytes of size follow
            content += size & 0x7F
            size = int.from_bytes(certificate[at + 2 : content])
        return certificate[at], content, content + size

    _, at, _ = element(0)  # Certificate
    _, at, _ = element(at)  # TBSCertificate
    tag, _, end = element(at)
    fields = [end if tag == VERSION_TAG else at]  # the first version is left out
    for _ in ("serialNumber", "signature", "issuer", "validity", "subject", "subjectPublicKeyInfo"):
        fields.append(element(fields[-1])[2])
    return certificate[fields[-2] : fields[-1]]


def decode(payload: bytes) -> Message:
    try:
        value = msgpack.unpackb(
            payload, max_str_len=1024, max_array_len=64, max_map_len=32, max_bin_len=0, max_ext_len=0
        )
    except ValueError as error:
        raise FaultError("bad_encoding", "") from error
    if not isinstance(value, dict) or not isinstance(value.get("t"), str):
        raise FaultError("bad_message", "t" if isinstance(value, dict) else "")
    return value


class Table:
    """A room and one's view of its match, kept by folding the events (§7.5) and held against what the server says."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seq = -1
        self.room: Message = {}
        self.view: Message = {}  # empty where the wire has nil: no match yet
        self.differences: list[str] = []

    def hear(self, message: Message) -> None:
        """Take whatever has a `seq`."""
        match message["t"]:
            case "snapshot":
                if message["seq"] == self.seq and message["room"]["name"] == self.room["name"]:
                    self._compare(message)
                self.seq, self.room, self.view = message["seq"], message["room"], message["view"] or {}
            case "ask":
                self._compare(message)
            case _:
                if message["seq"] != self.seq + 1:
                    raise FaultError("unexpected", "seq")
                self.seq, self.room = message["seq"], message.get("room", self.room)
                self._fold(message)

    def seat(self) -> int | None:
        names = [seat["name"] for seat in self.room["seats"]]
        return names.index(self.name) if self.name in names else None

    def card(self) -> int | None:
        seat = self.view.get("seat")
        return None if seat is None else self.view["cards"][seat]

    def _compare(self, message: Message) -> None:
        told = message["view"] or {}
        for field in sorted(told.keys() | self.view.keys()):
            if told.get(field) != self.view.get(field):
                line = f"{message['seq']}: {field} is {self.view.get(field)} here, {told.get(field)} there"
                self.differences.append(line)

    def _fold(self, event: Message) -> None:
        view = self.view
        if event["t"] in CLOSES_ASKS:
            view["can_ask"] = False
        match event:
            case {"t": "room" | "said" | "late" | "rest" | "shuffle" | "commits" | "nonces" | "void" | "secret"}:
                pass
            case {"t": "turn", "seat": seat, "phase": phase}:
                view.update(phase=phase, to_act=seat)
            case {"t": "hand"}:
                self._begin(event)
            case {"t": "dealt", "cards": cards}:
                self._deal(cards)
            case {"t": "stood", "seat": seat}:
                view["deeds"][seat] = "stood"
            case {"t": "swapped"}:
                self._swap(**event)
            case {"t": "refused", "seat": seat, "asker": asker, "card": card}:
                self._turn_up(seat, card)
                view["deeds"][seat] = "passed_over"
                if card not in {VARDSHUS, KAVALL}:
                    view["deeds"][asker] = "refused"
            case {"t": "undone", "path": path, "cards": cards}:
                self._undo(path, cards)
            case {"t": "struck", "seat": seat}:
                view["struck"] |= 1 << seat
            case {"t": "drew"}:
                self._draw(**event)
            case {"t": "asked"}:
                view.update(phase="asked", to_act=view["dealer"])
            case {"t": "answered", "do": "accept"}:
                view["asks"] += 1
            case {"t": "answered", "do": "depends"}:
                view.update(phase="middle", to_act=self._order()[1])
            case {"t": "answered"}:
                view.update(phase="turn", to_act=self._order()[0])
            case {"t": "thrown", "cards": cards, "whole_pack": whole_pack}:
                thrown = [cards[seat] for seat in self._order() if cards[seat] is not None]
                view.update(self._bare(), gone=[] if whole_pack else view["gone"] + thrown)
            case {"t": "reshuffled"}:
                view.update(gone=[], phase="deal", to_act=None)
            case {"t": "kuku_called", "seat": seat}:
                self._turn_up(seat, KUKU)
            case {"t": "showdown", "cards": cards}:
                view.update({field: event[field] for field in ("cards", "low", "struck", "lives")})
                view.update(phase="over", to_act=None, face_up=mask(card is not None for card in cards))
            case {"t": "pot" | "end", "points": points}:
                view["points"] = points
            case _:
                raise FaultError("bad_message", "t")

    def _begin(self, event: Message) -> None:
        if event["hand"] == 1:
            self.view = {"rules": self._rules(), "seat": self.seat()}
        self.view.update({field: event[field] for field in ("hand", "pot", "dealer", "lives", "points")})
        self.view.update(self._bare(), gone=[], asks=0)

    def _turn_up(self, seat: int, card: int) -> None:
        self.view["cards"][seat] = card
        self.view["face_up"] |= 1 << seat

    def _rules(self) -> Message:
        options = self.room["options"]
        rules = {field: options[field] for field in ("format", "length", "dealt_harlekin", "pots")}
        return rules | {"pots": rules["pots"] or POTS[rules["length"]][options["seats"] - 2]}

    def _bare(self) -> Message:
        n = len(self.room["seats"])
        nobody: Message = {"cards": [None] * n, "origins": [None] * n, "face_up": 0, "low": [False] * n, "struck": 0}
        return nobody | {"phase": "deal", "to_act": None, "deeds": ["waits"] * n, "beside": [], "can_ask": False}

    def _order(self) -> list[int]:
        n, first = len(self.view["lives"]), self.view["dealer"] + 1
        return [seat % n for seat in range(first, first + n) if self.view["lives"][seat % n]]

    def _deal(self, cards: list[int | None]) -> None:
        view, order, rules = self.view, self._order(), self.view["rules"]
        view.update(cards=cards, origins=[seat if seat in order else None for seat in range(len(cards))])
        view.update(phase="turn", to_act=order[0])
        if rules["dealt_harlekin"] == "low":
            view["low"] = [card == HARLEKIN for card in cards]
        pots = rules["format"] == "pots"
        view["can_ask"] = len(order) in ({2, 3} if pots else {2}) and not (pots and view["asks"] >= MAX_ASKS)

    def _swap(self, *, seat: int, target: int, gave: int | None, got: int | None, **_: object) -> None:
        view, cards, origins = self.view, self.view["cards"], self.view["origins"]
        both = 1 << seat | 1 << target
        cards[seat], cards[target] = cards[target] if got is None else got, cards[seat] if gave is None else gave
        origins[seat], origins[target] = origins[target], origins[seat]
        if (view["face_up"] >> seat ^ view["face_up"] >> target) & 1:
            view["face_up"] ^= both
        harlekins = (got == HARLEKIN) << seat | (gave == HARLEKIN) << target
        view["face_up"] |= harlekins
        view["low"][seat], view["low"][target] = got == HARLEKIN != gave, gave == HARLEKIN != got
        view["deeds"][seat] = "swapped"

    def _undo(self, path: list[int], cards: list[int | None]) -> None:
        view, origins = self.view, self.view["origins"]
        open_origins = {origin for seat, origin in enumerate(origins) if view["face_up"] >> seat & 1}
        for seat in path:
            origins[seat] = seat
        view.update(cards=cards, face_up=mask(origin in open_origins for origin in origins))
        for seat in path:
            view["low"][seat] = view["rules"]["dealt_harlekin"] == "low" and cards[seat] == HARLEKIN

    def _draw(self, *, seat: int, card: int | None, kept: bool, **_: object) -> None:
        view = self.view
        if kept:
            if view["cards"][seat] is not None:
                view["gone"].append(view["cards"][seat])
            view["cards"][seat], view["origins"][seat] = card, len(view["cards"])
            view["face_up"] &= ~(1 << seat)
            view["low"][seat] = False
            view["deeds"][seat] = "drew"
        else:
            view["beside"].append(card)
            if card not in {VARDSHUS, KAVALL} or view["rules"]["format"] != "pots":
                view["deeds"][seat] = "refused"


def mask(each: Iterator[bool]) -> int:
    return sum(1 << seat for seat, is_in in enumerate(each) if is_in)


def check(question: Message, seat: int | None) -> None:
    """Whether it can be answered: it is ours, we have a card, and the actions are those of its view (§11.9)."""
    view = question["view"]
    in_hand = sum(origin is not None for origin in view["origins"])
    answers = {
        "turn": {"stand", "swap", "ask"} if view["can_ask"] else {"stand", "swap"},
        "asked": {"refuse", {2: "accept", 3: "depends"}.get(in_hand, "refuse")},
        "middle": {"accept", "refuse"},
    }
    if view["seat"] is None or view["seat"] != seat:
        raise FaultError("bad_field", "view.seat")
    if view["to_act"] != seat:
        raise FaultError("bad_field", "view.to_act")
    card = view["cards"][seat]
    if card is None:
        raise FaultError("bad_field", "view.cards")
    if set(words_of(question["legal"])) != answers.get(view["phase"], set()) | ({"kuku"} if card == KUKU else set()):
        raise FaultError("bad_field", "legal")


def words_of(actions: int) -> list[str]:
    return [word for bit, word in enumerate(ACTIONS) if actions >> bit & 1]


def choose(view: Message, legal: list[str]) -> str:
    """The strategy, all of it: get rid of what is weak."""
    seat = view["seat"]
    weak = view["cards"][seat] < WEAK or view["low"][seat]
    wishes = ("ask", "swap", "accept", "depends") if weak else ("stand", "refuse")
    return next((wish for wish in wishes if wish in legal), legal[0])


class Shuffle:
    """Our part in the shuffle of a match, and the check of what the server is bound by (§7.8)."""

    def __init__(self, message: Message, seat: int | None) -> None:
        self.match, self.commitment, self.seat = message["match"], message["commitment"], seat
        is_asked = seat is not None and message["seats"] >> seat & 1
        self.nonce = secrets.token_bytes(32) if is_asked else b""  # empty: we have no part in it
        self.commits: list[str | None] = []

    def digest(self, seat: int, nonce: bytes) -> str:
        return hashlib.sha256(b"kille-nonce-v1" + bytes.fromhex(self.match) + bytes([seat]) + nonce).hexdigest()

    def is_ours_in(self) -> bool:
        return self.seat is not None and self.commits[self.seat] == self.digest(self.seat, self.nonce)

    def holds(self, nonces: list[str | None]) -> bool:
        """Whether each nonce is the one that its seat was bound to."""
        return self.commits == [n and self.digest(seat, bytes.fromhex(n)) for seat, n in enumerate(nonces)]

    def is_opened_by(self, secret: str) -> bool:
        text = b"kille-commit-v1" + bytes.fromhex(self.match) + bytes.fromhex(secret)
        return bool(hashlib.sha256(text).hexdigest() == self.commitment)


class Player:
    """Sits at a table, or looks on, until so many matches are over."""

    def __init__(self, line: Line, name: str) -> None:
        self.line = line
        self.line.send(
            t="hello", versions=[VERSION], agent="raw_client", name=name, bot=True, ticket=None, password=None
        )
        welcome = self.line.receive()
        if welcome["t"] != "welcome":
            raise FaultError("unexpected", "t")
        if welcome["version"] != VERSION:
            raise FaultError("unsupported_version", "version")
        self.line.open(welcome["settings"])
        self.table = Table(welcome["name"])
        self.id = 0
        self.question: Message = {}  # empty: none is open to us
        self.called_in = 0  # the hand in which we last called Kuku: once is enough, also where it is refused
        self.call = 0  # the id of that call while it has no answer
        self.ready = 0
        self.shuffle: Shuffle | None = None
        self.parts: set[int] = set()  # the ids of our part in it

    def command(self, t: str, **fields: object) -> int:
        self.id += 1
        self.line.send(t=t, id=self.id, **fields)
        return self.id

    def answer_to(self, number: int) -> Message:
        while (message := self.line.receive()).get("id") != number:
            pass
        return message

    def rooms(self) -> Iterator[Message]:
        page, pages = 0, 1
        while page < min(pages, MOST_PAGES):
            listed = self.answer_to(self.command("rooms", page=page))
            if listed["t"] != "room_list":
                raise EndedError(f"cannot list the rooms: {listed.get('code')}")
            yield from listed["rooms"]
            page, pages = page + 1, listed["pages"]

    def enter(self, room: str, options: Message, *, watch: bool) -> None:
        """Who comes first makes the room; somebody else may, between our two questions."""
        code = ""
        for command in ("watch",) if watch else ("join", "create", "join"):
            given = {"options": options} if command == "create" else {}
            answer = self.answer_to(self.command(command, room=room, **given, password=None))
            if answer["t"] == "ok":
                return
            code = answer["code"]
            if code not in {"no_such_room", "room_exists"}:
                break
        raise EndedError(f"cannot enter {room}: {code}")

    def sign_up(self, tournament: str) -> None:
        answer = self.answer_to(self.command("sign_up", tournament=tournament))
        if answer["t"] != "ok":
            raise EndedError(f"cannot enter {tournament}: {answer.get('code')}")

    def play(self, matches: int, *, watch: bool, tournament: bool) -> None:
        """In a tournament the server leads from table to table, until it is over."""
        if not watch and not tournament:
            self.ready = self.command("ready", ready=True)
        while matches:
            message = self.line.receive()
            if "seq" in message:
                self.table.hear(message)
                self.draw(message)
            if tournament and self.is_over(message):
                return
            match message:
                case {"t": "snapshot"}:  # nothing of another table counts here
                    self.question, self.shuffle, self.called_in, self.call = {}, None, 0, 0
                case {"t": "turn", "turn": turn}:
                    if turn != self.question.get("turn"):
                        self.question = {}
                    # All events of the last action have come, so what we hold now is ours.
                    hand = self.table.view["hand"]
                    if self.table.card() == KUKU and self.called_in != hand:
                        self.called_in, self.call = hand, self.command("kuku", seq=self.table.seq)
                case {"t": "ask"}:
                    check(message, self.table.seat())
                    self.question = message
                    if not self.call:
                        self.act()
                case {"t": "ok" | "no" as t, "id": self.call}:
                    self.call = 0
                    if t == "no":
                        self.act()
                case {"t": "no", "id": number} if number in self.parts:
                    pass  # it came too late (§7.8)
                case {"t": "no", "id": self.ready, "code": "too_fast" | "cannot_save"}:
                    time.sleep(1)  # commands are counted (§8.3), and matches between programs are short
                    self.ready = self.command("ready", ready=True)
                case {"t": "no", "code": "cannot_save"}:
                    time.sleep(1)  # nothing was done (§6.11)
                    self.act()
                case {"t": "no", "code": code} if code not in LATE:
                    raise EndedError(f"refused: {code}")
                case {"t": "end"}:
                    self.tell(message)
                case {"t": "room", "news": "ended"}:  # after the secret (§7.8)
                    matches -= 1
                    if matches and not watch:
                        self.ready = self.command("ready", ready=True)
                case {"t": "room", "news": "failed" | "closed"} if not tournament:
                    raise EndedError("the room is gone")
                case {"t": "room", "news": "kicked", "who": self.table.name}:
                    raise EndedError("sent away by the host")
        self.answer_to(self.command("leave"))

    def is_over(self, message: Message) -> bool:
        """Whether the tournament is; when a table is, we are in the lobby, and the next one is called by itself."""
        match message:
            case {"t": "tournament_news", "news": "over" | "cancelled" as news, "who": who, "text": text}:
                say(f"the tournament is {news}: {who or text}".removesuffix(": "))
                return True
            case {"t": "tournament_news", "news": "dropped_out", "who": self.table.name}:
                raise EndedError("dropped out")
        return False

    def draw(self, message: Message) -> None:
        """Who has no part in it is waited for, once in each match."""
        shuffle = self.shuffle
        match message:
            case {"t": "shuffle", "match": match}:
                self.shuffle = shuffle = Shuffle(message, self.table.seat())
                if shuffle.nonce and shuffle.seat is not None:
                    digest = shuffle.digest(shuffle.seat, shuffle.nonce)
                    self.parts.add(self.command("commit", match=match, commit=digest))
            case {"t": "commits", "commits": commits} if shuffle:
                shuffle.commits = commits
                if shuffle.nonce and shuffle.is_ours_in():
                    self.parts.add(self.command("reveal", match=shuffle.match, nonce=shuffle.nonce.hex()))
            case {"t": "nonces", "nonces": nonces} if shuffle and shuffle.commits and not shuffle.holds(nonces):
                raise EndedError("the shuffle is false: a nonce is not the one of its digest")
            case {"t": "secret", "secret": secret} if shuffle and not shuffle.is_opened_by(secret):
                raise EndedError("the shuffle is false: the server was bound to another secret")

    def act(self) -> None:
        if self.question:
            legal = [word for word in words_of(self.question["legal"]) if word != "kuku"]
            self.command("act", turn=self.question["turn"], do=choose(self.question["view"], legal))

    def tell(self, end: Message) -> None:
        seats, winner = self.table.room["seats"], end["winner"]
        points = ", ".join(f"{seat['name']} {n}" for seat, n in zip(seats, end["points"], strict=True))
        how = f"broken off: {end['reason']}" if winner is None else f"{seats[winner]['name']} wins"
        say(f"{how} ({points})")


def say(text: str, file: TextIO | None = None) -> None:
    """Print a line in which others may have written: nothing in it moves the cursor, or hides what comes after it."""
    print("".join(char if char.isprintable() else "\ufffd" for char in text), file=file, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Play Kille.")
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--name", default="Raw")
    parser.add_argument("--room", default="Krogen")
    parser.add_argument("--tournament", help="sign up for it, in place of a room")
    parser.add_argument("--matches", type=int, default=1, metavar="N")
    parser.add_argument("--pin", metavar="HEX", help="speak TLS with the server whose key has this fingerprint")
    parser.add_argument("--watch", action="store_true", help="look on instead of playing")
    parser.add_argument("options", nargs="*", metavar="OPTION=VALUE", help="of the room, if it is to be made")
    args = parser.parse_intermixed_args()
    chosen = dict(option.split("=", 1) for option in args.options)
    options = OPTIONS | {key: int(value) if value.isdigit() else value for key, value in chosen.items()}

    try:
        line = Line(args.host, args.port, args.pin)
    except (EndedError, OSError) as error:
        sys.exit(f"cannot connect: {error}")
    try:
        player = Player(line, args.name)
        for room in [] if args.tournament else player.rooms():
            say(f"{room['name']}: {room['format']}, {room['taken']} of {room['seats']} seats taken, {room['status']}")
        if args.tournament:
            player.sign_up(args.tournament)
        else:
            player.enter(args.room, options, watch=args.watch)
        say(f"{player.table.name} is in {args.tournament or args.room}")
        player.play(args.matches, watch=args.watch, tournament=bool(args.tournament))
        line.bye("done")
    except FaultError as fault:
        line.bye(*fault.args)
        say(f"the server broke the protocol: {' '.join(fault.args)}".rstrip(), sys.stderr)
        return 1
    except (LookupError, TypeError, ValueError) as error:
        # What the schema promises is not looked for in every field; where it is missed, Python says so.
        line.bye("bad_field")
        say(f"the server broke the protocol: {type(error).__name__}: {error}", sys.stderr)
        return 1
    except (EndedError, OSError) as end:
        line.bye("done")
        say(str(end), sys.stderr)
        return 1
    for difference in player.table.differences:
        say(f"difference at {difference}", sys.stderr)
    return 1 if player.table.differences else 0


if __name__ == "__main__":
    sys.exit(main())
