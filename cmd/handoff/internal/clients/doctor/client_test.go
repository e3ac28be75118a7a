package doctor_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/doctor"
)

func TestExamineClient_WarnsIfNotSetUp(t *testing.T) {
	w := newWorld(t)
	requireFinding(t, w.examine("cursor"), doctor.Skipped, "was not found", "handoff setup cursor")
	w.bench.NamedByUser = true
	w.write(".cursor/mcp.json", `{"mcpServers": {"docs": {"url": "https://example.com"}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Warning, "Cursor is not set up", "handoff setup cursor")
	requireFinding(t, doctor.NoClientSetUp(client.All(), w.bench), doctor.Skipped, "no client", "handoff setup")
}

func TestExamineClient_ReportsFaultsOfEntryWithRemedy(t *testing.T) {
	for name, tt := range map[string]struct {
		client, path, text string
		state              doctor.Severity
		says, remedy       string
	}{
		"a program that is not there": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "/nowhere/handoff", "args": ["mcp"]}}}`,
			doctor.Error, "Cursor (user): /nowhere/handoff, which it starts, is not there", "handoff setup cursor --yes",
		},
		"a program that is not on PATH": {
			"vscode", ".config/Code/User/mcp.json", `{"servers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"]}}}`,
			doctor.Error, "VS Code (user): handoff, which it starts, is not there", "export PATH=",
		},
		"one command as a list": {
			"opencode", ".config/opencode/opencode.json", `{"mcp": {"handoff": {"type": "local", "command": ["/nowhere/handoff", "mcp"]}}}`,
			doctor.Error, "/nowhere/handoff, which it starts, is not there", "handoff setup opencode --yes",
		},
		"switched off": {
			"codex", ".codex/config.toml", "[mcp_servers.handoff]\ncommand = 'handoff'\nargs = ['mcp']\nenabled = false\n",
			doctor.Warning, "switched off", "handoff setup codex --yes",
		},
		"switched off in a project": {
			"cursor", "PROJECT/.cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "handoff", "args": ["mcp"], "disabled": true}}}`,
			doctor.Warning, "switched off", "handoff setup cursor --scope project --yes",
		},
		"of one project": {
			"claude-code", ".claude.json", `{"projects": {"PROJECT": {"mcpServers": {"handoff": {"command": "/nowhere/handoff"}}}}}`,
			doctor.Error, "Claude Code (local): /nowhere/handoff", "claude mcp remove --scope local handoff",
		},
		"of nothing": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {}}}`,
			doctor.Error, "names no server", "handoff setup cursor --yes",
		},
		"an address that is none": {
			"codex", ".codex/config.toml", "[mcp_servers.handoff]\nurl = 'handoff.example.com'\n",
			doctor.Error, "the address in ", "handoff setup codex --yes",
		},
		"an address for the client to find": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {"url": "${env:HANDOFF_URL}/mcp"}}}`,
			doctor.Skipped, "mcp.json is for the client to find", "",
		},
		"for the client to find": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "${workspaceFolder}/handoff"}}}`,
			doctor.Skipped, "${workspaceFolder}/handoff is for the client to find", "",
		},
		"a file that does not parse": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": oops}`,
			doctor.Error, "mcp.json: it does not parse: ", "handoff setup cursor --print",
		},
		"a file of the project that does not parse": {
			"cursor", "PROJECT/.cursor/mcp.json", `{"mcpServers": oops}`,
			doctor.Error, "mcp.json: it does not parse: ", "handoff setup cursor --scope project --print",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			project := strings.NewReplacer("PROJECT", filepath.ToSlash(w.bench.Machine.Project))
			w.write(project.Replace(tt.path), project.Replace(tt.text))
			requireFinding(t, w.examine(tt.client), tt.state, tt.says, project.Replace(tt.remedy))
		})
	}
}

// Some clients have their servers and their hooks in one file.
func TestExamineClient_ReportsBrokenFileOnce(t *testing.T) {
	w := newWorld(t)
	w.write(".gemini/settings.json", "{")
	all := w.examine("gemini")
	require.Len(t, all, 1)
	requireFinding(t, all, doctor.Error, "settings.json: it does not parse", "handoff setup gemini-cli --print")
	require.Empty(t, doctor.NoClientSetUp(client.All(), w.bench))
}

func TestExamineClient_WarnsOfPluginNextToSetup(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", `{"enabledPlugins": {"handoff@handoff": true},`+hooks("Stop", "handoff hook stop")[1:])
	requireFinding(t, w.examine("claude-code"), doctor.Warning, "both the plugin and what setup writes: its hooks run twice", "handoff setup claude-code --remove --yes")

	w = newWorld(t)
	w.write(".codex/config.toml", "[plugins.\"handoff@handoff\"]\nenabled = true\n[mcp_servers.handoff]\ncommand = '/nowhere/handoff'\n")
	requireFinding(t, w.examine("codex"), doctor.Warning, "both the plugin", "handoff setup codex --remove --yes")

	w = newWorld(t)
	w.write(".gemini/extensions/handoff/gemini-extension.json", "{}")
	requireFinding(t, w.examine("gemini-cli"), doctor.Error, "Gemini CLI (plugin): handoff, which it starts, is not there", "export PATH=")
	requireNone(t, w.examine("gemini-cli"), "both")
}

func TestExamineClient_ReportsUntrustedHooks(t *testing.T) {
	w := newWorld(t)
	path := w.write(".codex/hooks.json", hooks("UserPromptSubmit", "handoff hook prompt --client codex"))
	requireFinding(t, w.examine("codex"), doctor.Skipped, "Codex does not run hooks that nobody reviewed", "codex")
	w.write(".codex/config.toml", "[hooks.state.\""+path+":user_prompt_submit:0:0\"]\ntrusted_hash = \"sha256:x\"\n")
	requireNone(t, w.examine("codex"), "reviewed")

	w.write(".gemini/settings.json", `{"mcpServers": {"handoff": {"command": "/nowhere/handoff"}}}`)
	requireFinding(t, w.examine("gemini"), doctor.Skipped, "was not told whether to trust", "&& gemini")
	w.write(".gemini/trustedFolders.json", `{"`+filepath.Dir(w.bench.Machine.Project)+`": "TRUST_FOLDER", "`+w.bench.Machine.Project+`": "DO_NOT_TRUST"}`)
	requireFinding(t, w.examine("gemini"), doctor.Error, "was told not to trust", "&& gemini")
	w.write(".gemini/trustedFolders.json", `{"`+w.bench.Machine.Project+`/below": "TRUST_PARENT"}`)
	requireNone(t, w.examine("gemini"), "to trust")
	for range 20 { // in any order of the rules
		w.write(".gemini/trustedFolders.json", `{"`+w.bench.Machine.Project+`/.": "TRUST_FOLDER", "`+w.bench.Machine.Project+`//": "DO_NOT_TRUST"}`)
		requireFinding(t, w.examine("gemini"), doctor.Error, "was told not to trust", "&& gemini")
	}

	w.write(filepath.Join(w.bench.Machine.Project, ".mcp.json"), `{"mcpServers": {"handoff": {"command": "/nowhere/handoff"}}}`)
	w.write(filepath.Join(w.bench.Machine.Project, ".claude/settings.local.json"), `{"disabledMcpjsonServers": ["handoff"]}`)
	requireFinding(t, w.examine("claude"), doctor.Warning, "was told not to start", "claude mcp reset-project-choices")
}

// Codex gives its hooks the variables of the shell, and its server only the variables of the entry.
func TestExamineClient_WarnsOfVariablesWithheldByCodex(t *testing.T) {
	const server = "[mcp_servers.handoff]\ncommand = '/nowhere/handoff'\nargs = ['mcp'ARG]\n"
	for name, tt := range map[string]struct {
		entry string
		vars  map[string]string
		lacks string
	}{
		"a name":           {server, map[string]string{"HANDOFF_AGENT": "boss"}, "HANDOFF_AGENT"},
		"a name and place": {server, map[string]string{"HANDOFF_AGENT": "boss", "XDG_STATE_HOME": "/x"}, "HANDOFF_AGENT, XDG_STATE_HOME"},
		"nothing set":      {server, nil, ""},
		"named":            {server + "env_vars = ['HANDOFF_AGENT']\n", map[string]string{"HANDOFF_AGENT": "boss"}, ""},
		"given":            {server + "env = { HANDOFF_AGENT = 'boss' }\n", map[string]string{"HANDOFF_AGENT": "boss"}, ""},
		"given another":    {server + "env = { HANDOFF_AGENT = 'qa' }\n", map[string]string{"HANDOFF_AGENT": "boss"}, "HANDOFF_AGENT"},
		"of no matter":     {strings.Replace(server, "ARG", ", '--agent', 'qa'", 1), map[string]string{"HANDOFF_AGENT": "boss"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			maps.Copy(w.vars, tt.vars)
			w.write(".codex/config.toml", strings.Replace(tt.entry, "ARG", "", 1))
			if tt.lacks == "" {
				requireNone(t, w.examine("codex"), "of this environment")
				return
			}
			requireFinding(t, w.examine("codex"), doctor.Warning, "get "+tt.lacks+" of this environment", "handoff setup codex --yes")
		})
	}
}

func TestExamineClient_ExaminesServerUnderAnotherName(t *testing.T) {
	w := newWorld(t)
	w.write(".claude.json", `{"mcpServers": {"mail": {"command": "/nowhere/handoff", "args": ["mcp"]}}}`)
	requireFinding(t, w.examine("claude-code"), doctor.Error, "Claude Code (user, as mail): /nowhere/handoff, which it starts, is not there", "handoff setup claude-code --yes")
	requireNone(t, w.examine("claude-code"), "not set up")
}
