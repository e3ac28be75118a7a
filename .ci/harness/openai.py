"""The Responses API of OpenAI, as Codex, Copilot CLI and opencode use it."""

import json
import uuid

from model import Model, serve
from script import resolve

USAGE = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20,
         "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120}


class OpenAI(Model):
    def answer(self, path, body, log):
        if path.endswith("/models"):
            log("models")
            return self.json({"object": "list", "data": [], "models": []})
        if not path.endswith("/responses"):
            return self.unknown(log)
        items = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
        for item in items:
            if item.get("type", "").endswith("_output"):
                self.script.result(item["call_id"], text(item.get("output", item.get("tools"))), item.get("is_error"))
        offered = tools(body, items)
        if not offered:
            log("side")
            return self.say(body, [message("mock")])
        first = next((text(item["content"]) for item in items
                      if item.get("role") == "user" and not text(item["content"]).lstrip().startswith("<")), "")
        thread = self.script.thread(first)
        step = self.script.step(thread, json.dumps(body, ensure_ascii=False))
        output = [message(step["text"])] if "text" in step else []
        if "tool" in step:
            output.append(self.call(step, thread, offered))
        log("main", thread=thread.name, content=output)
        return self.say(body, output)

    def call(self, step, thread, offered):
        """The call of a step, or first a search for its tool where the client offers that only on request."""
        number, name, wanted = "call_" + uuid.uuid4().hex[:12], resolve(step["tool"], offered), step["tool"]
        searching = any(tool.get("type") == "tool_search" for _, tool in offered.values())
        if name is None and searching and not self.script.searched(wanted):
            self.script.again(thread)
            self.script.call(number, "tool_search", searched=wanted)
            return {"type": "tool_search_call", "id": "fc_" + number, "call_id": number, "status": "completed", "execution": "client",
                    "arguments": {"query": wanted, "limit": 8}}
        if name is None:
            self.script.error(f"tool {wanted} was not offered; called nevertheless")
        namespace, tool = offered.get(name, (None, {"name": wanted}))
        self.script.call(number, name or wanted, step.get("as"))
        call = {"type": "function_call", "id": "fc_" + number, "call_id": number, "status": "completed", "name": tool["name"],
                "arguments": json.dumps(step.get("input", {}))}
        return {**call, "namespace": namespace} if namespace else call

    def say(self, body, output):
        response = {"id": "resp_" + uuid.uuid4().hex[:16], "object": "response", "created_at": 0, "status": "completed", "error": None,
                    "model": body.get("model"), "output": output, "usage": USAGE, "parallel_tool_calls": True}
        if not body.get("stream"):
            return self.json(response)
        self.stream()
        self.number = 0
        self.tell("response.created", response={**response, "status": "in_progress", "output": [], "usage": None})
        for index, item in enumerate(output):
            self.tell("response.output_item.added", output_index=index, item=item)
            if item["type"] == "message":
                self.tell("response.output_text.delta", item_id=item["id"], output_index=index, content_index=0,
                          delta=item["content"][0]["text"])
            self.tell("response.output_item.done", output_index=index, item=item)
        return self.tell("response.completed", response=response)

    def tell(self, kind, **event):
        self.event({"type": kind, "sequence_number": self.number, **event}, kind)
        self.number += 1


def message(said):
    return {"type": "message", "role": "assistant", "id": "msg_" + uuid.uuid4().hex[:10], "status": "completed",
            "content": [{"type": "output_text", "text": said, "annotations": []}]}


def tools(body, items):
    """The tools of a client: (namespace, tool) by full name. Some tools came with the result of a search."""
    given = list(body.get("tools") or [])
    for item in items:
        if item.get("type") in ("tool_search_output", "additional_tools"):
            given += item.get("tools") or []
    offered = {}
    for tool in given:
        if tool.get("type") == "namespace":
            offered.update({f"{tool['name']}.{inner['name']}": (tool["name"], inner) for inner in tool.get("tools") or []})
        else:
            offered[tool.get("name") or tool["type"]] = (None, tool)
    return offered


def text(value):
    """The text in what the API sends as a string, as parts, or as a part."""
    if isinstance(value, list):
        return "\n".join(map(text, value))
    if isinstance(value, dict):
        return value["text"] if "text" in value else json.dumps(value)
    return value or ""


if __name__ == "__main__":
    serve(OpenAI)
