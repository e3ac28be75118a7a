package doctor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/doctor"
)

func TestAClientThatIsNotSetUp(t *testing.T) {
	w := newWorld(t)
	requireFinding(t, w.examine("cursor"), doctor.Skipped, "was not found", "handoff setup cursor")
	w.bench.Wanted = true
	w.write(".cursor/mcp.json", `{"mcpServers": {"docs": {"url": "https://example.com"}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Warning, "Cursor is not set up", "handoff setup cursor")
	requireFinding(t, doctor.Idle(client.All(), w.bench.Machine), doctor.Skipped, "no client", "handoff setup")
}

func TestWhatIsWrongWithAnEntry(t *testing.T) {
	for name, tt := range map[string]struct {
		client, path, text string
		state              doctor.State
		says, remedy       string
	}{
		"a program that is not there": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "/nowhere/handoff", "args": ["mcp"]}}}`,
			doctor.Error, "Cursor (user): /nowhere/handoff, which it starts, is not there", "handoff setup cursor --yes",
		},
		"a program that is not on PATH": {
			"vscode", ".config/Code/User/mcp.json", `{"servers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"]}}}`,
			doctor.Error, "VS Code (user): handoff, which it starts, is not there", "ln -s ",
		},
		"one command as a list": {
			"opencode", ".config/opencode/opencode.json", `{"mcp": {"handoff": {"type": "local", "command": ["/nowhere/handoff", "mcp"]}}}`,
			doctor.Error, "/nowhere/handoff, which it starts, is not there", "handoff setup opencode --yes",
		},
		"switched off": {
			"codex", ".codex/config.toml", "[mcp_servers.handoff]\ncommand = 'handoff'\nenabled = false\n",
			doctor.Warning, "switched off", "handoff setup codex --yes",
		},
		"of one project": {
			"claude-code", ".claude.json", `{"projects": {"PROJECT": {"mcpServers": {"handoff": {"command": "/nowhere/handoff"}}}}}`,
			doctor.Error, "Claude Code (local): /nowhere/handoff", "handoff setup claude-code --yes",
		},
		"of nothing": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {}}}`,
			doctor.Error, "names no server", "handoff setup cursor --yes",
		},
		"of something else": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "/bin/echo", "args": ["hello"]}}}`,
			doctor.Error, "its server does not answer: ", "/bin/echo hello",
		},
		"for the client to find": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "${workspaceFolder}/handoff"}}}`,
			doctor.Skipped, "${workspaceFolder}/handoff is for the client to find", "",
		},
		"a file that does not parse": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": oops}`,
			doctor.Error, "mcp.json cannot be read: ", "handoff setup cursor --print",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(tt.path, strings.ReplaceAll(tt.text, "PROJECT", w.bench.Machine.Project))
			requireFinding(t, w.examine(tt.client), tt.state, tt.says, tt.remedy)
		})
	}
}

// hooks is a file with one hook on an event.
func hooks(event, command string) string {
	return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}

func TestThePluginAndSetupTogether(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", `{"enabledPlugins": {"handoff@handoff": true},`+hooks("Stop", "handoff hook stop")[1:])
	requireFinding(t, w.examine("claude-code"), doctor.Warning, "both the plugin and what setup writes", "handoff setup claude-code --remove --yes")

	w = newWorld(t)
	w.write(".codex/config.toml", "[plugins.\"handoff@handoff\"]\nenabled = true\n[mcp_servers.handoff]\ncommand = '/nowhere/handoff'\n")
	requireFinding(t, w.examine("codex"), doctor.Warning, "both the plugin", "handoff setup codex --remove --yes")

	w = newWorld(t)
	w.write(".gemini/extensions/handoff/gemini-extension.json", "{}")
	requireFinding(t, w.examine("gemini-cli"), doctor.Error, "Gemini CLI (plugin): handoff, which it starts, is not there", "ln -s ")
	for _, f := range w.examine("gemini-cli") {
		require.NotContains(t, f.Message, "both")
	}
}

func TestHooksForTheUserAndTheProject(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", hooks("Stop", "handoff hook stop"))
	w.write(filepath.Join(w.bench.Machine.Project, ".claude/settings.json"), hooks("Stop", "handoff hook stop"))
	all := w.examine("claude-code")
	requireFinding(t, all, doctor.Warning, "they run twice", "--scope project --remove --yes")
	requireFinding(t, all, doctor.Warning, "runs none on SessionStart, UserPromptSubmit, PostToolUse, SubagentStop", "handoff setup claude-code --hooks --yes")
}

func TestWhatClientsWereNotToldToTrust(t *testing.T) {
	w := newWorld(t)
	path := w.write(".codex/hooks.json", hooks("UserPromptSubmit", "handoff hook prompt --client codex"))
	requireFinding(t, w.examine("codex"), doctor.Warning, "Codex does not run 1 hook that nobody reviewed", "codex")
	w.write(".codex/config.toml", "[hooks.state.\""+path+":user_prompt_submit:0:0\"]\ntrusted_hash = \"sha256:x\"\n")
	for _, f := range w.examine("codex") {
		require.NotContains(t, f.Message, "reviewed")
	}

	w.write(".gemini/settings.json", `{"mcpServers": {"handoff": {"command": "/nowhere/handoff"}}}`)
	requireFinding(t, w.examine("gemini"), doctor.Warning, "was not told whether to trust", "&& gemini")
	w.write(".gemini/trustedFolders.json", `{"`+filepath.Dir(w.bench.Machine.Project)+`": "TRUST_FOLDER", "`+w.bench.Machine.Project+`": "DO_NOT_TRUST"}`)
	requireFinding(t, w.examine("gemini"), doctor.Error, "was told not to trust", "&& gemini")
	w.write(".gemini/trustedFolders.json", `{"`+w.bench.Machine.Project+`/below": "TRUST_PARENT"}`)
	for _, f := range w.examine("gemini") {
		require.NotContains(t, f.Message, "trust")
	}

	w.write(filepath.Join(w.bench.Machine.Project, ".mcp.json"), `{"mcpServers": {"handoff": {"command": "/nowhere/handoff"}}}`)
	w.write(filepath.Join(w.bench.Machine.Project, ".claude/settings.local.json"), `{"disabledMcpjsonServers": ["handoff"]}`)
	requireFinding(t, w.examine("claude"), doctor.Warning, "was told not to start", "claude mcp reset-project-choices")
}
