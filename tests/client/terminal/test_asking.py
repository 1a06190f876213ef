"""What a person is asked before there is a session: the name, where the one that was given cannot be had."""

from pathlib import Path

import pytest

from kille_net.client.net.tickets import FOLDER, Slot
from kille_net.wire import messages as wire
from tests.client.fake_server import FakeServer
from tests.client.screen import KILLE, Terminal, environment

TAKEN = wire.Bye(code=wire.ByeCode.NAME_TAKEN, place="", versions=wire.VERSIONS)


def join(server: FakeServer, *options: str, lang: str = "en", data: Path | None = None) -> Terminal:
    env = environment(KILLE_DATA=str(data)) if data is not None else environment()
    return Terminal((*KILLE, "--lang", lang, "join", *options, f"127.0.0.1:{server.port}"), size=(100, 24), env=env)


@pytest.mark.parametrize(
    ("lang", "question", "bad"),
    [("en", "Ada is taken on this server.", "A name has 1 to"), ("sv", "Ada är upptaget på den", "Ett namn har 1")],
)
def test_who_finds_the_name_taken_is_asked_for_another(lang: str, question: str, bad: str) -> None:
    with FakeServer() as server, join(server, "--name", "Ada", lang=lang) as terminal:
        peer = server.accept()
        assert peer.receive(wire.Hello).name == "Ada"
        peer.send(TAKEN)
        terminal.see(question).press("<b>\r").see(bad).press("Bo\r")
        assert server.accept().welcome("Bo").name == "Bo"
        terminal.wait(lambda: terminal.is_raw, "the prompt")


def test_who_answers_nothing_leaves_as_refused() -> None:
    with FakeServer() as server, join(server, "--name", "Ada") as terminal:
        server.accept().send(TAKEN)
        terminal.see("Another name").press("\r")
        assert terminal.end() == 4


def test_the_questions_end() -> None:
    with FakeServer() as server, join(server, "--name", "Ada") as terminal:
        for number in range(6):
            server.accept().send(TAKEN)
            if number < 5:
                terminal.wait(lambda: terminal.printed.count("is taken on") == number + 1).press("Bo\r")  # noqa: B023  at once
        assert terminal.end() == 4
        assert terminal.rows[-1] == "kille: That name is taken. Choose another with --name."


def test_the_second_person_at_a_machine_is_asked_for_a_name(tmp_path: Path) -> None:
    with FakeServer() as server:
        slot = Slot(tmp_path / FOLDER, "127.0.0.1", server.port, "Åke")
        slot.keep("0" * 64)
        with join(server, data=tmp_path) as terminal:
            terminal.see("Already playing there from this machine: Åke.").press("Bo\r")
            assert server.accept().welcome("Bo").name == "Bo"
        slot.close()
        with join(server, data=tmp_path) as terminal:
            hello = server.accept().welcome("Åke")
            assert (hello.name, hello.ticket) == ("Åke", "0" * 64)
