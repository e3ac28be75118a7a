"""Sessions that sleep, with the hooks of handoff setup --wake."""

from .checks import until
from .office import TERMINAL
from .session import END
from .steps import at_the_prompt, finish, said, step


def claude_is_woken(office, checks):
    """Claude Code sleeps in a terminal. A handoff of Codex wakes it."""
    woken(office, checks, "claude", "codex")


def codex_is_woken(office, checks):
    """Codex sleeps in a terminal. A handoff of Claude Code wakes it."""
    woken(office, checks, "codex", "claude")


def woken(office, checks, sleeper, other):
    office.run("setup", *TERMINAL.values(), "--wake", "--trust", "--yes")
    name = TERMINAL[sleeper]
    asleep = office.as_set_up(sleeper, [
        {"text": "sleeping"}, step("work", "claim_handoff", handoff_id=r"{{request~(ho_\d+) came for}}"), finish("work")],
        keys=[*at_the_prompt(), *said("hello", "sleeping"), {"wait": END, "timeout": 120}, {"send": "/exit\r"}])
    until("the first answer to the sleeper", asleep.asked)
    until("a command that waits for it", lambda: "wait --hook" in str(office.left()))
    awake = office.as_set_up(other, [
        step("sent", "send_handoff", to=name, task="wake up", title="the way to the harbour"),
        step("outcome", "get_handoff", handoff_id="{{sent.handoff_id}}", view="outcome", wait_seconds=50)])
    until(f"the end of {other}", awake.ended)
    until(f"the end of {sleeper}", asleep.ended)
    checks.same("both ended well", asleep.errors() + awake.errors(), [])
    checks.same("it is woken once", asleep.heard(f"{awake.result('sent').get('handoff_id')} came for {name}"), 1)
    checks.holds("it takes what was sent", "the way to the harbour" in asleep.result("work").get("brief", ""))
    checks.same("the other is told that it is done", awake.result("outcome").get("status"), "completed")


ROUNDS = (claude_is_woken, codex_is_woken)
