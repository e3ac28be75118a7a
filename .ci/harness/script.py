"""The answers of a model: a list of steps, filled in with earlier results.

    {"tool": NAME, "input": {...}, "as": LABEL}   a call of a tool
    {"text": TEXT}                                a text, which ends the turn of the client
    {"delay": SECONDS, ...}                       wait before this step

{"steps": [...], "threads": [{"match": REGEX, "steps": [...]}]} gives a conversation whose first text matches steps of its own, as
that of a subagent. After the last step each answer is "(script over)".

In texts {{LABEL.field}} is a field of the result of the call with this label, and {{request~REGEX}} the first group that is found in
the request.
"""

import json
import re
import threading
import time

TEMPLATE = re.compile(r"\{\{(.+?)\}\}", re.S)


class Thread:
    def __init__(self, name, steps):
        self.name, self.steps, self.at = name, steps, 0


class Script:
    """The steps of one run, the calls that were made for them, and the log of all requests."""

    def __init__(self, path, log):
        with open(path, encoding="utf-8") as f:
            read = json.load(f)
        read = {"steps": read} if isinstance(read, list) else read
        self.main = Thread("main", read["steps"])
        self.others = [(re.compile(other["match"], re.S), Thread(other["match"], other["steps"])) for other in read.get("threads", [])]
        self.log_path, self.lock = log, threading.RLock()
        self.calls = {}  # by id, in their order

    def log(self, **record):
        with self.lock, open(self.log_path, "a", encoding="utf-8") as f:
            f.write(json.dumps(record, ensure_ascii=False) + "\n")

    def error(self, text):
        self.log(kind="error", error=text)

    def thread(self, first):
        """The thread of a conversation that begins with this text."""
        return next((thread for pattern, thread in self.others if pattern.search(first)), self.main)

    def step(self, thread, request):
        """The next step of a thread, filled in. {"text": "(script over)"} follows the last one."""
        with self.lock:
            if thread.at == len(thread.steps):
                return {"text": "(script over)"}
            thread.at += 1
            step = self.fill(thread.steps[thread.at - 1], request)
        time.sleep(step.get("delay", 0))
        return step

    def again(self, thread):
        """Repeats the last step of the thread, because the model first has to search for a tool."""
        with self.lock:
            thread.at -= 1

    def call(self, number, name, label=None, searched=None):
        """Notes a call. searched is the text of a search for tools."""
        with self.lock:
            self.calls[number] = {"name": name, "label": label, "searched": searched}

    def searched(self, words):
        return any(call["searched"] == words for call in self.calls.values())

    def result(self, number, text, is_error):
        """Notes the result of a call, once: clients repeat the whole conversation in each request."""
        with self.lock:
            call = self.calls.get(number)
            if call is None or "text" in call:
                return
            call["text"], call["json"] = text, payload(text)
            self.log(kind="tool_result", call=number, name=call["name"], text=text, is_error=bool(is_error))

    def fill(self, value, request):
        """A value with its templates replaced. A text with only one template keeps the type of the template's value."""
        if isinstance(value, dict):
            return {key: self.fill(part, request) for key, part in value.items()}
        if isinstance(value, list):
            return [self.fill(part, request) for part in value]
        if not isinstance(value, str):
            return value
        if whole := TEMPLATE.fullmatch(value):
            return self.stands_for(whole[1], request)
        return TEMPLATE.sub(lambda found: str(self.stands_for(found[1], request)), value)

    def stands_for(self, expression, request):
        try:
            if expression.startswith("request~"):
                return re.search(expression.removeprefix("request~"), request)[1]
            label, _, field = expression.partition(".")
            return [call for call in self.calls.values() if call["label"] == label][-1]["json"][field]
        except (LookupError, TypeError) as e:
            self.error(f"template {{{{{expression}}}}} stands for nothing: {e!r}")
            return f"UNRESOLVED({expression})"


def payload(text):
    """The first JSON object in the result of a tool, or None. The client writes the text around it."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text[start:])
    except ValueError:
        return None
    if "content" not in found or set(found) - {"content", "structuredContent", "isError", "_meta"}:
        return found
    return found.get("structuredContent") or payload("".join(part.get("text", "") for part in found["content"]))


def resolve(name, offered):
    """The full name of this tool in the client, such as mcp__handoff__claim_handoff. None if the client does not offer it."""
    ends = [full for full in offered if plain(full) == name or plain(full).endswith("_" + name)]
    return min(ends, key=len, default=None)


def plain(name):
    return re.sub("[^A-Za-z0-9]", "_", name or "")
