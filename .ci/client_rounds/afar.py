"""Sessions on other machines: each has a home of its own, and shares a network with a server."""

import os
import shlex

from harness import programs

from .checks import until
from .office import TRUSTING
from .session import Session
from .steps import catch_up, finish, from_afar, give_back, step, take

JOINED = {"claude": "Connected", "codex": "Bearer token", "gemini": "Connected"}  # a line in each client's list of servers; codex only reads its list


def over_http(office, checks):
    """Claude Code, Gemini CLI and Codex on other machines, each with a token. A local session of Codex passes work from one to the next."""
    office.serve()
    pretend = step("pretended", "send_handoff", to="codex", task="from somebody else", agent="boss")
    far = {
        "anna": session_from_afar(office, "claude", "anna", [
            pretend, step("sent", "send_handoff", to="codex", task="from afar"), *from_afar("work", "gina")]),
        "gina": session_from_afar(office, "gemini", "gina", [pretend, *from_afar("work", "carl")]),
        "carl": session_from_afar(office, "codex", "carl", [pretend, *from_afar("work", "codex")]),
    }
    until("mail from afar", lambda: office.find("from afar"))
    local = office.session("codex", [catch_up(), take("sent"), give_back("sent"), take("told"), take("last"), finish("last")])
    until("the end of all", lambda: all(session.ended() for session in (local, *far.values())))
    checks.same("the local session ended well", local.errors(), [])
    checks.same("it takes what came from afar", [local.result(label).get("from") for label in ("sent", "last")], ["anna", "carl"])
    for (name, session), sender in zip(far.items(), ("codex", "anna", "gina")):
        client = session.client
        checks.same(f"{client} ended well", session.errors(), [])
        checks.holds(f"{client} lists the server: {JOINED[client]}", JOINED[client] in session.read("setup.txt"))
        checks.same(f"{client} is told the name that its token says", session.told()[0], name)
        checks.holds(f"{client} is refused another", "may not act as boss" in str(session.result("pretended")))
        checks.same(f"{client} takes what the one before passed on", session.result("work").get("from"), sender)
    checks.same("nothing was sent under another name", office.find("from somebody else"), None)


def session_from_afar(office, client, name, steps):
    """A session that reaches the server with a token for this name."""
    secret = office.run("token", "add", f"of-{name}", "--agents", name).strip()
    begun = Session(office, client, steps)
    begun.start([], "--home", begun.path("home"), *set_up(begun, office.server.url(), secret))
    return begun


def set_up(session, url, secret):
    """Options that set up a client for a server with the client's own commands, as a person does. The last command lists its servers."""
    add, options = f"--transport http handoff {url} --header 'Authorization: Bearer {secret}'", []  # docs/http.md has these lines
    for name, value in TRUSTING.items():
        options += ["--env", f"{name}={value}"]
    if session.client == "codex":
        home = session.path("codex")  # not the session's own directory: the harness writes that, and copies this one
        os.mkdir(home)
        add = f"handoff --url {url} --bearer-token-env-var HANDOFF_TOKEN"
        options += ["--env", f"CODEX_HOME={home}", "--env", f"HANDOFF_TOKEN={secret}", "--settings", os.path.join(home, "config.toml")]
    client = shlex.join(programs.command(session.client))
    return [*options, "--setup", f"exec >{shlex.quote(session.path('setup.txt'))} 2>&1; {client} mcp add {add} && {client} mcp list"]


ROUNDS = (over_http,)
