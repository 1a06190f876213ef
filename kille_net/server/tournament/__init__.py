"""Tournaments: who enters, who meets whom when, what comes of it, and how they stand."""
