"""Models to look at, and sizes to look at them in."""

import msgspec

from kille_net.client.effects import Line
from kille_net.client.model import Model, reduce
from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, OPTIONS, Outlet, Table, room

SIZES = [(1, 1), (8, 2), (20, 5), (40, 12), (80, 24), (300, 100), (500, 200)]


def text_of(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in line) for line in lines]


def seated(names: tuple[str, ...] = NAMES[:3], *, ms: int = 0, me: int = 0) -> Model:
    """A model whose client is asked at the table."""
    options = msgspec.structs.replace(OPTIONS, seats=len(names))
    outlet = Outlet()
    table = Table(outlet, 3, names, options)
    table.begin()
    table.step(ms=ms)
    model = reduce(
        Model(),
        wire.Welcome(
            version=1, agent="srv", name=names[me], settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0
        ),
        0.0,
    )
    model = reduce(
        model, wire.Snapshot(seq=0, room=room(*names, options=options), view=None, match=0, open=None, rest=None), 0.0
    )
    for message in outlet.take():
        model = reduce(model, message, 0.0)
    return model
