"""What has to be so, and how long it may take."""

import time

PATIENCE = 90  # seconds for one thing to happen, where a busy machine takes half a minute to start a client


class Stuck(Exception):
    """What has to happen does not, so nothing after it can."""


class Refused(Stuck):
    """A command that did not end well."""


class Over(BaseException):
    """Everything is to end, whatever is being played: nothing but the end of the program may catch it."""


class Checks:
    """Prints a line for each thing that has to be so."""

    def __init__(self):
        self.failed = 0

    def holds(self, what, good):
        self.failed += not good
        print(f"  {'ok    ' if good else 'FAILED'} {what}", flush=True)

    def same(self, what, got, want):
        self.holds(what if got == want else f"{what}: got {got!r}, want {want!r}", got == want)


def until(what, ask):
    """Waits for ask to give something true, and gives that."""
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
    """Waits for all events, which are (what, ask, then), in any order, and does then as soon as ask gives something true."""
    left = list(events)

    def passed():
        for event in [event for event in left if event[1]()]:
            event[2]()
            left.remove(event)
        return not left
    until(lambda: ", ".join(what for what, _, _ in left), passed)
