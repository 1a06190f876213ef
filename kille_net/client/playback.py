"""Looking at a replay: where one stands in it, what each key does, and the picture.

Owns the keys, as one table. Refuses to know terminals and clocks: it is told which key was pressed and that time for a
step has passed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from kille_net.client.effects import Line, Print, Quit, Span, Style
from kille_net.client.replaying import Replay, Viewer
from kille_net.client.showing.layout import cells, flow, wrap
from kille_net.client.showing.status import Notes, status
from kille_net.client.showing.texts import say
from kille_net.wire.text import safe_text

__all__ = ["BACKSPACE", "ENTER", "ESCAPE", "MAX_SPEED", "MIN_SPEED", "NAMED_KEYS", "Playback"]

MIN_SPEED: Final = 6
MAX_SPEED: Final = 1200
"""Steps a minute."""
ENTER: Final = "enter"
ESCAPE: Final = "escape"
BACKSPACE: Final = "backspace"
NAMED_KEYS: Final[Mapping[str, str]] = {" ": "", "right": "→", "left": "←", "home": "Home", "end": "End"}
"""What a key is called that is no sign; the space by a text of its own."""
_MOST_TYPED: Final = 40
_SMALLEST: Final = 9
"""Columns below which nothing is drawn."""
_PART: Final = 3
"""A part of the rows that the bar takes at most, as does the table."""


class _Key(NamedTuple):
    keys: tuple[str, ...]
    does: str
    """The text that says it."""
    act: "Callable[[Playback], Sequence[Print | Quit] | None]"


class Playback:
    """A reader of one replay."""

    def __init__(self, replay: Replay, lang: str, *, viewer: Viewer = None, position: int = 0, speed: int = 60) -> None:
        """`speed`: steps a minute that it plays by itself once it is asked to."""
        self._replay = replay
        self._lang = lang
        self.viewer = viewer
        self.position = position
        self.speed = speed
        self.is_playing = False
        self._asks: str | None = None
        """The text of the question that is being answered; None: keys are commands."""
        self._typed = ""
        self._complaint = ""

    # --- keys -----------------------------------------------------------------------------------------------------

    def press(self, key: str) -> Sequence[Print | Quit]:
        """A key, by its sign or its name."""
        self._complaint = ""
        if self._asks is not None:
            self._type(key)
            return ()
        row = _BY_KEY.get(key)
        return () if row is None else row.act(self) or ()

    def tick(self) -> None:
        """The time for a step has passed."""
        if self.is_playing:
            self._go(self.position + 1)

    def _go(self, n: int) -> None:
        self.position = self._replay.clamp(n)
        self.is_playing = self.is_playing and self.position < self._replay.last

    def _stop_and_go(self, n: int) -> None:
        self.is_playing = False
        self._go(n)

    def _play(self) -> None:
        self.is_playing = not self.is_playing and self.position < self._replay.last

    def _change_speed(self, factor: float) -> None:
        self.speed = min(max(round(self.speed * factor), MIN_SPEED), MAX_SPEED)

    def _next_seat(self) -> None:
        self.viewer = 0 if self.viewer is None else (self.viewer + 1) % len(self._replay.names)

    def _open_cards(self) -> None:
        self.viewer = None

    def _ask(self, question: str) -> None:
        self.is_playing = False
        self._asks, self._typed = question, ""

    def _type(self, key: str) -> None:
        asks = self._asks
        if key in {ENTER, ESCAPE}:
            self._asks = None
            if key == ENTER and self._typed:
                self._answer(asks)
        elif key == BACKSPACE:
            self._typed = self._typed[:-1]
        elif len(key) == 1 and key.isprintable():
            self._typed = safe_text(self._typed + key, _MOST_TYPED)

    def _answer(self, question: str | None) -> None:
        if question == "replay.which_hand":
            hand = int(self._typed) if self._typed.isdecimal() else 0
            if 1 <= hand <= self._replay.hands:
                self._go(self._replay.steps_of(hand)[0])
            else:
                self._complaint = say(self._lang, "replay.no_hand", hand=self._typed, hands=self._replay.hands)
            return
        found = self._replay.find(self._typed, self.position, self.viewer, self._lang)
        if found is None:
            self._complaint = say(self._lang, "replay.not_found", text=self._typed)
        else:
            self._go(found)

    def _text(self) -> Sequence[Print]:
        """The hand, left on the terminal to be copied."""
        pasted = self._replay.pasted(self.viewer, self._lang, self._replay.hand_at(self.position))
        return [Print(line) for line in ["", *pasted, ""]]

    def _help(self) -> Sequence[Print]:
        lang = self._lang
        lines = [
            f"  {', '.join(NAMED_KEYS.get(key, key) or say(lang, 'replay.space') for key in row.keys)}: "
            f"{say(lang, row.does)}"
            for row in _KEYS
        ]
        return [Print(line) for line in [say(lang, "replay.keys"), *lines]]

    # --- the picture ----------------------------------------------------------------------------------------------

    def picture(self, size: tuple[int, int]) -> list[Line]:
        """What has happened in the hand so far, the table, and where we are, for a terminal of (columns, rows)."""
        columns, rows = size
        if columns < _SMALLEST:
            return []
        table = status(self._replay.model(self.position, self.viewer), Notes(), self._lang, 0.0, size)
        bar = flow(self._bar(), " · ", columns - 1)[: max(rows // _PART, 1)]
        story = self._story(columns - 1)
        most = rows - len(table) - len(bar) - 1  # one is the terminal's own, below
        return [*(story[-most:] if most > 0 else []), *table, *bar][-rows:]

    def _story(self, columns: int) -> list[Line]:
        replay = self._replay
        if not self.position:
            told = [(line, Style.PLAIN) for line in replay.title(self.viewer, self._lang)]
        else:
            told = [
                (line, Style.LOUD if n == self.position else Style.PLAIN)
                for n in replay.steps_of(replay.hand_at(self.position))
                if n <= self.position
                for line in replay.told(n, self.viewer, self._lang)
            ]
        return [(Span(part, style),) for line, style in told for part in wrap(line, columns) if cells(part) <= columns]

    def _bar(self) -> list[Span]:
        lang, replay = self._lang, self._replay
        if self._asks is not None:
            return [Span(f"{say(lang, self._asks)} {self._typed}_", Style.LOUD)]
        spans = [Span(self._complaint, Style.FAULT)] if self._complaint else []
        if self.is_playing:
            spans.append(Span(say(lang, "replay.playing", speed=self.speed), Style.LOUD))
        elif self.position == replay.last:
            spans.append(Span(say(lang, "replay.end"), Style.LOUD))
        hand = replay.hand_at(self.position)
        where = say(lang, "replay.where", hand=hand, hands=replay.hands, step=self.position, steps=replay.last)
        return [
            *spans,
            Span(where, Style.QUIET),
            Span(replay.seen_by(self.viewer, lang), Style.QUIET),
            Span(say(lang, "replay.hint"), Style.QUIET),
        ]


_KEYS: Final = (
    _Key((" ", "right"), "replay.help.next", lambda p: p._stop_and_go(p.position + 1)),
    _Key(("left",), "replay.help.back", lambda p: p._stop_and_go(p.position - 1)),
    _Key(("n",), "replay.help.next_hand", lambda p: p._go(p._replay.next_hand(p.position))),
    _Key(("p",), "replay.help.previous_hand", lambda p: p._go(p._replay.previous_hand(p.position))),
    _Key(("N",), "replay.help.next_pot", lambda p: p._go(p._replay.next_pot(p.position))),
    _Key(("P",), "replay.help.previous_pot", lambda p: p._go(p._replay.previous_pot(p.position))),
    _Key(("home",), "replay.help.first", lambda p: p._stop_and_go(0)),
    _Key(("end",), "replay.help.last", lambda p: p._stop_and_go(p._replay.last)),
    _Key(("c",), "replay.help.change", lambda p: p._stop_and_go(p._replay.next_change(p.position))),
    _Key(("j",), "replay.help.jump", lambda p: p._ask("replay.which_hand")),
    _Key(("/",), "replay.help.find", lambda p: p._ask("replay.which_words")),
    _Key(("a",), "replay.help.play", lambda p: p._play()),
    _Key(("+",), "replay.help.faster", lambda p: p._change_speed(1.5)),
    _Key(("-",), "replay.help.slower", lambda p: p._change_speed(1 / 1.5)),
    _Key(("s",), "replay.help.seat", lambda p: p._next_seat()),
    _Key(("o",), "replay.help.open", lambda p: p._open_cards()),
    _Key(("t",), "replay.help.text", lambda p: p._text()),
    _Key(("?", "h"), "replay.help.help", lambda p: p._help()),
    _Key(("q",), "replay.help.quit", lambda _: [Quit(0)]),
)
_BY_KEY: Final = {key: row for row in _KEYS for key in row.keys}
