"""The Messages API of Anthropic, as Claude Code and Qwen Code use it."""

import json
import re
import uuid

from model import Model, serve
from script import resolve

USAGE = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


class Anthropic(Model):
    def answer(self, path, body, log):
        if path.endswith("/count_tokens"):
            log("count_tokens")
            return self.json({"input_tokens": 100})
        if path.endswith("/models"):
            log("models")
            return self.json({"data": [], "has_more": False})
        if not path.endswith("/messages"):
            return self.unknown(log)
        messages = body["messages"]
        for block in blocks(messages):
            if block["type"] == "tool_result":
                self.script.result(block["tool_use_id"], text(block.get("content")), block.get("is_error"))
        offered = [tool["name"] for tool in body.get("tools") or []]
        if not offered:  # a title, a summary or a probe
            log("side")
            return self.say(body, [{"type": "text", "text": "mock title"}])
        thread = self.script.thread(text(messages[0]["content"]))
        step = self.script.step(thread, json.dumps(body, ensure_ascii=False))
        content = [{"type": "text", "text": step["text"]}] if "text" in step else []
        if "tool" in step:
            content.append(self.call(step, thread, offered, body))
        log("main", thread=thread.name, content=content)
        return self.say(body, content)

    def call(self, step, thread, offered, body):
        """The call of a step, or first a search for its tool where the client offers that only on request."""
        number, name = "toolu_" + uuid.uuid4().hex[:16], resolve(step["tool"], offered)
        if name is None:  # the client may send only its name
            name = resolve(step["tool"], set(re.findall(r"\bmcp__[A-Za-z0-9_-]+", json.dumps([body["messages"], body.get("system")]))))
            words = "select:" + (name or step["tool"])
            if "ToolSearch" in offered and not self.script.searched(words):
                self.script.again(thread)
                self.script.call(number, "ToolSearch", searched=words)
                return {"type": "tool_use", "id": number, "name": "ToolSearch", "input": {"query": words, "max_results": 5}}
        if name is None:
            self.script.error(f"tool {step['tool']} was not offered; called nevertheless")
        self.script.call(number, name or step["tool"], step.get("as"))
        return {"type": "tool_use", "id": number, "name": name or step["tool"], "input": step.get("input", {})}

    def say(self, body, content):
        stop = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
        message = {"id": "msg_" + uuid.uuid4().hex[:16], "type": "message", "role": "assistant", "model": body.get("model"),
                   "content": content, "stop_reason": stop, "stop_sequence": None, "usage": USAGE}
        if not body.get("stream"):
            return self.json(message)
        self.stream()
        self.tell(type="message_start", message={**message, "content": [], "stop_reason": None})
        for index, block in enumerate(content):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            self.tell(type="content_block_start", index=index, content_block=empty)
            self.tell(type="content_block_delta", index=index, delta=delta)
            self.tell(type="content_block_stop", index=index)
        self.tell(type="message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 20})
        return self.tell(type="message_stop")

    def tell(self, **event):
        self.event(event, event["type"])


def blocks(messages):
    return [block for message in messages if isinstance(message["content"], list) for block in message["content"]]


def text(content):
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text") or block.get("tool_name") or "" for block in content or [])


if __name__ == "__main__":
    serve(Anthropic)
