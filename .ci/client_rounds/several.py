"""Several sessions on one machine. Nobody is configured: there is no --agent and no HANDOFF_AGENT, only the entry of an
MCP server. What goes on is steered from the command line, by mail that the sessions wait for."""

import json
import shlex

from .checks import until
from .office import live
from .steps import catch_up, finish, give_back, look, step, take


def two_sessions(office, checks):
    """Two sessions of Claude Code. The second one ends."""
    first = office.session("claude", [
        look("alone"), take("work"), look("both"), take("word"), finish("word"), finish("work"), take("left"), finish("left"),
        take("late"), finish("late"), take("end"), finish("end")])
    until("a live agent claude-code", lambda: "claude-code" in office.live())
    second = office.session("claude", [
        look("both"), step("shell", "Bash", command=f"{shlex.quote(office.handoff)} send human 'from its shell'", description="send"),
        step("sent", "send_handoff", to="claude-code", task="from the second"),
        step("outcome", "get_handoff", handoff_id="{{sent.handoff_id}}", view="outcome", wait_seconds=50)])
    sent = until("a claim of what the second session sent", lambda: office.taken("from the second"))
    checks.same("while both run, the command line sees both", office.live(), {"claude-code", "claude-code-2"})
    checks.same("and a handoff of one that the other has claimed", (sent["from"], sent["to"]), ("claude-code-2", "claude-code"))
    checks.holds("and its history", "claude-code-2 → claude-code " in office.run("history", sent["handoff_id"]))

    left = office.send("claude-code-2", "left behind")  # the second waits for an outcome and does not take it
    word = office.send("claude-code", "now complete the work")
    until("the end of the second session", second.ended)
    until("a claim of what the second left behind", lambda: office.taken("left behind"))
    late = office.send("claude-code-2", "too late")
    until("a claim of what came after its end", lambda: office.taken("too late"))
    office.send("claude-code", "that is all")
    until("the end of the first session", first.ended)

    both = {"claude-code", "claude-code-2"}
    checks.same("both ended well", first.errors() + second.errors(), [])
    checks.same("the first is told its name", first.told(), ("claude-code", "Nobody else is here yet; until an agent registers, a handoff to a new name waits for it."))
    checks.same("the second is told both names", second.told(), ("claude-code-2", "Also here, by their own account: claude-code (live)."))
    checks.holds("and again by its first result", "You are claude-code-2; also here: claude-code (live)." in [advice["say"] for advice in second.result("both").get("next", [])])
    checks.same("the first finds itself alone", live(first.result("alone")), {"claude-code"})
    checks.same("the first is told whose work it took", first.result("work").get("from"), "claude-code-2")
    checks.same("each sees both", (live(first.result("both")), live(second.result("both"))), (both, both))
    checks.same("the shell of the second acts under its name", (office.find("from its shell") or {}).get("from"), "claude-code-2")
    checks.same("mail of a session that is here is not taken", first.result("word").get("handoff_id"), word)
    checks.same("what the second left behind is not stranded", first.result("left").get("handoff_id"), left)
    checks.same("what came after its end is not stranded", first.result("late").get("handoff_id"), late)


def other_clients(office, checks):
    """Codex, then Gemini CLI, in the worktree: they send work to a session of Claude Code and read the results."""
    claude = office.session("claude", [
        take("codex"), give_back("codex"), take("told"), take("gemini-cli"), give_back("gemini-cli")])  # a notice ends the wait, too
    until("a live agent claude-code", lambda: "claude-code" in office.live())
    for client, name in ("codex", "codex"), ("gemini", "gemini-cli"):
        other = office.session(client, [
            look("both"), step("sent", "send_handoff", to="claude-code", task=f"from {name}"), take("back"), finish("back")], office.worktree)
        until(f"the end of {name}", other.ended)
        checks.same(f"{name} ended well", other.errors(), [])
        checks.same(f"{name} is told its name", other.told()[0], name)
        checks.holds(f"and that of the other: {other.told()[1]}", "claude-code (live)" in other.told()[1])
        checks.same(f"{name} sees both", live(other.result("both")), {"claude-code", name})
        checks.same(f"{name} takes what comes back", other.result("back").get("from"), "claude-code")
    until("the end of Claude Code", claude.ended)
    checks.holds("its wait ends when it is told what became of its work", claude.result("told").get("notices"))
    for name in "codex", "gemini-cli":
        checks.same(f"what {name} sent was taken", claude.result(name).get("from"), name)


def at_once(office, checks):
    """Two sessions of Claude Code that start at the same moment; one ends while the other waits."""
    pair = [office.session("claude", [look("both"), catch_up(), take("mail"), finish("mail")]) for _ in range(2)]
    names = until("two live agents", lambda: len(here := office.live()) == 2 and here)
    for name in sorted(names):
        office.send(name, f"for {name}")
        until(f"the end of {name}", lambda: office.find(f"for {name}", "completed"))
    until("the end of both", lambda: all(session.ended() for session in pair))
    checks.same("they are told two names", {session.told()[0] for session in pair}, names)
    checks.holds(f"one of which is that of the client: {' '.join(sorted(names))}", "claude-code" in names)
    for session in pair:
        name = session.told()[0]
        checks.holds(f"{name} takes its own mail", f"for {name}" in session.result("mail").get("brief", ""))


def later(office, checks):
    """Mail for a name without a session. Codex started first and owns the store; it ends during a wait."""
    office.send("claude-code-2", "for nobody")
    codex = office.session("codex", [catch_up(), take("word"), finish("word")])
    until("a live agent codex", lambda: "codex" in office.live())
    claude = office.session("claude", [catch_up(), take("stray"), finish("stray"), take("mail"), finish("mail")])
    until("a claim by a later session", lambda: office.find("for nobody", "completed"))
    office.send("codex", "go")
    until("the end of Codex", codex.ended)
    office.send("claude-code", "still there?")
    until("the end of Claude Code", claude.ended)
    checks.holds("mail for a name without a session goes to a later one", "for nobody" in claude.result("stray").get("brief", ""))
    checks.holds("a wait outlives the owner of the store", "still there?" in claude.result("mail").get("brief", ""))


def reviewed(office, checks):
    """Claude Code implements and Codex reviews: rework twice, then acceptance. Gemini CLI waits for the accepted work."""
    def judged(label, verdict):
        return [take(label), finish(label, output=verdict)]

    def met(*numbers):
        return {"criteria": [{"criterion": n, "met": True, "evidence": "seen"} for n in numbers]}

    work = office.send("claude-code", "write the store", "--criteria", "it keeps", "--review", "codex")
    after = office.send("gemini-cli", "use the store", "--after", work)
    sessions = {
        "gemini": [take("turn"), finish("turn")],
        "codex": judged("first", {"verdict": "rework", "points": ["it survives"]}) +
                 judged("second", {"verdict": "rework", "points": ["it is tested"]}) + judged("third", {"verdict": "accept"}),
        "claude": [take("one"), finish("one", verification=met("1")), take("two"), finish("two", verification=met("1", "2")),
                   take("three"), finish("three", verification=met("1", "2", "3"))]}
    playing = [office.session(client, [catch_up(), *steps]) for client, steps in sessions.items()]
    until("the end of all three", lambda: all(session.ended() for session in playing))
    gemini, codex, claude = playing
    checks.same("all ended well", gemini.errors() + codex.errors() + claude.errors(), [])
    rounds = [claude.result(label).get("handoff_id") for label in ("one", "two", "three")]
    checks.same("the first round is what was sent", rounds[0], work)
    checks.holds("a reviewer reads what was asked and answered", "1. it keeps – met" in codex.result("first").get("brief", ""))
    checks.holds("the next round has the point", "2. it survives" in claude.result("two").get("brief", ""))
    checks.same("and the last one both, in order", [f"{n}. {point}" in claude.result("three").get("brief", "") for n, point in ((2, "it survives"), (3, "it is tested"))], [True, True])
    checks.same("who waits gets its turn", gemini.result("turn").get("handoff_id"), after)
    when = lambda handoff, action: next(e["n"] for e in json.loads(office.run("show", handoff, "--audit", "--json"))["audit"] if e["action"] == action)
    checks.holds("once the result is accepted, and not before", when(rounds[-1], "accepted") < when(after, "claimed"))
    checks.holds("a person reads what changed", "it is tested" in office.run("diff", rounds[-1]))


ROUNDS = (two_sessions, other_clients, at_once, later)
