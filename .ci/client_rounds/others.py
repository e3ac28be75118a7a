"""Clients that the harness does not know. Each is set up, and a session of it does work with the model of another client."""

import glob
import json
import os
import shlex
import subprocess
import sys

from harness import programs

from .checks import until
from .steps import finish, take

PORT = 4999  # of the model, in the network of the session
OPENAI = {"model": "mock/m", "small_model": "mock/m", "provider": {"mock": {
    "npm": "@ai-sdk/openai", "options": {"baseURL": f"http://127.0.0.1:{PORT}/v1", "apiKey": "dummy"}, "models": {"m": {}}}}}

OTHERS = {  # program in its package, model, arguments, environment; hooks remind its sessions
    "copilot-cli": {
        "program": "@github/copilot-*/copilot", "model": "openai.py", "hooks": True,
        "line": ["-p", "Do the work.", "--allow-tool", "handoff"],
        "env": {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_TYPE": "openai",
                "COPILOT_PROVIDER_WIRE_API": "responses", "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{PORT}/v1",
                "COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "gpt-5"}},
    "opencode": {
        "program": "opencode-*/bin/opencode", "model": "openai.py", "hooks": False, "line": ["run", "Do the work."],
        "env": {"OPENCODE_CONFIG_CONTENT": json.dumps(OPENAI), **dict.fromkeys((
            "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_DEFAULT_PLUGINS"), "1")}},
    "qwen-code": {
        "program": "@qwen-code/qwen-code/cli.js", "model": "anthropic.py", "hooks": True,
        "line": ["--auth-type", "anthropic", "-m", "mock", "-p", "Do the work."],
        "env": {"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}", "ANTHROPIC_MODEL": "mock",
                "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"}},
}

STEPS = [take("work"), {"text": "a pause"}, finish("work"), {"text": "the end"}]
IN_ONE = [*STEPS[:1], *STEPS[2:]]  # for clients whose sessions get no reminder


def others_work(office, checks):
    """Copilot CLI, opencode and Qwen Code are set up and claim a handoff under their names. Hooks remind them of it. In the end their files are as before."""
    modules = os.environ.get("HANDOFF_OTHER_CLIENTS")
    if not modules:
        print("skipped: HANDOFF_OTHER_CLIENTS names no packages", flush=True)
        return
    sessions = {name: begin(office, modules, name, **row) for name, row in OTHERS.items()}
    for name, session in sessions.items():
        until(f"the end of {name}", lambda session=session: session.poll() is not None)
        out = os.path.join(office.root, name)
        if session.returncode:
            print(read(out, "said"))
        checks.same(f"{name} ended well", session.returncode, 0)
        checks.same(f"{name} took the handoff", office.find(f"work for {name}")["status"], "completed")
        checks.holds(f"{name} is told its name", f"You are {name} in " in read(out, "log.jsonl"))
        if OTHERS[name]["hooks"]:
            checks.holds(f"{name} is reminded by its hooks", "You hold 1 handoff" in read(out, "log.jsonl"))
    office.run("setup", "--remove", "--yes", *OTHERS)
    left = [file for file in glob.glob(f"{office.home}/**/*.json", recursive=True, include_hidden=True) if ours(file)]
    checks.same("nothing of handoff is left in their files", left, [])


def begin(office, modules, name, program, model, line, env, hooks):
    """Sets a client up and starts a session of it, in a network with its model."""
    path, node = glob.glob(os.path.join(modules, program))[0], os.path.join(modules, "node", "bin", "node")
    command = [node, path] if path.endswith(".js") else [path]
    out = os.path.join(office.root, name)
    os.mkdir(out)
    with open(os.path.join(out, "script.json"), "w", encoding="utf-8") as f:
        json.dump(STEPS if hooks else IN_ONE, f)
    office.run("setup", name, "--trust", "--yes")
    office.send(name, f"work for {name}")
    serve = [sys.executable, "-B", programs.script(model), "--script", f"{out}/script.json", "--log", f"{out}/log.jsonl",
             "--port", str(PORT), "--port-file", f"{out}/port"]
    both = 'out=$1; shift; "$@" & model=$!; while [ ! -s "$out/port" ]; do sleep 0.1; done; ' \
           'eval "$CLIENT" >"$out/said" 2>&1; status=$?; kill $model; wait $model; exit $status'
    return subprocess.Popen(
        [programs.script("in_network"), "sh", "-c", both, "sh", out, *serve], cwd=office.repository, stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**office.env, **env, "CLIENT": shlex.join([*command, *line])})


def read(out, name):
    with open(os.path.join(out, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def ours(file):
    return os.path.basename(file) in ("settings.json", "mcp-config.json", "opencode.json") and "handoff" in read("", file)


ROUNDS = (others_work,)
