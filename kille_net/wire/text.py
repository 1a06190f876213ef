"""What a peer's text may be before it is kept, passed on, shown or logged, and what a name may be.

Owns the one cleaning that every text from outside goes through, and the one check of names. Refuses to know where a
text goes.
"""

import unicodedata
from typing import Final

from wcwidth import wcwidth

__all__ = ["MAX_NAME", "name_key", "safe_text", "valid_name"]

MAX_NAME: Final = 16
"""Characters, after NFC."""

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_BAD_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS_PER_BASE: Final = 2
_EMOJI_SELECTOR: Final = "\N{VARIATION SELECTOR-16}"

_NAME_CATEGORIES: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"})
_NAME_OTHERS: Final = frozenset(" -_'")
_UNSEEN_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
"""The Hangul fillers: letters that show nothing."""


_LOOK_ALIKES: Final = str.maketrans(
    # Latin and digits. Case folding has made I an i, so that i is an l, too.
    dict.fromkeys("i1\u0131\u0269", "l")
    | {"0": "o", "\u0237": "j", "\u0251": "a", "\u0261": "g"}
    # Cyrillic, where either case looks like a Latin letter.
    | dict(zip("авгеһіјкмнорстухѕԛԝүѵӏԁҽ", "abrehljkmhopctyxsqwyvlde", strict=True))
    # Greek.
    | dict(zip("αβγεζηικνορτυχϲϳ", "abyezhlknoptyxcj", strict=True))
)
"""Letters of Cyrillic and Greek, and digits, that look like a Latin letter in one of their cases → that letter, folded;
the part for names of the data of Unicode's UTS #39 (confusables.txt), taken together with case folding.
"""
_SEEN_AMONG_LATIN: Final = str.maketrans({"\u03bd": "v", "\u03b7": "n", "\u03c5": "u", "\u03c3": "o"})
"""Small Greek letters that look like another letter than their capitals do, and so do in the midst of Latin ones."""


def safe_text(text: str, cells: int) -> str:
    """The text in NFC, fit for one line of a terminal and at most so many cells wide; what does not fit is cut off.

    Every control, format, surrogate, private, unassigned and line-breaking character becomes U+FFFD, every other space
    a space, and a base keeps two marks. The result of a result is itself.
    """
    kept: list[str] = []
    left = cells
    marks = _MARKS_PER_BASE  # nothing to stand on yet
    base_width = 0
    for char in unicodedata.normalize("NFC", text):
        shown = _one(char)
        width = wcwidth(shown)
        if width <= 0 and not kept:
            shown, width = _REPLACEMENT, 1
        if width <= 0:
            more = _cells_of_mark(shown, base_width)
            if marks < _MARKS_PER_BASE and more <= left:
                left -= more
                base_width += more
                marks += 1
                kept.append(shown)
            continue
        if width > left:
            break
        left -= width
        marks = 0
        base_width = width
        kept.append(shown)
    return "".join(kept)


def _cells_of_mark(mark: str, base_width: int) -> int:
    """How many cells a terminal may add to a base for it: one for a mark that stands beside its base, or widens it."""
    if unicodedata.category(mark) == "Mc":
        return 1
    return 1 if mark == _EMOJI_SELECTOR and base_width == 1 else 0


def _one(char: str) -> str:
    category = unicodedata.category(char)
    if category in _BAD_CATEGORIES or wcwidth(char) < 0:
        return _REPLACEMENT
    return " " if category == "Zs" else char


def valid_name(name: str) -> str | None:
    """The name as it is kept, in NFC; None: it is not one.

    1 to 16 letters, digits, spaces and `-_'`, with no space at an end and no two beside each other.
    """
    name = unicodedata.normalize("NFC", name)
    if not 1 <= len(name) <= MAX_NAME or "  " in name or name != name.strip(" "):
        return None
    return name if all(_fits_name(char) for char in name) else None


def _fits_name(char: str) -> bool:
    if char in _NAME_OTHERS:
        return True
    return unicodedata.category(char) in _NAME_CATEGORIES and char not in _UNSEEN_LETTERS and wcwidth(char) > 0


def name_key(name: str) -> str:
    """What two names have in common that a player would take for one: equal after NFKC, case folding and look-alikes.

    A letter with a mark is another letter: å is no a.
    """
    text = unicodedata.normalize("NFKD", name)
    if any(char.isascii() and char.isalpha() for char in text):
        text = text.translate(_SEEN_AMONG_LATIN)
    for _ in range(2):  # what is folded may decompose once more
        text = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFKC", text.translate(_LOOK_ALIKES)).casefold()
