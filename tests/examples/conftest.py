"""One server for all examples, on a free port of this machine."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.examples.running import KILLE, Programs, line


@pytest.fixture
def programs() -> Iterator[Programs]:
    with ExitStack() as stack:
        yield Programs(stack)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[str], str]]:
    """Where the server listens, host and port, as the examples take them; and the fingerprint of its key."""
    data = str(tmp_path_factory.mktemp("server"))
    with ExitStack() as stack:
        process = Programs(stack).start(KILLE, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data)
        address = line(process).rpartition(" ")[2].rsplit(":", 1)
        line(process)  # the words
        yield address, line(process).removeprefix("pin: ")


@pytest.fixture
def server(served: tuple[list[str], str]) -> list[str]:
    return served[0]


@pytest.fixture
def pin(served: tuple[list[str], str]) -> list[str]:
    """What makes an example speak TLS."""
    return ["--pin", served[1]]
