"""Hooks that tell a session its mail, and that keep it from stopping with held work."""

import os
import re
from functools import partial

from .checks import as_each_comes, until
from .office import NAMES, TERMINAL
from .session import END
from .steps import at_the_prompt, finish, look, said, step, take

# The text for a session that may not stop.
BLOCKED = {"claude": "Stop hook feedback:\nYou hold", "codex": "\">You hold", "gemini": "You hold"}
APART = ("claude", "codex", "gemini")


def hooked(office, checks):
    """Claude Code, Codex and Gemini CLI with hooks: the hooks tell mail once, and keep a session with held work from ending once."""
    office.run("setup", "--yes")
    held, sessions = {}, {}
    for client, name in NAMES.items():
        held[client] = office.send(name, f"waiting for {name}")
        sessions[client] = office.as_set_up(client, [
            step("held", "claim_handoff"), {**look("look"), "delay": 3}, {"text": "I stop here", "delay": 3}])
    as_each_comes([
        *((f"a claim by {name}", partial(office.taken, f"waiting for {name}"), partial(office.send, name, f"meanwhile for {name}"))
          for name in NAMES.values()),
        ("the last call of Gemini CLI", partial(sessions["gemini"].answered, "list_agents"),
         partial(office.send, "gemini-cli", "before it stops"))])
    until("the end of all", lambda: all(session.ended() for session in sessions.values()))
    for client, session in sessions.items():
        name = NAMES[client]
        checks.same(f"{client} ended well, and took one turn more", session.errors(), [])
        checks.same("it is told once who it is", session.heard(f"You are {name} in handoff workspace"), 1)
        checks.same("and what waits, once", session.heard(f'from human: "waiting for {name}"'), 1)
        checks.same("and what comes meanwhile, once", session.heard(f'from human: "meanwhile for {name}"'), 1)
        checks.same("it is kept from leaving its work, once", session.heard(BLOCKED[client]), 1)
        note = office.run("show", held[client], "--checkpoint")
        checks.holds("and leaves a note", re.search(rf"session \S+ of {name} ended", note))
    checks.same("gemini is told at a prompt of what came before it, once", sessions["gemini"].heard('from human: "before it stops"'), 1)


def prompted(office, checks):
    """Claude Code and Codex in a terminal: the hook tells mail of an idle session at the next prompt, and not again."""
    office.run("setup", *TERMINAL.values(), "--yes")
    sessions = {}
    for client in TERMINAL:
        answers = [{"text": f"answer-{n}"} for n in ("one", "two")]
        sessions[client] = office.as_set_up(client, answers, keys=[
            *at_the_prompt(), *said("hello", "answer-one"), {"sleep": 3}, *said("and now", "answer-two"), *said("and then", END),
            {"send": "/exit\r"}])
    as_each_comes(
        (f"the first answer to {client}", sessions[client].asked, partial(office.send, name, f"between prompts of {name}"))
        for client, name in TERMINAL.items())
    for client, name in TERMINAL.items():
        session = sessions[client]
        until(f"the end of {client}", session.ended)
        checks.same(f"{client} ended well", session.errors(), [])
        heard = [text.count(f"between prompts of {name}") for text in session.asked()]
        checks.same("mail is told at the second prompt, once", heard[-3:], [0, 1, 1])


def apart(office, checks):
    """Two sessions of a client in one directory: the hooks know the name of each."""
    office.run("setup", *(NAMES[client] for client in APART), "--yes")
    for client in APART:
        name = NAMES[client]
        work = office.send(name, "for the first")
        first = office.as_set_up(client, [
            step("mail", "claim_handoff"), take("told"), take("end"), finish("end"), finish("mail")])
        until(f"a claim by {name}", lambda: office.find("for the first", "accepted"))
        office.send(f"{name}-2", f"for the second {client}")
        second = office.as_set_up(client, [step("mail", "claim_handoff"), {"text": "I stop here"}, finish("mail")])
        until(f"a claim by {name}-2", lambda: office.taken(f"for the second {client}"))
        office.send(name, "while the second is there", "--type", "message")
        until("a wait that the message ended", lambda: first.answered("claim_handoff") and first.heard("while the second is there"))
        until("the end of the second session", second.ended)
        idle = office.as_set_up(client, [])
        until("the end of a session that does nothing", idle.ended)
        checks.same("it is told nothing of the work of the first", idle.heard('"for the first"'), 0)
        checks.same("the end of others leaves nothing with the work of the first", office.checkpoint(work), "")
        office.send(name, "end")
        until("the end of the first session", first.ended)
        for session, name in (first, name), (second, f"{name}-2"):
            checks.same(f"{name} ended well", session.errors(), [])
            checks.same("its hook tells it who it is", session.heard(f"You are {name} in handoff workspace"), 1)
        checks.same("the second is kept from leaving its work, once", second.heard(BLOCKED[client]), 1)
        told = [notice["kind"] for notice in first.result("told").get("notices", [])]
        checks.same("the wait of the first ends with its message", told, ["message"])
        checks.same("and its hook does not tell that again", first.heard('from human, message: "while the second is there"'), 0)
        checks.same("and the second is not", second.heard("while the second is there"), 0)


def resumed(office, checks):
    """Claude Code and Codex end with held work and are resumed. The hooks tell them this work, and they finish it."""
    office.run("setup", *TERMINAL.values(), "--yes")
    again = {"claude": ["--continue"], "codex": ["resume", "--last"]}
    for client, name in TERMINAL.items():
        work = office.send(name, f"too long for {name}")
        left = office.as_set_up(client, [step("held", "claim_handoff"), {"text": "I stop here"}])
        until(f"the end of {client}", left.ended)
        until("a claim that nobody is at", lambda: name not in office.live())
        session = office.as_set_up(client, [
            step("again", "claim_handoff", handoff_id=r"{{request~(?s:.*)claim_handoff .{1,20}(ho_\d+)}}"), finish("again")],
            rest=again[client])
        until(f"the end of {client} again", session.ended)
        checks.same(f"{client} ended well", left.errors() + session.errors(), [])
        checks.same("it is told the call that takes its work up again", session.result("again").get("handoff_id"), work)
        checks.same("which it finishes", office.find(f"too long for {name}")["status"], "completed")


def delegated(office, checks):
    """A subagent of Claude Code claims work under its own name. The hook keeps it from stopping with it, once."""
    office.run("setup", "claude-code", "--yes")
    agents = os.path.join(office.repository, ".claude", "agents")
    os.makedirs(agents)
    with open(os.path.join(agents, "qa.md"), "w", encoding="utf-8") as f:
        f.write("---\nname: qa\ndescription: tests\n---\nYou test.\n")
    sent = office.send("qa", "test it")
    session = office.as_set_up("claude", {
        "steps": [step("sub", "Agent", description="test", prompt="As qa: take what waits", subagent_type="qa", run_in_background=False),
                  {"text": END}],
        "threads": [{"match": "As qa: take what waits", "steps": [
            step("work", "claim_handoff", agent="qa"), {"text": "I stop here"},
            step("end", "complete_handoff", agent="qa", handoff_id=sent, summary="done"), {"text": "tested"}]}]})
    until("the end of the session", session.ended)
    checks.same("it ended well", session.errors(), [])
    blocked = [text for text in session.asked() if "that you have not finished" in text]
    checks.holds("the subagent is kept from leaving its work", blocked and "I stop here" in blocked[0])
    checks.same("and finishes it", office.find("test it")["status"], "completed")


ROUNDS = (hooked, prompted, apart, resumed, delegated)
