#!/usr/bin/env python3
"""Runs one real client, offline, against a model that plays a list of steps (script.py), and sums up the run.

Everything runs in a network namespace with loopback only, with an environment of its own and keys of no worth. OUT gets
requests.jsonl (each request and each result of a tool), summary.json (the calls and what went wrong), and what the client printed.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time

import programs
from terminal import Terminal

MODELS = {"claude": "anthropic.py", "codex": "openai.py", "gemini": "gemini.py"}


class Run:
    """One run of a client; the options of the command line are its fields."""

    def __init__(self, options, rest):
        self.__dict__.update(vars(options), rest=rest, processes=[])
        os.makedirs(self.home, exist_ok=True)
        self.cwd = self.cwd or os.path.join(self.home, "project")
        os.makedirs(self.cwd, exist_ok=True)
        self.environment = {
            "HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "CI": "1",
            "TMPDIR": os.environ.get("TMPDIR") or "/tmp", "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_CONFIG_HOME": self.home + "/.config", "XDG_CACHE_HOME": self.home + "/.cache",
            "XDG_DATA_HOME": self.home + "/.local/share", "XDG_STATE_HOME": self.home + "/.local/state"}
        self.given = dict(pair.split("=", 1) for pair in self.env)

    def path(self, name):
        return os.path.join(self.out, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def settings_text(self):
        """The settings of the file --settings, which the harness adds to its own."""
        if not self.settings:
            return ""
        with open(self.settings, encoding="utf-8") as f:
            return f.read()

    def play(self):
        """Runs the client from its first request to its end, and returns its exit code and the faults."""
        port = self.start_model()
        if self.setup:
            subprocess.run(["sh", "-c", self.setup], cwd=self.cwd, env={**self.environment, **self.given}, check=True)
        command, env = getattr(programs, self.client)(self, port)
        env = {**self.environment, **self.given, **env}
        if self.keys:
            return self.play_keys(command, env)
        client = self.start(command, "client", env)
        try:
            return client.wait(self.timeout), []
        except subprocess.TimeoutExpired:
            return 124, []

    def play_keys(self, command, env):
        """Plays keys at the terminal of the client. Its exit code means nothing: it may still sleep."""
        terminal = Terminal(command, env, self.cwd, self.path("client.stdout"))
        self.processes.append(terminal.process)
        with open(self.keys, encoding="utf-8") as f:
            missed = terminal.play(json.load(f))
        terminal.close()
        return 0, missed

    def start_model(self):
        file = self.path("port")
        model = self.start([sys.executable, programs.script(MODELS[self.client]), "--script", self.script,
                            "--log", self.path("requests.jsonl"), "--port-file", file], "model", self.environment)
        for _ in range(500):
            if os.path.exists(file):
                with open(file, encoding="utf-8") as f:
                    return int(f.read())
            if model.poll() is not None:
                break
            time.sleep(0.02)
        raise SystemExit(f"the model did not start: {self.path('model.stderr')}")

    def start(self, command, name, env):
        with open(self.path(name + ".stdout"), "wb") as out, open(self.path(name + ".stderr"), "wb") as err:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=self.cwd,
                                       start_new_session=True)
        self.processes.append(process)
        return process

    def stop(self):
        """Ends running processes, the last started first."""
        for process in reversed(self.processes):
            for number in (signal.SIGTERM, signal.SIGKILL):
                if process.poll() is None:
                    os.killpg(process.pid, number)
                    try:
                        process.wait(5)
                    except subprocess.TimeoutExpired:
                        pass

    def sum_up(self, code, errors):
        """Writes the calls of the model with their results, and returns the faults."""
        with open(self.path("requests.jsonl"), encoding="utf-8") as f:
            records = [json.loads(line) for line in f]
        results = {record["call"]: record for record in records if record["kind"] == "tool_result"}
        calls = [made for record in records if record.get("role") == "main" for made in map(call, record["content"]) if made]
        errors += [record["error"] for record in records if record["kind"] == "error"]
        errors += [f"client exit code {code}"] * (code != 0)
        errors += [f"no result of {made['name']} reached the model" for made in calls if made["id"] not in results]
        missing = self.steps() - sum(record.get("thread") == "main" and not searches(record) for record in records)
        errors += [f"{missing} steps of the script were never asked for"] * (missing > 0)
        told = [{"name": made["name"], "result": results.get(made["id"], {}).get("text")} for made in calls if not made["search"]]
        self.write("summary.json", json.dumps({"calls": told, "errors": errors}))
        return errors

    def steps(self):
        with open(self.script, encoding="utf-8") as f:
            script = json.load(f)
        return len(script if isinstance(script, list) else script["steps"])


def call(part):
    """The call in a part of a model's answer, in any API; None if it is a text."""
    part = part.get("functionCall", part)
    number = part.get("call_id") or part.get("id")
    if part.get("type") in ("message", "text") or not number:
        return None
    return {"id": number, "name": part.get("name", "tool_search"), "search": part.get("name", "tool_search") in ("tool_search", "ToolSearch")}


def searches(record):
    return any(made["search"] for made in map(call, record["content"]) if made)


def options(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("client", choices=MODELS)
    parser.add_argument("--script", required=True, help="steps of the model")
    parser.add_argument("--out", required=True, help="folder for what is found")
    parser.add_argument("--home", required=True, help="home of the client")
    parser.add_argument("--cwd", help="where it works (default: HOME/project)")
    parser.add_argument("--mcp-cmd", help="command line of a server that the client starts as handoff")
    parser.add_argument("--settings", help="file to add to the one that is written: JSON for Gemini CLI, TOML for Codex")
    parser.add_argument("--setup", help="shell command to run first")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="for the client")
    parser.add_argument("--prompt", default="Do the scripted work.")
    parser.add_argument("--keys", help="keys to play at its terminal, in place of the prompt (terminal.py)")
    parser.add_argument("--ask", action="store_true", help="have the client ask for permissions")
    parser.add_argument("--timeout", type=float, default=120, help="seconds")
    rest = []
    if "--" in words:
        words, rest = words[:words.index("--")], words[words.index("--") + 1:]
    return Run(parser.parse_args(words), rest)


def main():
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        inside = programs.script("in_network")
        os.execv(inside, [inside, sys.executable, "-B", os.path.abspath(__file__), *sys.argv[1:]])
    run = options(sys.argv[1:])
    try:
        code, errors = run.play()
    finally:
        run.stop()
    errors = run.sum_up(code, errors)
    print("\n".join(errors))
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
