package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

// A file of a project is in a repository: nothing is left in it or beside it.
func TestHooksOfAProjectAreTakenOutWithoutATrace(t *testing.T) {
	for name, receipt := range map[string]bool{"by who set it up": true, "by who cloned it": false} {
		for how, take := range map[string]func(*world, client.Client){
			"--no-hooks": func(w *world, c client.Client) { w.desired.Hooks = false; w.apply(c) },
			"--remove":   func(w *world, c client.Client) { w.revert(c) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				w := newWorld(t)
				w.desired.Scope = client.Project
				claude := known(t, "claude-code")
				settings := claude.Hooks.In(client.Project, w.desired.Machine)
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

// Who gave our server another name keeps that.
func TestServerUnderAnotherNameIsOurs(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	path := w.servers(claude)
	const named = `{"mcpServers": {"mail": {"type": "stdio", "command": "/old/handoff", "args": ["mcp"], "timeout": 5}, "docs": {"command": "x"}}}`
	w.write(path, named, 0o600)
	w.desired.Server.Trust = true
	change := of(t, w.Plan(claude, w.desired), path)
	require.Contains(t, string(change.After), `"mail": {"type": "stdio", "command": "handoff", "args": ["mcp"], "timeout": 5}`)
	require.Equal(t, 1, strings.Count(string(change.After), `"args"`), "there is no second one")
	w.apply(claude)
	require.True(t, of(t, w.Plan(claude, w.desired), path).Same())
	settings := claude.Hooks.In(client.User, w.desired.Machine)
	require.Contains(t, w.read(settings), `"mcp__mail"`)
	w.revert(claude)
	w.requireText(named, path)
}
