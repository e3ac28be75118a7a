"""The paths of the clients, and their configuration for model, server and steps."""

import glob
import json
import os
import shlex
import shutil

TOOLS = os.environ.get("HARNESS_TOOLS") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "handoff-client-tools")
PROGRAMS = {
    "claude": "claude/node_modules/@anthropic-ai/claude-code-*/claude",
    "codex": "codex/node_modules/@openai/codex-*/vendor/*/bin/codex",
    "gemini": "gemini/node_modules/@google/gemini-cli/bundle/gemini.js",
}


def script(name):
    """A file of the harness."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def command(client):
    """The words that start a client."""
    found = sorted(glob.glob(os.path.join(TOOLS, PROGRAMS[client])))
    if not found:
        raise SystemExit(f"{client} is not installed below {TOOLS}: .ci/harness/install {TOOLS}")
    return [shutil.which("node"), found[0]] if client == "gemini" else found[:1]


def claude(run, port):
    """Claude Code: the command and its environment."""
    env = {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "dummy", "IS_SANDBOX": "1",
           **dict.fromkeys(("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER",
                            "DISABLE_ERROR_REPORTING", "DISABLE_BUG_COMMAND", "DISABLE_COST_WARNINGS"), "1")}
    line = command("claude")
    if run.keys:
        env["TERM"] = "xterm-256color"
        past_first_screens(os.path.join(run.home, ".claude.json"), run.cwd)
    else:
        line += ["-p", run.prompt, "--output-format", "stream-json", "--verbose"]
    if server := local_server(run):
        config = run.write("mcp.json", json.dumps({"mcpServers": {"handoff": {"type": "stdio", **server}}}))
        line += ["--mcp-config", config, "--strict-mcp-config"]
    if not run.ask:
        line.append("--dangerously-skip-permissions")
    return [*line, *run.rest], env


def past_first_screens(file, project):
    """Answers the questions of Claude Code at its first start in a terminal."""
    known = {}
    if os.path.exists(file):
        with open(file, encoding="utf-8") as f:
            known = json.load(f)
    known.update(hasCompletedOnboarding=True, theme="dark", bypassPermissionsModeAccepted=True,
                 customApiKeyResponses={"approved": ["dummy"], "rejected": []})
    known.setdefault("projects", {}).setdefault(project, {})["hasTrustDialogAccepted"] = True
    with open(file, "w", encoding="utf-8") as f:
        json.dump(known, f)


CODEX = """model = "mock-model"
model_provider = "mock"
approval_policy = "never"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:%d/v1"
env_key = "MOCK_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
"""


def codex(run, port):
    """Codex: the command and its environment. It rewrites its configuration."""
    home = os.path.join(run.home, ".codex")
    config = CODEX % port
    if server := local_server(run):
        config += "[mcp_servers.handoff]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in server.items())
    if run.keys:
        config += f'[projects.{json.dumps(run.cwd)}]\ntrust_level = "trusted"\n'
    config += run.settings_text()
    os.makedirs(home, exist_ok=True)
    with open(os.path.join(home, "config.toml"), "w", encoding="utf-8") as f:
        f.write(config)
    # A daemon of Codex would outlive the run.
    line = ["--no-alt-screen", "--no-daemon"] if run.keys else ["exec", "--json", "--skip-git-repo-check"]
    if not run.ask:
        line.append("--dangerously-bypass-approvals-and-sandbox")
    prompt = [] if run.keys else ["--", run.prompt]
    env = {"CODEX_HOME": home, "MOCK_API_KEY": "dummy", **({"TERM": "xterm-256color"} if run.keys else {})}
    return [*command("codex"), *line, *run.rest, *prompt], env


def gemini(run, port):
    """Gemini CLI: the command and its environment. It rewrites its settings."""
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
                "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}, "telemetry": {"enabled": False},
                "model": {"name": "gemini-2.5-pro"}, **json.loads(run.settings_text() or "{}")}
    if server := local_server(run):
        settings["mcpServers"] = {"handoff": server}
    home = os.path.join(run.home, ".gemini")
    os.makedirs(home, exist_ok=True)
    with open(os.path.join(home, "settings.json"), "w", encoding="utf-8") as f:
        json.dump(settings, f)
    env = {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}",
           "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"}
    line = [*command("gemini"), "-p", run.prompt, "--output-format", "stream-json"]
    if not run.ask:
        line += ["--approval-mode", "yolo"]
    return [*line, *run.rest], env


def local_server(run):
    """The entry of a server that the client starts, if one is wanted."""
    words = shlex.split(run.mcp_cmd or "")
    return {"command": words[0], "args": words[1:]} if words else None
