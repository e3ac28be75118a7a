package installed_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

func TestEnabledPluginsAreFound(t *testing.T) {
	for text, want := range map[string][]string{
		`{"enabledPlugins": {"handoff@b": true, "handoff@a": {}, "other@a": true}}`:               {"handoff@a", "handoff@b"},
		`{"enabledPlugins": {"handoff@a": false, "handoff@b": {"enabled": false}, "handoff": 1}}`: nil,
		`{"enabledPlugins": ["handoff@a"]}`:                                                       nil,
		`oops`:                                                                                    nil,
	} {
		w := newWorld(t)
		claude := known(t, "claude-code")
		user := w.write(claude.Hooks.Files, client.User, text)
		var names []string
		for _, b := range installed.Plugins(claude, w.Machine) {
			require.Equal(t, user, b.Path)
			require.Equal(t, client.User, b.Scope)
			require.Equal(t, []string{"plugin", "uninstall"}, b.Remove[:2])
			names = append(names, b.Remove[2])
		}
		require.Equal(t, want, names, text)
	}
}

func TestPluginsOfAProjectAreFound(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	local := filepath.Join(w.Project, ".claude", "settings.local.json")
	w.write(claude.Hooks.Files, client.Project, "{}")
	require.NoError(t, os.WriteFile(local, []byte(`{"enabledPlugins": {"handoff@a": true}}`), 0o600))
	require.Equal(t, []installed.Brought{{client.Project, local, []string{"plugin", "uninstall", "handoff@a"}}}, installed.Plugins(claude, w.Machine))

	w.Project = w.Home // its file is the user's
	user := w.write(claude.Hooks.Files, client.User, `{"enabledPlugins": {"handoff@a": true}}`)
	require.Equal(t, []installed.Brought{{client.User, user, []string{"plugin", "uninstall", "handoff@a"}}}, installed.Plugins(claude, w.Machine))
	require.Empty(t, installed.Plugins(known(t, "cursor"), w.Machine))
}
