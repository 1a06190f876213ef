"""What the keys of a replay do, and that its picture fits every terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from kille_net.client.effects import Print, Quit
from kille_net.client.playback import BACKSPACE, ENTER, ESCAPE, MAX_SPEED, MIN_SPEED, Playback
from kille_net.client.replaying import Replay, load
from kille_net.game.record import to_json
from tests.client.looking import SIZES, text_of
from tests.client.test_replaying import hostile
from tests.game.playing import some_matches

REPLAY = load(map(to_json, some_matches(2)[0]))
"""Of four seats."""


def pressed(*keys: str, lang: str = "en", replay: Replay = REPLAY) -> Playback:
    playback = Playback(replay, lang)
    for key in keys:
        playback.press(key)
    return playback


def bar(playback: Playback) -> str:
    return "\n".join(text_of(playback.picture((120, 24)))[-1:])


@pytest.mark.parametrize(
    ("keys", "position"),
    [
        ((" ", "right", " "), 3),
        ((" ", " ", "left"), 1),
        (("left",), 0),
        (("end",), REPLAY.last),
        (("end", " "), REPLAY.last),
        (("end", "home"), 0),
        (("n", "n"), REPLAY.steps_of(2)[0]),
        (("n", "n", " ", "p"), REPLAY.steps_of(2)[0]),
        (("n", "n", "p"), REPLAY.steps_of(1)[0]),
        (("N", "N"), REPLAY.next_pot(REPLAY.next_pot(0))),
        (("N", "N", "P"), REPLAY.next_pot(0)),
        (("j", "1", "2", BACKSPACE, BACKSPACE, "3", ENTER), REPLAY.steps_of(3)[0]),
        (("j", "3", ESCAPE), 0),
        (("j", "3", ESCAPE, " "), 1),
        (("j", ENTER), 0),
        (("j", *"99999", ENTER), 0),
        (("j", "x", ENTER), 0),
        (("j", *"9" * 5000, ENTER), 0),
        (("/", *"wins pot 1.", ENTER), REPLAY.find("wins pot 1.", 0, None, "en")),
        (("/", *"quack", ENTER), 0),
        (("c",), REPLAY.next_change(0)),
        (("unknown", "\x00", "å", ""), 0),
    ],
)
def test_where_the_keys_lead(keys: tuple[str, ...], position: int) -> None:
    assert pressed(*keys).position == position


def test_what_cannot_be_found_is_said_until_the_next_key() -> None:
    playback = pressed("j", "0", ENTER)
    assert bar(playback).startswith(f"there is no hand 0; the last is {REPLAY.hands}")
    playback.press("j")
    assert bar(playback) == "Hand: _"
    playback.press("7")
    assert bar(playback) == "Hand: 7_"
    assert "nothing is told of: quack" in bar(pressed("/", *"quack", ENTER))


def test_whose_eyes() -> None:
    playback = pressed("n")
    seen = [playback.viewer]
    for _ in range(5):
        playback.press("s")
        seen.append(playback.viewer)
        assert f"As {REPLAY.names[seen[-1] or 0]} saw it." in bar(playback)
    assert seen == [None, 0, 1, 2, 3, 0]
    playback.press("o")
    assert playback.viewer is None
    assert "All cards are open." in bar(playback)


def test_it_plays_by_itself_until_a_step_is_taken_or_the_end_comes() -> None:
    playback = pressed("a")
    playback.tick()
    assert (playback.position, playback.is_playing) == (1, True)
    assert bar(playback).startswith("playing, 60 a minute")
    playback.press("n")
    assert playback.is_playing
    playback.press("a")
    playback.tick()
    assert (playback.position, playback.is_playing) == (REPLAY.next_hand(1), False)
    playback.press("a")
    playback.press(" ")
    assert not playback.is_playing
    playback.press("a")
    for _ in range(REPLAY.last):
        playback.tick()
    assert (playback.position, playback.is_playing) == (REPLAY.last, False)
    assert bar(playback).startswith("the end")
    playback.press("a")
    assert not playback.is_playing


def test_the_speed_has_bounds() -> None:
    playback = pressed("+", "+")
    assert playback.speed > 60
    for key, most in (("+", MAX_SPEED), ("-", MIN_SPEED)):
        for _ in range(40):
            playback.press(key)
        assert playback.speed == most


def test_text_help_and_leaving() -> None:
    playback = pressed("n", "s")
    text = playback.press("t")
    assert [effect.text for effect in text if isinstance(effect, Print)][1:-1] == REPLAY.pasted(0, "en", 1)
    shown = [effect.text for effect in playback.press("?") if isinstance(effect, Print)]
    for key in ("space, →", "←", "n", "p", "j", "a", "+", "-", "s", "o", "t", "q"):
        assert any(line.startswith(f"  {key}: ") for line in shown)
    assert playback.press("q") == [Quit(0)]
    assert pressed("j").press("q") == (), "a letter of what is typed"


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("size", [*SIZES, (2, 200), (500, 1), (10, 3)])
def test_the_picture_fits_every_terminal(size: tuple[int, int], lang: str) -> None:
    replay = hostile()
    for n in range(replay.last + 1):
        for viewer in (None, 0, 3):
            lines = text_of(Playback(replay, lang, viewer=viewer, position=n).picture(size))
            assert len(lines) <= size[1]
            for line in lines:
                assert wcswidth(line) <= size[0]
                assert line.isprintable()


def test_the_picture_tells_the_hand_so_far_the_table_and_where_one_is() -> None:
    playback = pressed("n", " ", lang="sv")
    lines = text_of(playback.picture((100, 24)))
    first = REPLAY.steps_of(1)[0]
    assert lines[: len(REPLAY.told(first, None, "sv"))] == REPLAY.told(first, None, "sv")
    *_, table, situation, where = lines
    assert all(name in table for name in REPLAY.names)
    assert table.count("(") + table.count("[") == len(REPLAY.names), "all cards are shown"
    assert "giv 1" in situation
    assert where == f"giv 1/{REPLAY.hands}, steg 2/{REPLAY.last} · Alla kort är öppna. · mellanslag: framåt, ?: hjälp"


@given(keys=st.lists(st.sampled_from([*" npNPcatsoj/+-?x7", "left", "right", "home", "end", ENTER, ESCAPE, BACKSPACE])))
def test_no_keys_lead_astray(keys: list[str]) -> None:
    playback = pressed(*keys, lang="sv")
    playback.tick()
    assert 0 <= playback.position <= REPLAY.last
    for size in ((1, 1), (30, 8), (80, 24)):
        playback.picture(size)
