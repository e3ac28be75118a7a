"""Conditions that have to hold, and their time limits."""

import time

PATIENCE = 240  # seconds for one event; a busy machine takes a minute to start a client


class Stuck(Exception):
    """A required event does not happen, so the rest of the round cannot run."""


class Refused(Stuck):
    """A command that did not end well."""


class Over(BaseException):
    """The program has to end. Only the end of the program may catch it."""


class Checks:
    """Prints a line for each condition."""

    def __init__(self):
        self.failed = 0

    def holds(self, what, good):
        self.failed += not good
        print(f"  {'ok    ' if good else 'FAILED'} {what}", flush=True)

    def same(self, what, got, want):
        self.holds(what if got == want else f"{what}: got {got!r}, want {want!r}", got == want)


def until(what, ask):
    """Waits until ask returns a true value, and returns it."""
    end, why = time.monotonic() + PATIENCE, ""
    while time.monotonic() < end:
        try:
            if answer := ask():
                return answer
        except Refused as refused:
            why = f" ({refused})"
        time.sleep(0.1)
    raise Stuck(f"never came: {what() if callable(what) else what}{why}")


def as_each_comes(events):
    """Waits for all events, in any order. An event is (what, ask, then); then runs as soon as ask returns a true value."""
    left = list(events)

    def passed():
        for event in [event for event in left if event[1]()]:
            event[2]()
            left.remove(event)
        return not left
    until(lambda: ", ".join(what for what, _, _ in left), passed)
