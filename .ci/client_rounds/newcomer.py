"""A new user with an empty home: from a clone to sessions that pass work on."""

import json
import os
import shutil
import subprocess

from .checks import until
from .office import NAMES
from .steps import finish, pass_on, step, take

CLONED = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def newcomer(office, checks):
    """A new user types two commands and one for each client; then Codex gives work to Claude Code, which passes it on to Gemini CLI."""
    os.unlink(office.handoff)
    office.type("git", "clone", "-q", CLONED, "handoff", cwd=office.home)
    office.type("go", "install", "./cmd/handoff", cwd=os.path.join(office.home, "handoff"), **building(office))
    for name in NAMES.values():
        said = office.type("handoff", "setup", name, "--yes")
        checks.holds(f"handoff setup {name}: You are {name}", f" tools. You are {name} in workspace " in said)
    sessions = {
        "claude": [take("work"), pass_on("work", "gemini-cli")],
        "gemini": [take("work"), finish("work")],
        "codex": [step("sent", "send_handoff", to="claude-code", task="the first handoff"),
                  step("outcome", "get_handoff", handoff_id="{{sent.handoff_id}}", view="outcome", wait_seconds=50)],
    }
    for client, steps in sessions.items():
        sessions[client] = office.as_set_up(client, steps)
    until("the end of all", lambda: all(session.ended() for session in sessions.values()))
    for client, session in sessions.items():
        checks.same(f"{client} ended well", session.errors(), [])
        checks.same("it is told its name", session.told()[0], NAMES[client])
    checks.same("claude takes what codex sent", sessions["claude"].result("work").get("from"), "codex")
    checks.same("codex is told that it is done", sessions["codex"].result("outcome").get("status"), "completed")
    checks.same("gemini takes what claude passed on", sessions["gemini"].result("work").get("from"), "claude-code")
    states = [item["status"] for item in json.loads(office.run("list", "--all", "--json"))["items"]]
    checks.same("and that is all there is", states, ["completed"] * 2)


def building(office):
    """The environment for go: it uses only fetched modules, and installs into a directory of PATH."""
    known = json.loads(subprocess.check_output([shutil.which("go"), "env", "-json", "GOMODCACHE", "GOCACHE"], text=True))
    return {**known, "GOBIN": office.bin, "GOPROXY": "off", "GOFLAGS": "-trimpath", "CGO_ENABLED": "0"}


ROUNDS = (newcomer,)
