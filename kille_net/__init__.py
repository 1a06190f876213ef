"""Kille played over a network; the packages below are its floors, and this file owns nothing but the version."""

__version__ = "0.1.0.dev0"
