"""Rounds with real clients. Each module has some rounds, and the comment of a round says what it proves."""
