"""What a host reads at a terminal, in the chosen language, and what programs go on reading."""

import re
import socket
from pathlib import Path

import pytest

from kille_net.cli.hosting import explain, in_words
from kille_net.cli.speaking import speaking
from tests.client.screen import KILLE, Terminal, environment
from tests.serving import kille

SAID = {
    "en": ("Others type the first line above.", "Ctrl-C a second time", "Bo has come in.", "Bo has left.", "Stopped."),
    "sv": ("Andra skriver den första raden", "Ctrl-C en gång till", "Bo har kommit.", "Bo har gått.", "Stängd."),
}


@pytest.mark.parametrize("lang", SAID)
def test_a_host_is_told_what_others_do_and_what_happens(lang: str, tmp_path: Path) -> None:
    command = (*KILLE, "--lang", lang, "serve", "--host", "127.0.0.1", "--port", "0")
    env = environment(KILLE_DATA=str(tmp_path))
    with Terminal((*command, "--no-discovery"), size=(120, 40), env=env) as terminal:
        others, twice, came, left, stopped = SAID[lang]
        terminal.see(others).see(twice)
        first = terminal.rows[0]
        found = re.fullmatch(r"kille join 127\.0\.0\.1:(\d+)", first)
        assert found is not None, "the first line is for programs, too"
        for _ in range(3):
            socket.create_connection(("127.0.0.1", int(found[1])), timeout=20).close()
        kille("--data", str(tmp_path / "bo"), "join", "--plain", "--name", "Bo", f"127.0.0.1:{found[1]}")
        terminal.see(came).see(left).press("\x03")
        assert terminal.end() == 0
        assert stopped in terminal.text
        assert "127.0.0.1" not in terminal.text.replace(first, ""), "who only looks is no guest that was refused"
        assert "event=" not in terminal.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"event": "let_in", "name": "Ada", "resumed": "room"}, "Ada is back."),
        (
            {"event": "session_ended", "name": "Ada", "code": "silent"},
            "lost contact (nothing was heard for a long time)",
        ),
        ({"event": "not_let_in", "address": "::1", "code": "bad_field"}, "Somebody at ::1 was not let in (bad_field)."),
        ({"event": "match_begun", "room": "Krogen"}, "A match begins at Krogen: ."),
        ({"event": "draining", "seconds": 30.0}, "have 30 s to end"),
        ({"event": "tournament_opened", "tournament": "Torsdag"}, "Torsdag is open for signing up."),
        ({"event": "round_began", "tournament": "Torsdag", "round": 2}, "Torsdag: round 2 begins."),
        ({"event": "tournament_over", "tournament": "Torsdag", "first": "Bo, Ada"}, "Torsdag is over. First: Bo, Ada."),
        (
            {"event": "tournament_not_opened", "tournament": "Torsdag", "code": "tournament_exists"},
            "Torsdag is not opened (it goes on from before).",
        ),
    ],
)
def test_a_line_of_the_log_in_words(fields: dict[str, object], said: str) -> None:
    with speaking(["--lang", "en"]):
        line = in_words({"level": "info", **fields})
        assert line is not None
        assert re.match(r"\d\d:\d\d ", line)
        assert said in line


def test_what_has_no_words_is_left_out_unless_it_is_wrong_or_more() -> None:
    with speaking(["--lang", "en"]):
        assert in_words({"level": "info", "event": "started"}) == ""
        assert in_words({"level": "error", "event": "room_failed"}) is None
        assert in_words({"level": "info", "event": "let_in", "name": "Ada", "held_back": 3}) is None


def test_who_can_be_found_is_told_how() -> None:
    with speaking(["--lang", "en"]):
        assert "choose Krogen from the list" in explain("Krogen")[0]
