"""Rude bots, to be set on any server that speaks the protocol: `python -m tests.rude HOST PORT [MANNER …]`.

Each sits down with two honest players, and behaves as nobody should. The table has to be played to its end all the
same, and what the rude one does must have got it nothing. They know the protocol only, and nothing of the package.
"""
