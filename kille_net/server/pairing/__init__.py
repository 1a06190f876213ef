"""Who meets whom in a tournament, at tables of so many seats.

Owns the pairing of a tournament, as pure functions of who takes part and of how they have done. Refuses to know
players, rooms, clocks and sources of chance.
"""
