"""Steps of the scripted model, and keys of the person at its terminal."""


def step(label, tool, /, **arguments):
    return {"as": label, "tool": tool, "input": arguments}


def look(label):
    return step(label, "list_agents")


def take(label):
    """Waits for work. A notice ends the wait as well, and the model reads it."""
    return step(label, "claim_handoff", wait_seconds=50)


def catch_up():
    """Reads the notices that earlier sessions of the same name left, so that none ends a wait."""
    return step("old", "list_handoffs", box="notices")


def finish(label, **more):
    return step(f"end of {label}", "complete_handoff", handoff_id="{{%s.handoff_id}}" % label, summary="done", **more)


def pass_on(label, to, **more):
    return finish(label, continuation={"to": to, "task": "look at what became of it"}, **more)


def give_back(label):
    return pass_on(label, "{{%s.from}}" % label)


def from_afar(label, to):
    """Claims work and passes it on. Over HTTP only the claim token identifies the holder."""
    return [take(label), pass_on(label, to, claim_token="{{%s.claim_token}}" % label)]


def at_the_prompt():
    """Keys: a person types when the client shows its prompt and has had time to listen."""
    return [{"wait": "[❯›]", "timeout": 180}, {"sleep": 3}]


def said(text, answer):
    """Keys: a person types a text, sees it, enters it, and waits for this answer on the screen.

    A client that is slow would read the text and the key that enters it at once, as something pasted.
    """
    typed = text.replace(" ", " ?")  # the harness does not read skipped columns as blanks
    return [{"send": text}, {"wait": typed, "timeout": 10, "optional": True}, {"send": "\r"}, {"wait": answer, "timeout": 120}]
