"""handoff setup: one line for each client, and its way back."""

import json
import os

from .office import NAMES

LISTED = {"claude": "✔ Connected", "codex": "enabled", "gemini": "✓ handoff: "}  # by the clients; codex only reads its list

FOUND = {  # in the home of a user of the clients
    ".claude.json": '{"numStartups": 7, "mcpServers": {"notes": {"type": "stdio", "command": "true", "args": []}}}',
    ".claude/settings.json": '{"model": "opus",\r\n "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\r\n',
    ".codex/config.toml": '# mine\nmodel = "mock-model"   # kept\n\n[mcp_servers.notes]\ncommand = "true"\n',
    ".gemini/settings.json": '{\n  // mine\n  "ui": {"theme": "GitHub"},\n  "mcpServers": {"notes": {"command": "true"}}\n}\n',
}


def set_up_and_removed(office, checks):
    """One command sets up each client, twice. Then another command undoes it."""
    for file, text in FOUND.items():
        os.makedirs(os.path.dirname(os.path.join(office.home, file)), exist_ok=True)
        with open(os.path.join(office.home, file), "w", encoding="utf-8", newline="") as f:
            f.write(text)
    for client in NAMES:
        office.type(client, "mcp", "list")  # at its first start a client may rewrite its file
    found = {file: read(office, file) for file in FOUND}
    for client, name in NAMES.items():
        first = office.run("setup", name, "--yes")
        checks.holds(f"{client}: setup ends with a server that answers", f" tools. You are {name} in workspace " in first)
        listed = [line for line in office.type(client, "mcp", "list").split("\n") if "handoff" in line]
        checks.holds(f"{client} lists it: {LISTED[client]}", any(LISTED[client] in line for line in listed))
        for again in (), ("--check",):
            (told,) = json.loads(office.run("setup", name, "--yes", "--json", *again))["clients"]
            states = [file["state"] for file in told["files"]]
            checks.same(f"{client}: {' '.join(('setup', *again))} again changes nothing", set(states), {"unchanged"})
    office.run("setup", "--remove", "--yes")
    for file, text in found.items():
        checks.same(f"what was in {file} is back, byte for byte", read(office, file), text)
    checks.same("nothing else is left of it", left_behind(office.home), [])


def read(office, file):
    with open(os.path.join(office.home, file), encoding="utf-8", newline="") as f:
        return f.read()


def left_behind(home):
    """The files that name handoff, except logs of clients and files of handoff."""
    found = []
    for folder, inner, files in os.walk(home):
        inner[:] = [name for name in inner if os.path.join(folder, name) not in (f"{home}/.cache", f"{home}/.local")]
        for file in files:
            with open(os.path.join(folder, file), "rb") as f:
                if b"handoff" in f.read():
                    found.append(os.path.relpath(f.name, home))
    return sorted(found)


ROUNDS = (set_up_and_removed,)
