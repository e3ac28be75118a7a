"""The Gemini API, as Gemini CLI uses it."""

import json
import uuid

from model import Model, serve
from script import resolve

# Answers to the side requests of Gemini CLI: the next speaker, and the model for the task.
ASIDE = {"reasoning": "mock", "next_speaker": "user", "model_choice": "pro", "complexity_score": 90, "complexity_reasoning": "mock"}
USAGE = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}


class Gemini(Model):
    def answer(self, path, body, log):
        if path.endswith(":countTokens"):
            log("count_tokens")
            return self.json({"totalTokens": 100})
        if not path.endswith(("enerateContent")):
            return self.unknown(log)
        parts = [part for content in body["contents"] for part in content["parts"]]
        for part in parts:
            if response := part.get("functionResponse"):
                self.note(response)
        offered = [f["name"] for tool in body.get("tools") or [] for f in tool.get("functionDeclarations", [])]
        if not offered:
            log("side")
            return self.say(path, [{"text": json.dumps(ASIDE)}])
        thread = self.script.thread("\n".join(part.get("text", "") for part in parts))
        step = self.script.step(thread, json.dumps(body, ensure_ascii=False))
        said = [{"text": step["text"]}] if "text" in step else []
        if "tool" in step:
            said.append(self.call(step, offered))
        log("main", thread=thread.name, content=said)
        return self.say(path, said)

    def note(self, response):
        """Notes the result of a call. A client that drops our id is matched by the name of the tool, oldest call first."""
        number = response.get("id")
        if number not in self.script.calls:
            number = next((number for number, call in self.script.calls.items()
                           if "text" not in call and call["name"] == response.get("name")), None)
        result = response["response"]
        self.script.result(number, result.get("output") or json.dumps(result), "error" in result)

    def call(self, step, offered):
        number, name = "call_" + uuid.uuid4().hex[:12], resolve(step["tool"], offered)
        if name is None:
            self.script.error(f"tool {step['tool']} was not offered; called nevertheless")
        self.script.call(number, name or step["tool"], step.get("as"))
        return {"functionCall": {"id": number, "name": name or step["tool"], "args": step.get("input", {})}}

    def say(self, path, parts):
        said = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": USAGE, "modelVersion": "mock"}
        if not path.endswith(":streamGenerateContent"):
            return self.json(said)
        self.stream()
        return self.event(said)


if __name__ == "__main__":
    serve(Gemini)
