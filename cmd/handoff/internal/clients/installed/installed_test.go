package installed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
)

// A world is a machine without clients, with a home and a project.
type world struct {
	t *testing.T
	client.Machine
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := world{t, client.Machine{
		Getenv: func(string) string { return "" }, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), OS: "linux",
	}}
	require.NoError(t, os.MkdirAll(w.Home, 0o700))
	require.NoError(t, os.MkdirAll(w.Project, 0o700))
	return w
}

// write writes a file of a client.
func (w world) write(files client.ConfigPaths, scope client.Scope, text string) (path string) {
	w.t.Helper()
	path = files.PathFor(scope, w.Machine)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// worldWith also gives a client.
func worldWith(t *testing.T, name string) (world, client.Client) {
	t.Helper()
	return newWorld(t), known(t, name)
}

func known(t *testing.T, name string) client.Client {
	t.Helper()
	c, ok := client.ByName(name)
	require.True(t, ok, name)
	return c
}

func TestEnabledPlugins_FindsEnabled(t *testing.T) {
	for text, want := range map[string][]string{
		`{"enabledPlugins": {"handoff@b": true, "handoff@a": {}, "other@a": true}}`:               {"handoff@a", "handoff@b"},
		`{"enabledPlugins": {"handoff@a": false, "handoff@b": {"enabled": false}, "handoff": 1}}`: nil,
		`{"enabledPlugins": ["handoff@a"]}`:                                                       nil,
		`oops`:                                                                                    nil,
	} {
		w, claude := worldWith(t, "claude-code")
		user := w.write(claude.Hooks.ConfigPaths, client.User, text)
		var names []string
		for _, b := range installed.EnabledPlugins(claude, w.Machine) {
			require.Equal(t, user, b.Path)
			require.Equal(t, client.User, b.Scope)
			require.Equal(t, []string{"plugin", "uninstall"}, b.Remove[:2])
			names = append(names, b.Remove[2])
		}
		require.Equal(t, want, names, text)
	}
}

func TestEnabledPlugins_FindsPluginOfProject(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	local := filepath.Join(w.Project, ".claude", "settings.local.json")
	w.write(claude.Hooks.ConfigPaths, client.Project, "{}")
	require.NoError(t, os.WriteFile(local, []byte(`{"enabledPlugins": {"handoff@a": true}}`), 0o600))
	require.Equal(t, []installed.EnabledPlugin{{client.Project, local, []string{"plugin", "uninstall", "handoff@a"}}}, installed.EnabledPlugins(claude, w.Machine))

	w.Project = w.Home // its file is the user's
	user := w.write(claude.Hooks.ConfigPaths, client.User, `{"enabledPlugins": {"handoff@a": true}}`)
	require.Equal(t, []installed.EnabledPlugin{{client.User, user, []string{"plugin", "uninstall", "handoff@a"}}}, installed.EnabledPlugins(claude, w.Machine))
	require.Empty(t, installed.EnabledPlugins(known(t, "cursor"), w.Machine))
}

const hooks = `{"hooks": {
	"Stop": [
		{"hooks": [{"command": "lint"}, {"command": "handoff hook stop; lint"}]},
		{"matcher": "x"},
		{"hooks": [{"prompt": "x"}, 7, {"command": "handoff hook stop"}]}
	],
	"SessionEnd": [{"hooks": [{"command": "handoff hook session-end"}]}],
	"Odd": {"hooks": []}
}}`

func TestHookHandlers_ListsPositions(t *testing.T) {
	doc, err := edit.ParseDocument(client.JSON, []byte(hooks))
	require.NoError(t, err)
	require.Equal(t, []client.HookHandler{
		{Event: "SessionEnd", Group: 0, Number: 0, Line: "handoff hook session-end"},
		{Event: "Stop", Group: 0, Number: 0, Line: "lint"},
		{Event: "Stop", Group: 0, Number: 1, Line: "handoff hook stop; lint"},
		{Event: "Stop", Group: 2, Number: 0, Line: ""},
		{Event: "Stop", Group: 2, Number: 1, Line: ""},
		{Event: "Stop", Group: 2, Number: 2, Line: "handoff hook stop"},
	}, installed.HookHandlers(doc))
}

func TestHookFiles_FindsOurFiles(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	path := w.write(claude.Hooks.ConfigPaths, client.User, hooks)
	project := w.write(claude.Hooks.ConfigPaths, client.Project, `{"hooks": {"Stop": [{"hooks": [{"command": "lint"}]}]}}`)
	all, unread := installed.HookFiles(claude, w.Machine)
	require.Empty(t, unread)
	require.Len(t, all, 1, "the project has none of ours")
	require.Equal(t, path, all[0].Path)
	require.Len(t, all[0].Handlers, 3)

	w.write(claude.Hooks.ConfigPaths, client.User, "{}")
	w.write(claude.Hooks.ConfigPaths, client.Project, hooks)
	all, _ = installed.HookFiles(claude, w.Machine)
	require.Len(t, all, 1)
	w.write(claude.Hooks.ConfigPaths, client.Project, "oops")
	_, unread = installed.HookFiles(claude, w.Machine)
	require.Len(t, unread, 1)
	require.Equal(t, project, unread[0].Path)
	all, unread = installed.HookFiles(known(t, "cursor"), w.Machine)
	require.Empty(t, all)
	require.Empty(t, unread)
}

// Setup removes each hook of ours by itself. So too many would take long.
func TestHookFiles_TooManyMakeFileUnread(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	many := func(n int) string {
		return `{"hooks": {"Stop": [` + strings.Repeat(`{"hooks": [{"command": "handoff hook stop"}]},`, n-1) + `{"hooks": [{"command": "handoff hook stop"}]}]}}`
	}
	w.write(claude.Hooks.ConfigPaths, client.Project, many(installed.MostHooks))
	all, unread := installed.HookFiles(claude, w.Machine)
	require.Len(t, all, 1)
	require.Empty(t, unread)
	w.write(claude.Hooks.ConfigPaths, client.Project, many(installed.MostHooks+1))
	all, unread = installed.HookFiles(claude, w.Machine)
	require.Empty(t, all)
	require.Len(t, unread, 1)
	require.ErrorIs(t, unread[0].Err, installed.ErrHooks)
}
