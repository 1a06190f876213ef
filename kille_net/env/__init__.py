"""Learning environments: Kille for PettingZoo (`aec`) and for OpenSpiel (`openspiel`), each an extra.

Both ask the same questions (`asking`) of the same engine, and show what a seat may know in one way (`encoding`), so
that what was trained plays on at any table (`playing`). Refuses to know a wire, a clock and how anybody learns.
"""
