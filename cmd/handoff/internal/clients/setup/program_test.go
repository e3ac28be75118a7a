package setup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

// A program may be called otherwise than handoff: its hooks are known by it.
func TestHooksOfAProgramOfAnotherNameAreReplaced(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	settings := claude.Hooks.In(client.User, w.desired.Machine)
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
	require.True(t, of(t, w.Plan(claude, w.desired), settings).Same(), "and again, and with --check")
	called("/opt/handoff-1.3")
	w.apply(claude)
	w.requireText(strings.ReplaceAll(once, "handoff-1.2", "handoff-1.3"), settings)

	w.write(settings, w.read(settings)+"\n", 0o600)
	called("handoff")
	w.revert(claude)
	w.requireText(theirs+"\n", settings)
}

// The hooks look into the workspace in which the server is.
func TestHooksNameTheWorkspaceOfTheServer(t *testing.T) {
	w := newWorld(t)
	gemini := known(t, "gemini-cli")
	path := w.servers(gemini)
	w.write(path, mine, 0o600)
	w.apply(gemini)
	w.desired.Call.Workspace = "wx"
	w.apply(gemini)
	now := w.read(path)
	require.Equal(t, strings.Count(now, "handoff hook "), strings.Count(now, "--workspace wx"))
	require.True(t, of(t, w.Plan(gemini, w.desired), path).Same())
	w.write(path, now+"\n", 0o600)
	w.revert(gemini)
	w.requireText(mine+"\n", path)
}

// Nobody has so many hooks of ours but to keep us busy.
func TestFileOfTooManyHooksIsRefused(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	settings := claude.Hooks.In(client.User, w.desired.Machine)
	group := `{"hooks": [{"type": "command", "command": "handoff hook stop"}]}`
	w.write(settings, `{"hooks": {"Stop": [`+strings.Repeat(group+",", 20_000)+group+`]}}`, 0o600)
	require.ErrorContains(t, of(t, w.Plan(claude, w.desired), settings).Err, "more than 40 hooks")
	require.ErrorContains(t, of(t, w.Undo(claude, w.desired), settings).Err, "more than 40 hooks")
}
