"""Bots by name: the built-in ones, and those in a file of their author's.

Every mistake an author can make here is a `BotError` of one line. A file is run as any program is: what it does
when it is loaded is its author's business.
"""

import importlib.util
import sys
import threading
import traceback
from collections.abc import Mapping
from importlib.abc import SourceLoader
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final

from kille_net.bots.base import Factory, as_bot, is_bot
from kille_net.bots.careful import CarefulBot
from kille_net.bots.chart import ChartBot
from kille_net.bots.deep import DeepBot
from kille_net.bots.perfect import PerfectBot
from kille_net.bots.printing import Log, printing_to
from kille_net.bots.sharp import SharpBot
from kille_net.bots.simple import EasyBot, RandomBot

__all__ = ["BUILT_IN", "BotError", "file_of", "load", "load_within"]

BUILT_IN: Final[Mapping[str, Factory]] = MappingProxyType(
    {
        "random": RandomBot,
        "easy": EasyBot,
        "careful": lambda _rng: CarefulBot(),
        "chart": lambda _rng: ChartBot(),
        "sharp": lambda _rng: SharpBot(),
        "perfect": lambda rng: PerfectBot(rng=rng),
        "deep": DeepBot,
    }
)
"""The players that come with the game, weakest first. `chart` knows its chart alone. Among two and three, `deep` is
`perfect`; where there are more, `perfect` is `sharp`, and `deep` searches.
"""

_SUFFIX: Final = ".py"


class BotError(Exception):
    """There is no bot where one was named; the text is one line without a full stop.

    It is `template` with its `values`, by which it can be translated.
    """

    def __init__(self, template: str, **values: object) -> None:
        self.template = template
        self.values = values
        # Without values it is whole already, as where it comes from another process.
        super().__init__(" ".join((template.format(**values) if values else template).split()))


def load(name: str, text: bytes | None = None) -> Factory:
    """The bot of that name: a built-in one, or `FILE.py` or `FILE.py:NAME`. Raises BotError.

    `text`: what the file has in it, where it need not be.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    path, inside = file_of(name), name.rpartition(_SUFFIX + ":")[2]
    if path.suffix != _SUFFIX:
        names = ", ".join(BUILT_IN)
        msg = "there is no built-in bot '{name}' ({names}), and the name of a file with a bot ends in {suffix}"
        raise BotError(msg, name=name, names=names, suffix=_SUFFIX)
    module = _load_file(path, text)
    source = _pick(path, module, inside) if inside != name else _find(path, module)

    return lambda rng: as_bot(source, rng)


def file_of(name: str) -> Path:
    """The file that the name of a bot that is not built in begins with."""
    file, colon, _ = name.rpartition(_SUFFIX + ":")
    return Path(file + _SUFFIX if colon else name)


def load_within(name: str, seconds: float, log: Log | None = None, text: bytes | None = None) -> Factory:
    """The same, but for no longer than that; `log` takes what the file prints. Raises BotError."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    came: list[Factory | BaseException] = []

    def run() -> None:
        try:
            with printing_to(log):
                came.append(load(name, text))
        except BaseException as error:  # to be raised where somebody waits
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not came:
        msg = "{name} is not loaded after {seconds} s: what it does when it is loaded takes too long"
        raise BotError(msg, name=name, seconds=f"{seconds:g}")
    if isinstance(came[0], BaseException):
        raise came[0]
    return came[0]


class _Sent(SourceLoader):
    """Loads a file that is elsewhere, and shows its lines in tracebacks, as if it were here."""

    def __init__(self, path: Path, text: bytes) -> None:
        self._path = path
        self._text = text

    def get_filename(self, fullname: str) -> str:
        return str(self._path)

    def get_data(self, path: str | bytes) -> bytes:
        return self._text


def _load_file(path: Path, text: bytes | None) -> ModuleType:
    where = str(path.resolve())
    sent = None if text is None else _Sent(path, text)
    spec = importlib.util.spec_from_file_location(where, path, loader=sent)
    if (sent is None and not path.is_file()) or spec is None or spec.loader is None:
        msg = "there is no file {path}"
        raise BotError(msg, path=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[where] = module  # as import does: dataclasses look themselves up there
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as for a program that is run: its neighbours can be imported
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever an author's file can raise, SystemExit too
        del sys.modules[where]
        raise _why_not(path, error) from error
    return module


def _why_not(path: Path, error: BaseException) -> BotError:
    line = error.lineno if isinstance(error, SyntaxError) else None
    for frame in traceback.extract_tb(error.__traceback__):
        if line is None and Path(frame.filename) == path:
            line = frame.lineno
    said = error.msg if isinstance(error, SyntaxError) else "".join(traceback.format_exception_only(error)).strip()
    if line is None:
        return BotError("{path}: {said}", path=path, said=said)
    return BotError("{path}, line {line}: {said}", path=path, line=line, said=said)


def _candidates(module: ModuleType) -> dict[str, object]:
    """The public bots that the file itself defines: classes with `decide`, and a function of that name."""
    own = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and is_bot(value) and getattr(value, "__module__", None) == module.__name__
    }
    found = {name: value for name, value in own.items() if isinstance(value, type) or name == "decide"}
    return found or own


def _find(path: Path, module: ModuleType) -> object:
    found = _candidates(module)
    if not found:
        msg = "{path} has no bot in it: a function of a view, or a class with a method 'decide'"
        raise BotError(msg, path=path)
    if len(found) > 1:
        msg = "{path} has several bots in it; name one of {bots}"
        raise BotError(msg, path=path, bots=", ".join(f"{path}:{name}" for name in found))
    return next(iter(found.values()))


def _pick(path: Path, module: ModuleType, name: str) -> object:
    source = vars(module).get(name)
    if source is None:
        there = ", ".join(_candidates(module))
        if not there:
            msg = "{path} has no '{name}' in it, and no bot at all"
            raise BotError(msg, path=path, name=name)
        msg = "{path} has no '{name}' in it; it has {there}"
        raise BotError(msg, path=path, name=name, there=there)
    if not is_bot(source):
        msg = "'{name}' in {path} is no bot: neither a function of a view nor a class with a method 'decide'"
        raise BotError(msg, name=name, path=path)
    return source
