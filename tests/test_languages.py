"""Every language says everything; a language is one file, and all that is said comes from it."""

import ast
import errno
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from babel.messages.extract import extract_from_dir

from kille_net import languages
from kille_net.cli import main
from kille_net.languages import LANGUAGES, NATIVE, CatalogueError, by_name
from tests.catalogues import TEXTS, fields, source
from tests.compiling import compile_catalogues, is_stale

PACKAGE = Path(languages.__file__).parent
SAYS = {
    "say": 1,
    "say_many": 1,
    "text": 1,
    "words": 1,
    "_tell": 1,
    "tell": 0,
    "tell_many": 0,
    "Fault": 0,
    "RecordError": 0,
}
"""What takes a key, as its argument of that number."""
PREFIXES = {("lessons.py", "_tell"): "lesson.", ("strategy.py", "_tell"): "lesson.strategy."}
"""What one of those that a module has of its own puts before its keys."""


def test_swedish_and_english_are_spoken() -> None:
    assert LANGUAGES[0] == NATIVE == "sv"
    assert "en" in LANGUAGES


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_text_is_missing_and_none_too_many(lang: str) -> None:
    assert TEXTS[lang].keys() == TEXTS["sv"].keys() | TEXTS["en"].keys()
    assert all(form.strip() for forms in TEXTS[lang].values() for form in forms)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_catalogues_can_be_read_side_by_side(lang: str) -> None:
    assert list(TEXTS[lang]) == list(TEXTS[NATIVE])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_text_has_the_same_fields_in_every_language(lang: str) -> None:
    for key, forms in TEXTS[lang].items():
        assert set().union(*map(fields, forms)) == set().union(*map(fields, TEXTS["en"][key])), key
        assert (len(forms) > 1) is (len(TEXTS["en"][key]) > 1), f"{key}: a number chooses it here, and not there"


NEVER_ONE = frozenset({"seats", "bots", "cards", "kinds", "lives", "minutes", "days"})
"""What there is always more of than one, where a text without forms counts it…"""
NO_NUMBER = frozenset({("help_marks", "deals")})
"""…and a field that is none."""


def test_what_may_be_one_has_a_form_for_it() -> None:
    """A number that stands before the name of what it counts chooses the text, by its own or within another."""
    whole = {key: forms[0] for key, forms in TEXTS["en"].items() if len(forms) == 1}
    found = {(key, word) for key, text in whole.items() for word in re.findall(r"\{(\w\w+s)\} \1\b", text)}
    assert {(key, word) for key, word in found if word not in NEVER_ONE} == NO_NUMBER


@pytest.mark.parametrize("lang", LANGUAGES)
def test_cries_stay_swedish(lang: str) -> None:
    cries = {key: text.strip("”") for key, (text, *_) in TEXTS[NATIVE].items() if key.startswith("cry.")}
    assert cries["cry.kavall"] == "Kavall förbi!"
    for key, swedish in cries.items():
        assert swedish in TEXTS[lang][key][0]


def test_english_calls_the_cards_by_their_english_names() -> None:
    """Swedish are the cries, Kuku as what is called, and the keys that the game and the protocol know as codes."""
    cards = {card: texts[0] for card, texts in TEXTS[NATIVE].items() if card.startswith("card.")}
    swedish = {name for card, name in cards.items() if name != TEXTS["en"][card][0]}
    assert len(swedish) >= 6
    own = {key: re.sub("“.*?”", "", "\n".join(forms)) for key, forms in TEXTS["en"].items() if " " not in key}
    own = {key: re.sub(r"\b(call|calls|called|call of|Ctrl-K) Kuku\b", "", text) for key, text in own.items()}
    assert {key: text for key, text in own.items() if any(re.search(rf"\b{name}", text) for name in swedish)} == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_read_is_what_is_written(lang: str) -> None:
    for key, forms in TEXTS[lang].items():
        if len(forms) == 1:
            assert languages.text(lang, key) == forms[0]


def test_a_key_without_a_text_is_an_error() -> None:
    with pytest.raises(KeyError, match="no_such_text"):
        languages.say("en", "no_such_text")
    with pytest.raises(KeyError, match="no_such_text"):
        languages.say_many("en", "no_such_text", 2)


# --- what the code says -----------------------------------------------------------------------------------------------


def patterns(tree: ast.AST) -> Iterator[str]:
    """The keys that a module asks for, as patterns: a field of an f-string may be anything."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield re.escape(text)
            case ast.JoinedStr(values=values):
                yield "".join(re.escape(str(v.value)) if isinstance(v, ast.Constant) else ".+" for v in values)


def asked(tree: ast.AST, module: str) -> Iterator[str]:
    """Those patterns alone that stand where a key must stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYS:
            at = SAYS[node.func.id]
            for key in node.args[at : at + 1]:
                if isinstance(key, ast.Constant | ast.JoinedStr):
                    yield re.escape(PREFIXES.get((module, node.func.id), "")) + next(patterns(key))


def trees() -> dict[Path, ast.AST]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def clicks_own() -> set[str]:
    """What click says, in English, which are the keys of these texts."""
    found = extract_from_dir(Path(click.__file__).parent, keywords={"_": None, "ngettext": (1, 2)})
    return {said if isinstance(said, str) else said[0] for _, _, said, _, _ in found}


def test_every_key_that_the_code_asks_for_has_a_text() -> None:
    wanted = {pattern for path, tree in trees().items() for pattern in asked(tree, path.name)}
    assert len(wanted) > 100
    assert {pattern for pattern in wanted if not any(re.fullmatch(pattern, key) for key in TEXTS["en"])} == set()


def test_every_text_has_something_that_asks_for_it() -> None:
    found = {pattern for tree in trees().values() for pattern in patterns(tree)} - {".+"}
    found |= {re.escape("lesson.") + pattern for pattern in found}
    known = re.compile("|".join(sorted(found)))
    systems = {os.strerror(number) for number in errno.errorcode}
    assert {key for key in TEXTS["en"] if not known.fullmatch(key)} - clicks_own() - systems == set()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_known_by_its_english_is_said_so_in_english(lang: str) -> None:
    """A key that is a sentence, of a floor below or of the system."""
    sentences = {key for key in TEXTS[lang] if " " in key} - clicks_own()
    assert len(sentences) > 70
    for key in sentences:
        assert fields(TEXTS[lang][key][0]) == fields(key)
        if lang == "en":
            assert TEXTS[lang][key] == (key,)


# --- adding a language ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_third(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package to which one file was added: Swedish in capitals, as the language `xx`."""
    folder = tmp_path_factory.mktemp("third")
    shutil.copytree(PACKAGE, folder / "kille_net", ignore=shutil.ignore_patterns("__pycache__", "*.mo"))
    locale = folder / "kille_net" / "locale"
    lines = source("sv", locale).read_text(encoding="utf-8").splitlines()
    added = source("xx", locale)
    added.parent.mkdir(parents=True)
    added.write_text("\n".join(capital(line) for line in lines).replace("Language: sv", "Language: xx"), "utf-8")
    compile_catalogues(locale)
    return folder


def capital(line: str) -> str:
    """The text in a line, but for its fields, between x and x."""
    text = re.fullmatch(r'(msgstr(?:\[\d\])? ")(.+)"', line)
    if text is None:
        return line
    return text[1] + re.sub(r"(?<![{:|.\w])\w+(?![}:|\w])", lambda word: f"x{word[0]}x", text[2]) + '"'


def run(folder: Path, script: str, *arguments: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(folder), "LANG": "xx_XX.UTF-8", "LC_ALL": "", "LANGUAGE": ""}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_a_language_is_one_file(with_third: Path) -> None:
    script = (
        "from kille_net.languages import LANGUAGES, __file__\n"
        "from kille_net.client.showing.texts import Who, cry, say, say_many\n"
        "from kille_net.client.commands import parse\n"
        "from kille_net.client.options import option_word, value_word\n"
        "from kille_net.client.showing.topics import find, names\n"
        "print(__file__, LANGUAGES)\n"
        "print(say('xx', 'struck', who=Who('Bo', 'xx', is_you=False)))\n"
        "print(say_many('xx', 'waits_seats', 2), cry('xx', 'husu'), f\"{Who('Bo', 'xx', is_you=False):p}\")\n"
        "print(parse('xskapax Bordet xplatserx=3 spel=xpinnarx'))\n"
        "print(find('xvärdshusx'), option_word('seats', 'xx'), value_word('short', 'xx'), names('xx')[0])\n"
    )
    first, *lines = run(with_third, script).splitlines()
    assert first == f"{with_third / 'kille_net' / 'languages.py'} ('sv', 'en', 'xx')"
    assert lines == [
        "Bo xärx xuthuggenx.",
        "2 xledigax xplatserx ”xSvinhuggx xgårx xigenx!” Boxsx",
        "Order(verb=<Verb.CREATE: 'create'>, rest='Bordet', options={'seats': '3', 'format': 'xpinnarx'})",
        "15 xplatserx xkortx xkortx",
    ]


def test_the_command_speaks_it_by_itself_and_when_it_is_told_to(with_third: Path) -> None:
    script = "from kille_net.cli import main; main()"
    told = run(with_third, script, "rules", "xhusux")
    assert "xMatadorx" in told or "xmatadorx" in told
    assert told == run(with_third, script, "--lang", "xx", "rules", "husu")
    assert "[sv|en|xx]" in run(with_third, script, "--help")


# --- the order of names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        (
            "sv",
            ["1 bord", "Anna", "émile", "Erik", "vera", "Wera", "Yngve", "Üwe", "Zeta", "Åsa", "ärla", "Ærø", "Öst"],
        ),
        ("en", ["1 table", "Anna", "Åsa", "émile", "Erik", "Ost", "Öst", "vera", "Wera", "Zeta", "Δ"]),
    ],
)
def test_names_stand_as_in_the_alphabet(lang: str, names: list[str]) -> None:
    for given in (names, names[::-1], [unicodedata.normalize("NFD", name) for name in names]):
        found = [unicodedata.normalize("NFC", name) for name in sorted(given, key=lambda name: by_name(lang, name))]
        assert found == names


def test_names_that_a_reader_takes_for_one_have_an_order_too() -> None:
    assert sorted(["bo", "Bo", "BO"], key=lambda name: by_name("sv", name)) == ["BO", "Bo", "bo"]


# --- what was compiled ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["missing", "stale", "cut short", "empty"])
def test_a_catalogue_that_cannot_be_read_is_one_line(
    with_third: Path, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    locale = tmp_path / "locale"
    shutil.copytree(with_third / "kille_net" / "locale", locale)
    compiled = source("en", locale).with_suffix(".mo")
    match how:
        case "missing":
            compiled.unlink()
        case "stale":
            os.utime(compiled, (1, 1))
            assert is_stale(locale)
        case "cut short":
            compiled.write_bytes(compiled.read_bytes()[:1000])
        case _:
            compiled.write_bytes(b"")
    monkeypatch.setattr(languages, "LOCALE", locale)
    languages._catalogue.cache_clear()
    with pytest.raises(CatalogueError):
        languages.text("en", "you")
    with pytest.raises(SystemExit) as end:
        main(["--lang", "en", "rules", "nonsense"])
    assert end.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    languages._catalogue.cache_clear()


DAMAGED: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:1000]),
    "in no encoding": lambda path: path.write_bytes(path.read_bytes().replace(b"charset=utf-8", b"charset=utf-x")),
    "noise": lambda path: path.write_bytes(os.urandom(1000)),
    "a pipe": lambda path: os.mkfifo(path.rename(path.with_suffix(".old")).with_suffix(".mo")),
    "a folder": lambda path: path.rename(path.with_suffix(".old")).with_suffix(".mo").mkdir(),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_a_damaged_catalogue_is_one_line_whatever_is_asked_for(with_third: Path, tmp_path: Path, how: str) -> None:
    shutil.copytree(with_third / "kille_net", tmp_path / "kille_net")
    damaged = source("xx", tmp_path / "kille_net" / "locale").with_suffix(".mo")
    DAMAGED[how](damaged)
    (tmp_path / "kille").mkdir()
    (tmp_path / "kille" / "client.toml").write_text('lang = "xx"\n')
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "LANG": "C", "LANGUAGE": "en"}
    for line in ("--lang xx --help", "--lang xx join --help", "--lang xx no", "--lang en rules husu", "join h"):
        done = subprocess.run(
            [sys.executable, "-P", "-c", "from kille_net.cli import main; main()", *line.split()],
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), line
        assert f"the texts in 'xx' are damaged; install Kille again, or in a checkout delete {damaged}" in done.stderr


def test_without_its_source_what_was_compiled_is_enough(
    with_third: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locale = tmp_path / "locale"
    shutil.copytree(with_third / "kille_net" / "locale", locale, ignore=shutil.ignore_patterns("*.po"))
    monkeypatch.setattr(languages, "LOCALE", locale)
    languages._catalogue.cache_clear()
    assert languages.text("xx", "lesson.pair") == "{swedish} – {other}"
    assert languages._found() == ("sv", "en", "xx")
    languages._catalogue.cache_clear()
