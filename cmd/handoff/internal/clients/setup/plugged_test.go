package setup_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/setup"
)

// With the plugin and what setup writes everything would run twice.
func TestAClientWithThePluginIsLeftAlone(t *testing.T) {
	for name, tt := range map[string]struct{ file, text, hint string }{
		"claude-code": {".claude/settings.json", `{"enabledPlugins": {"handoff@some place": true}}`, "claude plugin uninstall 'handoff@some place' takes"},
		"codex":       {".codex/config.toml", "[plugins.\"handoff@handoff\"]\nenabled = true\n", "codex plugin remove handoff@handoff takes"},
		"gemini-cli":  {".gemini/extensions/handoff/gemini-extension.json", "{}", "gemini extensions uninstall handoff takes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := known(t, name)
			w.apply(c)
			w.write(filepath.Join(w.desired.Machine.Home, filepath.FromSlash(tt.file)), tt.text, 0o600)
			all := w.Plan(c, w.desired)
			require.Len(t, all, 1)
			var plugged *setup.Plugged
			require.ErrorAs(t, all[0].Err, &plugged)
			require.Contains(t, setup.Hint(c, all[0].Err), tt.hint)
			_, err := w.Apply(t.Context(), all[0])
			require.ErrorAs(t, err, &plugged)
			require.NoError(t, w.Undo(c, w.desired)[0].Err, "what setup wrote is taken out all the same")
		})
	}
}

// What a project says of plugins is about that project.
func TestPluginOfAProjectKeepsSetupFromTheProject(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	w.write(claude.Hooks.In(client.Project, w.desired.Machine), `{"enabledPlugins": {"handoff@handoff": true}}`, 0o600)
	require.NoError(t, w.Plan(claude, w.desired)[0].Err)
	w.desired.Scope = client.Project
	require.Error(t, w.Plan(claude, w.desired)[0].Err)
}
