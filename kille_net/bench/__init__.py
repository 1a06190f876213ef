"""How much a server carries: load by many tables at once, and what comes of it, measured.

Speaks the public protocol over sockets of its own. Refuses to know the server otherwise than as a process that listens,
and what its figures are good for.
"""
