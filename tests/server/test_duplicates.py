"""A round of duplicates, from the digest that is told as it begins to the packs that anybody can work out when it is
over; and nothing of it before (protocol/v1/protocol.md §6.13, §7.8)."""

import json
from hashlib import sha256
from pathlib import Path

from kille_net.game.cards import FULL_PACK
from kille_net.game.replay import verify
from kille_net.server.history import History
from kille_net.wire import messages as m
from tests.game import second_shuffle
from tests.server.house import Guest, House
from tests.server.scheduling.house import bots, news, plan, play_on

TABLES = 3
ROUNDS = 2


def begun(folder: Path) -> tuple[House, list[Guest]]:
    house = House(data=folder)
    guests = bots(house, 2 * TABLES)
    of_bots = plan(m.TournamentKind.SWISS, 2, duplicate=True, rounds=ROUNDS)
    assert isinstance(house.do(guests[0], lambda k: m.OpenTournament(id=k, tournament="Tio", plan=of_bots)), m.Ok)
    for guest in guests:
        assert isinstance(house.do(guest, lambda k: m.SignUp(id=k, tournament="Tio")), m.Ok)
    assert isinstance(house.do(guests[0], lambda k: m.BeginTournament(id=k, tournament="Tio")), m.Ok)
    return house, guests


def texts(guest: Guest, happening: m.Happening) -> dict[int, str]:
    return {one.round: one.text for one in news(guest, happening)}


def test_all_tables_have_the_packs_of_the_seed_whose_digest_was_told(tmp_path: Path) -> None:
    house, guests = begun(tmp_path)
    while not news(guests[0], m.Happening.OVER):
        play_on(house, guests, 5.0)
    digests, seeds = (texts(guests[0], one) for one in (m.Happening.ROUND, m.Happening.ROUND_OVER))
    assert set(seeds) == {1, 2}
    assert {number: sha256(seed.encode()).hexdigest() for number, seed in seeds.items()} == digests
    lines = [[json.loads(line) for line in keep.lines] for keep in house.kept]
    assert len(lines) == TABLES * ROUNDS
    for keep in house.kept:
        assert verify(keep.lines).error is None
    for seed in seeds.values():
        tables = [record for record in lines if record[0]["shuffle"]["seed"] == seed]
        assert len(tables) == TABLES
        assert len({record[0]["id"] for record in tables}) == TABLES
        secret = second_shuffle.secret_of(seed)
        for header, *rest in tables:
            assert header["first_dealer"] == second_shuffle.first_dealer(secret, bytes(16), (), 2)
            for hand in (line for line in rest if line["type"] == "hand"):
                for redeal, pack in enumerate(hand["packs"]):
                    order = second_shuffle.place_of_pack(secret, bytes(16), (), hand["n"], redeal)
                    assert pack == [FULL_PACK[place].code for place in order]


def test_nothing_of_a_match_is_read_before_its_round_is_over(tmp_path: Path) -> None:
    house, guests = begun(tmp_path)
    assert house.store is not None
    waited = 0
    open_ids: set[str] = set()
    while not news(guests[0], m.Happening.OVER):
        play_on(house, guests[: 1 + house.last_id % len(guests)], 0.5, step=0.1)
        over = {sha256(seed.encode()).hexdigest() for seed in texts(guests[0], m.Happening.ROUND_OVER).values()}
        open_ids = set()
        for keep in house.kept:
            shuffle = json.loads(keep.lines[0])["shuffle"]
            if sha256(shuffle["seed"].encode()).hexdigest() in over:
                open_ids.add(keep.match_id)
        with History(tmp_path) as history:
            assert {match for _, match in history.over()} == open_ids
            assert all(entry.ended is None for entry in history.last(99) if entry.id not in open_ids)
        assert {keep.match_id for keep in house.store.unrecorded()} == open_ids
        waited += len(house.kept) > len(open_ids)
    assert waited, "some tables were done before others"
    assert len(open_ids) == TABLES * ROUNDS
