"""What a line of the log may hold, how long it may be, and how many there may be."""

import json
import logging

import pytest

from kille_net.server import logs
from kille_net.server.logs import MOST_BYTES, LogFormat, log, where
from tests.catalogue.rows import row


@pytest.fixture(params=LogFormat)
def lines(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> pytest.LogCaptureFixture:
    monkeypatch.setitem(logs._formats, "now", request.param)
    logs._throttles.clear()
    caplog.set_level(logging.INFO)
    return caplog


def test_a_line_tells_when_how_bad_and_what(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setitem(logs._formats, "now", LogFormat.TEXT)
    log.info("room_made", room="Gyldene Freden", seats=("Ada", "Bo"), count=3, bot=False, empty="")
    monkeypatch.setitem(logs._formats, "now", LogFormat.JSON)
    log.error("room_failed", error="KeyError")
    text, as_json = caplog.messages
    when, rest = text.split(" ", 1)
    assert when.startswith("time=20")
    assert rest == 'level=info event=room_made room="Gyldene Freden" seats="Ada, Bo" count=3 bot=false'
    fields = json.loads(as_json)
    assert fields.pop("time")[-1] == "Z"
    assert fields == {"level": "error", "event": "room_failed", "error": "KeyError"}


@row(22)
@pytest.mark.parametrize(
    "value",
    ["\x1b]0;x\x07" * 90, '"' * 999, "\\" * 999, "\u202e" * 999, "å" * 999, "\n" * 99, "\U0001f0cf" * 99],
)
def test_a_line_is_one_line_and_short_whatever_a_peer_wrote(lines: pytest.LogCaptureFixture, value: str) -> None:
    log.info("let_in", name=value, other=value, third="kept")
    (line,) = lines.messages
    assert len(line.encode()) <= MOST_BYTES
    assert line.isprintable()
    assert "kept" in line


def test_a_value_of_another_type_is_not_shown(lines: pytest.LogCaptureFixture) -> None:
    log.info("let_in", raw=b"secret", thing={"secret": 1}, error=KeyError("secret"))
    assert "secret" not in lines.text
    assert "(bytes)" in lines.text


def test_lines_beyond_a_rate_are_counted_and_not_written(
    lines: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 5.0
    monkeypatch.setattr("kille_net.server.logs.time.monotonic", lambda: now)
    for _ in range(1000):
        log.info("not_let_in")
    assert len(lines.messages) == 200
    log.info("match_ended")
    assert len(lines.messages) == 201, "others are not drowned"
    now += 1.0
    log.info("not_let_in")
    assert "800" in lines.messages[-1]
    log.info("not_let_in")
    assert "held_back" not in lines.messages[-1]


@row(33)
def test_where_an_error_was_begins_with_its_innermost_step_and_says_nothing_of_its_text() -> None:
    def inner() -> None:
        raise KeyError("secret")

    with pytest.raises(KeyError) as caught:
        inner()
    said = where(caught.value)
    assert said.startswith("KeyError at test_logs.py:")
    assert said.index("inner") < said.index("test_where")
    assert "secret" not in said
