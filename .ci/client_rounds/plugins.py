"""The plugins of examples, each in its client."""

import os

from .checks import until
from .office import NAMES
from .steps import step

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))  # whose marketplaces name the plugins of examples
EXAMPLES = os.path.join(ROOT, "examples")

INSTALL = {
    "claude": (("plugin", "marketplace", "add", ROOT), ("plugin", "install", "handoff@handoff")),
    "codex": (("plugin", "marketplace", "add", ROOT), ("plugin", "add", "handoff@handoff")),
    "gemini": (("extensions", "install", os.path.join(EXAMPLES, "gemini-extension"), "--consent"),),
}

NEXT = {  # the command as a person types it, and the text that its model then gets
    "claude": ("/handoff:next", "<command-name>/handoff:next</command-name>"),
    "codex": ("$handoff:next", "<name>handoff:next</name>"),
    "gemini": ("/handoff:next", "</hook_context>\n\n/handoff:next"),  # its README gives the reason for the name
}

BLOCKED = {"claude": "Stop hook feedback:\nYou hold", "codex": "<hook_prompt ", "gemini": "You hold 1 handoff that"}


def plugins(office, checks):
    """The plugins of Claude Code and Codex and the extension of Gemini CLI: server, hooks and commands from one install."""
    for folder in ROOT, os.path.join(EXAMPLES, "claude-plugin"):
        found = office.type("claude", "plugin", "validate", "--strict", folder)
        checks.holds(f"claude plugin validate --strict {os.path.relpath(folder, ROOT)}", "Validation passed" in found)
    sessions = {}
    for client, name in NAMES.items():
        office.send(name, f"waiting for {name}")
        for command in INSTALL[client]:
            office.type(client, *command)
        steps = [step("held", "claim_handoff"), {"text": "I stop here"}]
        sessions[client] = office.as_set_up(client, steps, prompt=NEXT[client][0])
    until("the end of all", lambda: all(session.ended() for session in sessions.values()))
    for client, session in sessions.items():
        checks.same(f"{client} ended well", session.errors(), [])
        checks.same("its hook tells it who it is", session.heard(f"You are {NAMES[client]} in handoff workspace"), 1)
        checks.holds(f"it reads what {NEXT[client][0]} stands for", session.heard(NEXT[client][1]))
        checks.holds("it takes what waits", f"waiting for {NAMES[client]}" in session.result("held").get("brief", ""))
        checks.same("it is kept from leaving its work, once", session.heard(BLOCKED[client]), 1)


ROUNDS = (plugins,)
