"""Sessions of Claude Code that wait in the background, with tasks of MCP and without hooks."""

import os
import time

from .afar import set_up
from .checks import until
from .session import END, Session
from .steps import at_the_prompt, said, step

IDLE = 60 * float(os.environ.get("HANDOFF_IDLE_MINUTES", "1"))  # seconds without a request to the model
OUTCOME = {"view": "outcome", "wait_seconds": 50}
WOKEN = step("end", "complete_handoff", handoff_id=r"{{request~&lt;handoff (ho_\d+)}}", summary="done")


def claude_waits(office, checks):
    """Claude Code waits in a terminal, and is idle. Mail, a question and an outcome wake it."""
    trust(office)
    sent = "{{sent.handoff_id}}"
    waiter = office.as_set_up("claude", [
        step("wait", "claim_handoff", wait_seconds=50), {"text": "asleep-one"}, WOKEN,
        step("sent", "send_handoff", to="tester", task="Try it", title="the trial"),
        step("first", "get_handoff", handoff_id=sent, **OUTCOME), {"text": "asleep-two"},
        step("answer", "update_handoff", handoff_id=sent, action="answer", note="The blue one"),
        step("second", "get_handoff", handoff_id=sent, **OUTCOME), {"text": "asleep-three"}], keys=keys("asleep-one"))
    sleeps(waiter, checks)
    woken(checks, "mail", lambda: office.send("claude-code", "wake up"), lambda: waiter.answered("complete_handoff"))
    until("the trial", lambda: office.find("the trial", "pending"))
    until("the second sleep", lambda: "asleep-two" in waiter.read("requests.jsonl"))
    trial = office.run("claim", "--agent", "tester").split()[0]
    woken(checks, "a question", lambda: office.run("update", trial, "--ask", "Which one?", "--agent", "tester"), lambda: waiter.answered("update_handoff"))
    until("the third sleep", lambda: "asleep-three" in waiter.read("requests.jsonl"))
    office.run("claim", trial, "--agent", "tester")
    woken(checks, "an outcome", lambda: office.run("complete", trial, "--agent", "tester", "--summary", "tried"), waiter.ended)
    checks.same("it ended well", waiter.errors(), [])
    checks.holds("it reads the question", waiter.heard("Which one?") > 0)
    checks.holds("and the outcome", waiter.heard("tried") > 0)


def claude_goes_on(office, checks):
    """A session of Claude Code ends while it waits. Mail wakes the session that continues it."""
    trust(office)
    first = office.as_set_up("claude", [step("wait", "claim_handoff", wait_seconds=50), {"text": "asleep-one"}], keys=[
        *at_the_prompt(), *said("hello", "asleep-one"), {"sleep": 3}, {"send": "/exit\r"},
        {"wait": "when you ?exit", "timeout": 10, "optional": True}, {"send": "\r"}, {"sleep": 3}])
    until("its end", first.ended)
    second = office.as_set_up("claude", [WOKEN], rest=["--continue"], keys=[*at_the_prompt(), {"wait": END, "timeout": 240}, {"send": "/exit\r"}])
    until("the continued session", lambda: "claude-code" in office.live())
    woken(checks, "mail", lambda: office.send("claude-code", "wake up"), second.ended)
    checks.same("it ended well", second.errors(), [])
    checks.holds("what waited is done", office.find("wake up", "completed"))


def claude_waits_afar(office, checks):
    """Claude Code waits on another machine, over HTTP. Mail wakes it."""
    office.serve()
    secret = office.run("token", "add", "of-anna", "--agents", "anna").strip()
    waiter = Session(office, "claude", [step("wait", "claim_handoff", wait_seconds=50), {"text": "asleep-one"}, {
        **WOKEN, "input": {**WOKEN["input"], "claim_token": r"{{request~claim_token\W+(ct_\w+)}}"}}])
    waiter.start([], "--home", waiter.path("home"), "--keys", waiter.write("keys.json", keys("asleep-one")), "--ask",
                 *set_up(waiter, office.server.url(), secret), "--", "--allowedTools", "mcp__handoff")
    sleeps(waiter, checks)
    woken(checks, "mail", lambda: office.send("anna", "wake up"), waiter.ended)
    checks.same("it ended well", waiter.errors(), [])
    checks.holds("what was sent is done", office.find("wake up", "completed"))


def trust(office):
    office.run("setup", "claude-code", "--trust", "--no-hooks", "--yes")


def keys(asleep):
    return [*at_the_prompt(), *said("hello", asleep), {"wait": END, "timeout": 900 + IDLE}, {"send": "/exit\r"}]


def sleeps(waiter, checks):
    """The model gets no request while nothing comes."""
    until("its first sleep", lambda: "asleep-one" in waiter.read("client.stdout"))
    requests = len(waiter.asked())
    time.sleep(IDLE)
    checks.same(f"its model has no request in {IDLE / 60:g} min", len(waiter.asked()), requests)


def woken(checks, by, send, done):
    began = time.monotonic()
    send()
    until(f"a session that {by} wakes", done)
    checks.holds(f"{by} wakes it, and it is done after {time.monotonic() - began:.1f} s", True)


ROUNDS = (claude_waits, claude_goes_on, claude_waits_afar)
