"""One run of a client, and the text that its model got."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

from harness import programs

LIMIT = 600  # seconds for one session
END = "that-is-all"  # the last words of each model, one word because screens are read without blanks


class Session:
    """One run of a client, from its first request to the end of its steps."""

    def __init__(self, office, client, steps):
        self.office, self.client, self.steps = office, client, steps if isinstance(steps, list) else steps["steps"]
        self.name = f"{len(office.sessions) + 1}-{client}"
        self.out = os.path.join(office.root, self.name)
        os.mkdir(self.out)
        self.write("script.json", [*steps, {"text": END}] if isinstance(steps, list) else steps)

    def start(self, within, *options):
        with open(self.path("run.txt"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*within, sys.executable, "-B", programs.script("drive.py"), self.client,
                 "--script", self.path("script.json"), "--out", self.out, "--timeout", str(LIMIT), *options],
                env={**os.environ, "PATH": self.office.env["PATH"], "TMPDIR": self.office.root},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.office.sessions.append(self)

    def path(self, name):
        return os.path.join(self.out, name)

    def write(self, name, what):
        with open(self.path(name), "w", encoding="utf-8") as f:
            json.dump(what, f)
        return self.path(name)

    def read(self, name):
        """A file of the session, empty before it is there."""
        if not os.path.exists(self.path(name)):
            return ""
        with open(self.path(name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def ended(self):
        return self.process.poll() is not None

    def end(self):
        """Interrupts a harness that still runs; it then ends its client and its model."""
        if not self.ended():
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def told(self):
        """The name in the instructions of its model, and their sentence about the other agents."""
        sent = self.read("requests.jsonl")
        name = re.search(r"You are (\S+)(?: \([^)]*\))? in workspace", sent)
        others = re.search(r"(Also here|Nobody else)[^\\]*", sent)
        return (name[1] if name else "", others[0] if others else "nothing about who is here")

    def asked(self):
        """The requests to the model so far, as text."""
        records = [json.loads(line) for line in self.read("requests.jsonl").split("\n")[:-1]]
        return [json.dumps(record["body"], ensure_ascii=False) for record in records if record.get("role") == "main"]

    def answered(self, tool):
        """Whether its model got the result of a tool."""
        return any('"kind": "tool_result"' in line and f'{tool}", "text"' in line for line in self.read("requests.jsonl").split("\n"))

    def heard(self, text):
        """Counts a text in the final conversation of its model. Quotes within the text are escaped twice."""
        return self.asked()[-1].count(json.dumps(text, ensure_ascii=False)[1:-1]) if self.asked() else 0

    def summary(self):
        none = {"errors": [f"it came to nothing: {self.read('run.txt')[-200:]}"], "calls": []}
        return json.loads(self.read("summary.json") or json.dumps(none))

    def errors(self):
        """The faults, such as more turns than steps."""
        return self.summary()["errors"] + ["more turns than steps"] * ("(script over)" in self.read("requests.jsonl"))

    def result(self, label):
        """The result of the step with this label, as its model got it. An error is a text."""
        calls, steps = self.summary()["calls"], [step for step in self.steps if "tool" in step]
        text = next((call["result"] for step, call in zip(steps, calls) if step["as"] == label), None) or "no answer"
        with contextlib.suppress(ValueError):  # some clients put words around it
            return json.JSONDecoder().raw_decode(text[text.index("{"):])[0]
        return {"error": text}

    def report(self):
        said = self.read("setup.txt") + self.read("run.txt")
        calls = [line[:200] for line in said.split("\n") if not line.startswith((" ", "{", "}"))]
        return "\n".join([f"--- {self.name}, which {'ended' if self.ended() else 'runs'}, was told {self.told()}", *calls])
