package setup_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// A file of a project is in a repository: removal leaves nothing in it or next to it.
func TestApplyUndo_OfProjectLeavesNoTrace(t *testing.T) {
	for name, receipt := range map[string]bool{"by who set it up": true, "by who cloned it": false} {
		for how, take := range map[string]func(*world, client.Client){
			"--no-hooks": func(w *world, c client.Client) { w.desired.Hooks = false; w.apply(c) },
			"--remove":   func(w *world, c client.Client) { w.revert(c) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				w := newWorld(t)
				w.desired.Scope = client.Project
				claude := known(t, "claude-code")
				settings := claude.Hooks.PathFor(client.Project, w.desired.Machine)
				const theirs = "{\n  \"model\": \"opus\"\n}\n"
				w.write(settings, theirs, 0o644)
				w.apply(claude)
				require.Contains(t, w.read(settings), "handoff hook stop")
				if !receipt {
					require.NoError(t, os.RemoveAll(w.Dir))
				}
				take(w, claude)
				w.requireText(theirs, settings)
				require.Equal(t, []string{"settings.json"}, tree(t, filepath.Dir(settings)))
			})
		}
	}
}

// A user who gave our server another name keeps it.
func TestPlanSetup_FindsServerUnderAnotherName(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	path := w.servers(claude)
	const named = `{"mcpServers": {"mail": {"type": "stdio", "command": "/old/handoff", "args": ["mcp"], "timeout": 5}, "docs": {"command": "x"}}}`
	w.write(path, named, 0o600)
	w.desired.Server.Trust = true
	change := of(t, w.PlanSetup(claude, w.desired), path)
	require.Contains(t, string(change.After), `"mail": {"type": "stdio", "command": "handoff", "args": ["mcp"], "timeout": 5}`)
	require.Equal(t, 1, strings.Count(string(change.After), `"args"`), "there is no second one")
	w.apply(claude)
	require.True(t, of(t, w.PlanSetup(claude, w.desired), path).IsUnchanged())
	settings := claude.Hooks.PathFor(client.User, w.desired.Machine)
	require.Contains(t, w.read(settings), `"mcp__mail"`)
	w.revert(claude)
	w.requireText(named, path)
}

// With the plugin and the entries of setup everything would run twice.
func TestPlanSetup_LeavesClientWithPluginAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other quotes")
	}
	for name, tt := range map[string]struct{ file, text, hint string }{
		"claude-code": {".claude/settings.json", `{"enabledPlugins": {"handoff@some place": true}}`, "claude plugin uninstall 'handoff@some place' takes"},
		"codex":       {".codex/config.toml", "[plugins.\"handoff@handoff\"]\nenabled = true\n", "codex plugin remove handoff@handoff takes"},
		"gemini-cli":  {".gemini/extensions/handoff/gemini-extension.json", "{}", "gemini extensions uninstall handoff takes"},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := worldWith(t, name)
			w.apply(c)
			w.write(filepath.Join(w.desired.Machine.Home, filepath.FromSlash(tt.file)), tt.text, 0o600)
			all := w.PlanSetup(c, w.desired)
			require.Len(t, all, 1)
			require.True(t, all[0].Plugin)
			require.Contains(t, schemas.AsError(all[0].Err).Hint, tt.hint)
			_, err := w.Apply(all[0])
			require.ErrorContains(t, err, "it has the plugin of handoff")
			require.NoError(t, w.PlanUndo(c, w.desired)[0].Err, "what setup wrote is taken out all the same")
		})
	}
}

// Plugins of a project count for that project only.
func TestPlanSetup_PluginOfProjectCountsForProject(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	w.write(claude.Hooks.PathFor(client.Project, w.desired.Machine), `{"enabledPlugins": {"handoff@handoff": true}}`, 0o600)
	require.NoError(t, w.PlanSetup(claude, w.desired)[0].Err)
	w.desired.Scope = client.Project
	require.Error(t, w.PlanSetup(claude, w.desired)[0].Err)
}

// A program may have another name than handoff. Its hooks are recognised by it.
func TestApply_ReplacesHooksOfRenamedProgram(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	settings := claude.Hooks.PathFor(client.User, w.desired.Machine)
	const theirs = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/opt/handoff-0.9 hook stop --client claude-code"}]}]}}` + "\n"
	w.write(settings, theirs, 0o600)
	called := func(program string) {
		w.desired.Call.Program = program
		w.desired.Server.Command = []string{program, "mcp"}
	}
	called("/opt/handoff-1.2")
	w.apply(claude)
	once := w.read(settings)
	require.Equal(t, 1, strings.Count(once, "/opt/handoff-1.2 hook stop"))
	require.True(t, of(t, w.PlanSetup(claude, w.desired), settings).IsUnchanged(), "and again, and with --check")
	called("/opt/handoff-1.3")
	w.apply(claude)
	w.requireText(strings.ReplaceAll(once, "handoff-1.2", "handoff-1.3"), settings)

	w.write(settings, w.read(settings)+"\n", 0o600)
	called("handoff")
	w.revert(claude)
	w.requireText(theirs+"\n", settings)
}

// Only an attacker has so many hooks of ours.
func TestPlanSetup_RefusesFileWithTooManyHooks(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	settings := claude.Hooks.PathFor(client.User, w.desired.Machine)
	group := `{"hooks": [{"type": "command", "command": "handoff hook stop"}]}`
	w.write(settings, `{"hooks": {"Stop": [`+strings.Repeat(group+",", 20_000)+group+`]}}`, 0o600)
	require.ErrorContains(t, of(t, w.PlanSetup(claude, w.desired), settings).Err, "more than 40 hooks")
	require.ErrorContains(t, of(t, w.PlanUndo(claude, w.desired), settings).Err, "more than 40 hooks")
}
