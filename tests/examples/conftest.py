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
def server() -> Iterator[list[str]]:
    """Where the server listens: host and port, as the examples take them."""
    with ExitStack() as stack:
        process = Programs(stack).start(KILLE, "serve", "--host", "127.0.0.1", "--port", "0")
        yield line(process).rpartition(" ")[2].rsplit(":", 1)
