"""The place of sessions: a home, a repository, and a person at the command line."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess

from harness import programs

from .checks import Refused, Stuck, until
from .server import Server
from .session import Session

NAMES = {"claude": "claude-code", "codex": "codex", "gemini": "gemini-cli"}  # of the agents in them
TERMINAL = {client: NAMES[client] for client in ("claude", "codex")}  # clients whose terminal the harness plays
TRUSTING = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"}  # no person can answer a question


class Office:
    """A home directory, a repository, a worktree of it, and a person whose PATH has the clients and handoff."""

    def __init__(self, handoff, root):
        self.root, self.server = root, None
        self.home, self.repository, self.worktree = (os.path.join(root, name) for name in ("home", "repository", "worktree"))
        self.sessions = []
        os.makedirs(self.home)
        self.programs(os.path.abspath(handoff))
        self.env = {"HOME": self.home, "PATH": f"{self.bin}:{os.environ['PATH']}", "TMPDIR": root, "LANG": "C.UTF-8",
                    "DISABLE_AUTOUPDATER": "1", **TRUSTING}
        self.git("init", "-q", self.repository)
        who = ("-c", "user.name=ci", "-c", "user.email=ci@localhost")
        self.git("-C", self.repository, *who, "commit", "-q", "--allow-empty", "-m", "start")
        self.git("-C", self.repository, "worktree", "add", "-q", self.worktree)

    def programs(self, handoff):
        """Links the installed programs into one directory. A script would hide the name of the running program, so only Gemini CLI gets a script."""
        self.bin = os.path.join(self.root, "bin")
        os.mkdir(self.bin)
        self.handoff = os.path.join(self.bin, "handoff")
        os.symlink(handoff, self.handoff)
        for client in NAMES:
            path, command = os.path.join(self.bin, client), programs.command(client)
            if len(command) == 1:
                os.symlink(command[0], path)
                continue
            with open(path, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o755)) as f:
                f.write(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')

    def git(self, *args):
        subprocess.run(["git", *args], env=self.env, check=True, stdin=subprocess.DEVNULL)

    def type(self, *command, **how):
        """Runs a command as the person types it, and returns its whole output."""
        done = self.done(command, **how)
        return done.stdout + done.stderr

    def run(self, *args):
        """Runs a command of handoff, and returns its standard output."""
        return self.done([self.handoff, *args]).stdout

    def done(self, command, cwd=None, **variables):
        done = subprocess.run(command, env={**self.env, **variables}, cwd=cwd or self.repository, timeout=300,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused(f"{shlex.join(command)}: exit code {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}")
        return done

    def send(self, to, task, *options):
        sent = json.loads(self.run("send", to, task, "--agent", "human", "--json", *options))
        return sent.get("handoff_id") or sent["notice_id"]

    def checkpoint(self, handoff):
        """The note of a handoff, empty if there is none."""
        with contextlib.suppress(Refused):
            return self.run("show", handoff, "--checkpoint")
        return ""

    def live(self):
        return live(json.loads(self.run("agents", "--json")))

    def find(self, title, *states):
        """The handoff of this title, when it is in one of the states, if the caller names states."""
        items = json.loads(self.run("list", "--all", "--json"))["items"]
        return next((item for item in items if item["title"] == title and item["status"] in (states or item["status"])), None)

    def taken(self, title):
        return self.find(title, "accepted", "working", "completed")

    def session(self, client, steps, cwd=None):
        """A session that only gets the server."""
        return self.begin(client, steps, "--mcp-cmd", shlex.quote(self.handoff) + " mcp", cwd=cwd)

    def begin(self, client, steps, *options, cwd=None, rest=(), keys=None, prompt=None):
        """A session with the configuration of the home. With keys it runs in a terminal, which gets the keys."""
        begun = Session(self, client, steps)
        if keys:
            options += ("--keys", begun.write("keys.json", keys), *["--ask"] * (client == "claude"))  # else it asks for a confirmation
        if prompt:
            options += ("--prompt", prompt)
        rest = ["--", *rest] if rest else []
        begun.start([programs.script("in_network")], "--home", self.home, "--cwd", cwd or self.repository, *options, *rest)
        return begun

    def as_set_up(self, client, steps, rest=(), **how):
        """A session of a client with the entries of handoff setup. The harness rewrites some files and adds these entries."""
        if client == "codex":
            rest = ["--dangerously-bypass-hook-trust", *rest]
        return self.begin(client, steps, *self.settings(client), rest=rest, **how)

    def settings(self, client):
        """Options for the file that the harness rewrites, as it was at the first call."""
        file = os.path.join(self.home, {"codex": ".codex/config.toml", "gemini": ".gemini/settings.json"}.get(client, "none"))
        copy = os.path.join(self.root, f"{client}-settings")
        if os.path.exists(file) and not os.path.exists(copy):
            shutil.copy(file, copy)
        return ("--settings", copy) if os.path.exists(copy) else ()

    def serve(self):
        self.server = Server(self)
        until("a server that listens", self.server.url)

    def left(self):
        """The processes that still run in this directory."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/cwd").startswith(self.root + "/"):
                    with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as f:
                        found[int(pid)] = f.read().replace("\0", " ")[:100]
        return found

    def close(self, checks):
        """Ends all started processes. It names and kills the processes that remain."""
        try:
            for session in self.sessions:
                session.end()
            if self.server:
                checks.same("the server ends well", self.server.end(), 0)
            with contextlib.suppress(Stuck):
                until("the end of all processes", lambda: not self.left())
        finally:
            left = self.left()
            checks.same("no process is left", left, {})
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def live(agents):
    return {card["name"] for card in agents["agents"] if card.get("live")}
