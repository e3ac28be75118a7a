"""Uses the program for Windows as a user does."""

import glob
import json
import os
import subprocess
import sys

CONFIGS = "cmd/handoff/internal/clients/setup/testdata/configs"
PLACES = {  # of the configuration of clients, below the profile of the user
    "claude-code/servers": ".claude.json",
    "claude-code/hooks": ".claude/settings.json",
    "codex/servers": ".codex/config.toml",
    "codex/hooks": ".codex/hooks.json",
    "gemini-cli/servers": ".gemini/settings.json",
    "cursor/servers": ".cursor/mcp.json",
    "opencode/servers": ".config/opencode/opencode.json",
    "vscode/servers": "AppData/Roaming/Code/User/mcp.json",
}
LIMIT = 120  # seconds for a command


def expect(what, holds, said=""):
    if not holds:
        sys.exit(f"FAILED  {what}\n{said}")
    print(f"  {what}", flush=True)


class Person:
    """A user that runs handoff in a folder."""

    def __init__(self, wine, program):
        self.wine, self.program = wine, program
        self.profile = next(p for p in glob.glob(f"{wine.drive}/users/*") if os.path.basename(p) != "Public")
        self.folder = f"{wine.drive}/project"
        os.mkdir(self.folder)

    def run(self, *args):
        """Returns the exit status of a command and its output."""
        done = subprocess.run(["wine", self.program, *args], cwd=self.folder, env=self.wine.environ, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)
        return done.returncode, done.stdout


class Client:
    """A client of MCP that runs a server."""

    def __init__(self, person, agent):
        self.agent, self.asked = agent, 0
        self.server = subprocess.Popen(["wine", person.program, "mcp", "--agent", agent], cwd=person.folder, text=True,
                                       env=person.wine.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": agent, "version": "1"}}
        self.ask("initialize", about)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message):
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def ask(self, method, params):
        self.asked += 1
        self.say({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        for line in self.server.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.asked:
                return answer["result"]
        sys.exit(f"FAILED  the server of {self.agent} ended")

    def send(self, task):
        result = self.ask("tools/call", {"name": "send_handoff", "arguments": {"to": "qa", "task": task}})
        return not result.get("isError")


def shared(person):
    """Three servers and commands share a workspace, and lose nothing when the owner of the store is killed, twice."""
    clients = [Client(person, agent) for agent in ("one", "two", "three")]
    for round, client in enumerate(clients):
        for each in clients[round:]:
            expect(f"{each.agent} sends, {round} owners killed", each.send(f"{round} of {each.agent}"))
        code, said = person.run("inbox", "--agent", "qa", "--json")
        count = len(json.loads(said)["items"]) if code == 0 else -1
        expect(f"a command sees {count}", count == (3, 5, 6)[round], said)
        client.server.kill()
        client.server.wait()
    code, said = person.run("audit", "verify")
    expect("the registry is whole", code == 0 and said.rstrip().endswith("OK"), said)


def set_up(person, wanted):
    """After setup and removal each configuration is as before, byte for byte."""
    with open(f"{CONFIGS}/../left-alone.txt") as lines:
        alone = {line.split(": ")[0] for line in lines}
    changed = ends = 0
    for place, path in PLACES.items():
        names = sorted(os.path.relpath(name, CONFIGS) for name in glob.glob(f"{CONFIGS}/{place}/*"))
        for name in [name for name in names if name not in alone][:wanted]:
            with open(f"{CONFIGS}/{name}", "rb") as config:
                before = config.read()
            file = f"{person.profile}/{path}"
            os.makedirs(os.path.dirname(file), exist_ok=True)
            for text in {before, before.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")}:
                with open(file, "wb") as config:
                    config.write(text)
                _, said = person.run("setup", place.split("/")[0], "--yes")
                with open(file, "rb") as config:
                    now = config.read()
                mixed = text.strip() and b"\r\n" in text and b"\n" in now.replace(b"\r\n", b"")
                if now == text or mixed:
                    sys.exit(f"FAILED  {name} was not changed, or has lost its line ends\n{said}\n{now}")
                code, said = person.run("setup", place.split("/")[0], "--remove", "--yes")
                with open(file, "rb") as config:
                    if code or config.read() != text:
                        sys.exit(f"FAILED  {name} is not as it was\n{said}")
                changed, ends = changed + 1, ends + (b"\r\n" in text)
            os.remove(file)
    expect(f"{changed} configurations, {ends} with CRLF, are as they were", changed >= 20 and ends >= 10)


def whole(wine, wanted):
    person = Person(wine, wine.build("build", "-trimpath", "./cmd/handoff"))
    code, said = person.run("demo")
    expect("demo", code == 0 and said.rstrip().endswith("OK"), said)
    shared(person)
    set_up(person, wanted)
