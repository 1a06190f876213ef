"""The fingerprint of a server's key, and the words in which people compare it.

Owns the list of words, which is `protocol/v1/words.json`. Refuses to know how a key is made, kept or proved.
"""

import hashlib
from typing import Final

__all__ = ["SIZE", "WORDS", "fingerprint", "words"]

SIZE: Final = hashlib.sha256().digest_size
_SHOWN: Final = 8
_LIST: Final = """
alarm album alligator altar arena arm atlas atom baby ballad balsam band banjo bank barometer baron bingo blues
bluff bonus box brand bulldozer camping center chef chips clown cocktail container cowboy diadem dialog diesel
disco dollar domino drama dress drum ego elegant elixir emblem export extra festival film filter finger flamingo
flora forum fossil gala generator glass golf gong gorilla grill hall hand hobby humor humus idol impala index
indigo inferno iris jaguar jazz jeans jeep jet jockey joker judo juice jumbo junior karate karma kebab kennel
ketchup kilo kimono kiosk kiwi koala land laser lasso latin lava lemur limbo limit lobby logo lotus lunch magma
magnet malt mandolin mango manual marathon marker mask master match melon mentor meter minus mix modem moment
monitor moped moral motor museum nation neon ninja norm nylon oboe ocean omega onyx opal opera orange origami
oval panda panel panorama park partner pasta patent pedal piano pilot pizza planet plank plus podium poker polka
pollen polo pop portal poster problem program propeller protest puck pudding puma punk quiz radar radio rally
ramp rebus regent remix respect rest revolver ring ritual robot rock rodeo rugby ruin safari saga salt samba
sand satin sauna scout sensor session shorts sketch slogan snack solo sonar sport spray squash standard start
status storm student sultan super surf sushi symbol tango tank taxi team tempo tennis tenor tiger tips toast
topaz torso transit trend trio troll trumpet tuba tundra tunnel turban tweed twist union urban veteran video
villa vinyl vision volt watt weekend wok yoga zebra zoo
"""
WORDS: Final = tuple(_LIST.split())
"""One for each byte; none of them begins another."""


def fingerprint(public_key: bytes) -> bytes:
    """Of a SubjectPublicKeyInfo in DER (§2.4)."""
    return hashlib.sha256(public_key).digest()


def words(fingerprint: bytes) -> str:
    """The eight words for its first 64 bits, the same in Swedish and in English."""
    return " ".join(WORDS[byte] for byte in fingerprint[:_SHOWN])
