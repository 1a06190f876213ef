"""§7.5 written down once more, on plain maps and by the text alone, as a client in another language would."""

from collections.abc import Callable
from typing import Any

Fields = dict[str, Any]

VARDSHUS, KAVALL, KUKU, HARLEKIN = 15, 16, 19, 20
UNCHANGED = frozenset({"room", "said", "late", "rest", "shuffle", "commits", "nonces", "void", "secret"})


def fold(view: Fields | None, event: Fields, *, rules: Fields, seat: int | None) -> Fields | None:
    """The view after an event; `rules` and `seat` make the first one."""
    tag = event["t"]
    if tag in UNCHANGED:
        return view
    if tag == "hand" and event["hand"] == 1:
        view = {"rules": rules, "seat": seat}
    assert view is not None
    after = {name: list(value) if isinstance(value, list) else value for name, value in view.items()}
    FOLDS[tag](after, event)
    return after


def bit(seats: int, seat: int) -> int:
    return seats >> seat & 1


def put(seats: int, seat: int) -> int:
    return seats | 1 << seat


def drop(seats: int, seat: int) -> int:
    return seats & ~(1 << seat)


def order(view: Fields) -> list[int]:
    n = len(view["lives"])
    return [s for k in range(n) if view["origins"][s := (view["dealer"] + 1 + k) % n] is not None]


def turn(view: Fields, event: Fields) -> None:
    view["phase"], view["to_act"] = event["phase"], event["seat"]


def hand(view: Fields, event: Fields) -> None:
    for name in ("hand", "pot", "dealer", "lives", "points"):
        view[name] = event[name]
    bare(view)
    view["gone"], view["asks"] = [], 0


def bare(view: Fields) -> None:
    n = len(view["lives"])
    view.update(phase="deal", to_act=None, cards=[None] * n, origins=[None] * n, face_up=0, low=[False] * n, struck=0)
    view.update(deeds=["waits"] * n, beside=[], can_ask=False)


def dealt(view: Fields, event: Fields) -> None:
    view["cards"] = list(event["cards"])
    view["origins"] = [seat if lives else None for seat, lives in enumerate(view["lives"])]
    view["phase"], view["to_act"] = "turn", order(view)[0]
    view["low"] = [is_low_as_dealt(view, seat) for seat in range(len(view["lives"]))]
    seats = len(order(view))
    if view["rules"]["format"] == "pots":
        view["can_ask"] = seats in {2, 3} and view["asks"] < 3
    else:
        view["can_ask"] = seats == 2


def is_low_as_dealt(view: Fields, seat: int) -> bool:
    return bool(view["rules"]["dealt_harlekin"] == "low" and view["cards"][seat] == HARLEKIN)


def stood(view: Fields, event: Fields) -> None:
    view["deeds"][event["seat"]] = "stood"
    view["can_ask"] = False


def swapped(view: Fields, event: Fields) -> None:
    seat, target, gave, got = event["seat"], event["target"], event["gave"], event["got"]
    cards, origins, up = view["cards"], view["origins"], view["face_up"]
    cards[target], cards[seat] = (
        cards[seat] if gave is None else gave,
        cards[target] if got is None else got,
    )
    origins[seat], origins[target] = origins[target], origins[seat]
    harlekins = [s for s, card in ((target, gave), (seat, got)) if card == HARLEKIN]
    view["face_up"] = drop(drop(up, seat), target) | bit(up, target) << seat | bit(up, seat) << target
    view["low"][seat] = view["low"][target] = False
    for holder in harlekins:
        view["face_up"] = put(view["face_up"], holder)
        if len(harlekins) == 1:
            view["low"][holder] = True
    view["deeds"][seat] = "swapped"
    view["can_ask"] = False


def refused(view: Fields, event: Fields) -> None:
    view["cards"][event["seat"]] = event["card"]
    view["face_up"] = put(view["face_up"], event["seat"])
    view["deeds"][event["seat"]] = "passed_over"
    if event["card"] not in {VARDSHUS, KAVALL}:
        view["deeds"][event["asker"]] = "refused"
    view["can_ask"] = False


def undone(view: Fields, event: Fields) -> None:
    up = {origin for seat, origin in enumerate(view["origins"]) if bit(view["face_up"], seat)}
    for seat in event["path"]:
        view["origins"][seat] = seat
    view["cards"] = list(event["cards"])
    view["face_up"] = sum(1 << seat for seat, origin in enumerate(view["origins"]) if origin in up)
    for seat in event["path"]:
        view["low"][seat] = is_low_as_dealt(view, seat)


def struck(view: Fields, event: Fields) -> None:
    view["struck"] = put(view["struck"], event["seat"])


def drew(view: Fields, event: Fields) -> None:
    seat = event["seat"]
    if event["kept"]:
        if view["cards"][seat] is not None:
            view["gone"].append(view["cards"][seat])
        view["cards"][seat], view["origins"][seat] = event["card"], len(view["lives"])
        view["face_up"] = drop(view["face_up"], seat)
        view["low"][seat] = False
        view["deeds"][seat] = "drew"
        return
    view["beside"].append(event["card"])
    if view["rules"]["format"] == "sticks" or event["card"] not in {VARDSHUS, KAVALL}:
        view["deeds"][seat] = "refused"


def asked(view: Fields, _event: Fields) -> None:
    view["phase"], view["to_act"] = "asked", view["dealer"]
    view["can_ask"] = False


def answered(view: Fields, event: Fields) -> None:
    match event["do"]:
        case "accept":
            view["asks"] += 1
        case "depends":
            view["phase"], view["to_act"] = "middle", order(view)[1]
        case "refuse":
            view["phase"], view["to_act"] = "turn", order(view)[0]


def thrown(view: Fields, event: Fields) -> None:
    known = [event["cards"][seat] for seat in order(view) if event["cards"][seat] is not None]
    bare(view)
    view["gone"] = [] if event["whole_pack"] else view["gone"] + known


def reshuffled(view: Fields, _event: Fields) -> None:
    view.update(gone=[], phase="deal", to_act=None)


def kuku_called(view: Fields, event: Fields) -> None:
    view["cards"][event["seat"]] = KUKU
    view["face_up"] = put(view["face_up"], event["seat"])
    view["can_ask"] = False


def showdown(view: Fields, event: Fields) -> None:
    for name in ("low", "struck", "lives", "cards"):
        view[name] = event[name]
    view.update(phase="over", to_act=None, can_ask=False)
    view["face_up"] = sum(1 << seat for seat, card in enumerate(event["cards"]) if card is not None)


def points(view: Fields, event: Fields) -> None:
    view["points"] = event["points"]


FOLDS: dict[str, Callable[[Fields, Fields], None]] = {
    "turn": turn,
    "hand": hand,
    "dealt": dealt,
    "stood": stood,
    "swapped": swapped,
    "refused": refused,
    "undone": undone,
    "struck": struck,
    "drew": drew,
    "asked": asked,
    "answered": answered,
    "thrown": thrown,
    "reshuffled": reshuffled,
    "kuku_called": kuku_called,
    "showdown": showdown,
    "pot": points,
    "end": points,
}
