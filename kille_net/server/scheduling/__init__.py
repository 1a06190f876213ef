"""The match scheduler: the tournaments of a server, from the signing up to the last table."""
