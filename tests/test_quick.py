"""A quick match from end to end: two people meet, a computer takes what is empty, and one comes late."""

from contextlib import ExitStack

from tests.serving import serving
from tests.test_evening import Person

SECONDS = 12
"""For which tables gather."""


def test_two_meet_and_one_comes_late() -> None:
    with ExitStack() as stack:
        port = stack.enter_context(serving("--limit", f"quick={SECONDS}"))

        def person(name: str, says: dict[str, str], *wishes: str) -> Person:
            return stack.enter_context(Person(port, name, says, "--quick", *wishes))

        anna = person("Anna", {}, "--seats", "3", "--length", "short")
        anna.enter()
        bo = person("Bo", {"You are dealt": "quit"})
        assert bo.leave() == (0, "")
        cilla = person("Cilla", {"The match begins in": "quit"}, "--format", "pots")
        assert cilla.leave() == (0, "")

    def told(somebody: Person, text: str) -> list[str]:
        return [line for line in somebody.lines if text in line]

    (title,) = told(bo, "Table Krogen 1")
    assert "short, 3 seats" in title, "what Anna wished for"
    assert told(anna, "Bo has sat down.")
    for somebody in (anna, bo):
        waits = [int(line.split(" in ")[1].split()[0]) for line in told(somebody, "The match begins in")]
        assert waits
        assert max(waits) <= SECONDS
        assert waits == sorted(waits, reverse=True), "nobody puts it off"
        assert told(somebody, "The computer Movitz has sat down.")
        assert not told(somebody, "Type ready")
    assert told(cilla, "Table Krogen 2"), "the match of the others has begun"
