package installed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
)

const hooks = `{"hooks": {
	"Stop": [
		{"hooks": [{"command": "lint"}, {"command": "handoff hook stop; lint"}]},
		{"matcher": "x"},
		{"hooks": [{"prompt": "x"}, 7, {"command": "handoff hook stop"}]}
	],
	"SessionEnd": [{"hooks": [{"command": "handoff hook session-end"}]}],
	"Odd": {"hooks": []}
}}`

func TestHandlersAreListedByTheirPlaces(t *testing.T) {
	doc, err := edit.Open(client.JSON, []byte(hooks))
	require.NoError(t, err)
	require.Equal(t, []installed.Handler{
		{"SessionEnd", 0, 0, "handoff hook session-end"},
		{"Stop", 0, 0, "lint"},
		{"Stop", 0, 1, "handoff hook stop; lint"},
		{"Stop", 2, 0, ""},
		{"Stop", 2, 1, ""},
		{"Stop", 2, 2, "handoff hook stop"},
	}, slices.Collect(installed.Handlers(doc)))
	for h := range installed.Handlers(doc) {
		require.Equal(t, "SessionEnd", h.Event)
		break
	}
}

func TestFilesWithOurHooksAreFound(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	path := w.write(claude.Hooks.Files, client.User, hooks)
	project := w.write(claude.Hooks.Files, client.Project, `{"hooks": {"Stop": [{"hooks": [{"command": "lint"}]}]}}`)
	all, unread := installed.Hooks(claude, w.Machine)
	require.Empty(t, unread)
	require.Len(t, all, 1, "the project has none of ours")
	require.Equal(t, path, all[0].Path)
	require.False(t, all[0].Shared)
	require.Len(t, all[0].Handlers, 3)

	w.write(claude.Hooks.Files, client.User, "{}")
	w.write(claude.Hooks.Files, client.Project, hooks)
	all, _ = installed.Hooks(claude, w.Machine)
	require.Len(t, all, 1)
	require.True(t, all[0].Shared)
	w.write(claude.Hooks.Files, client.Project, "oops")
	_, unread = installed.Hooks(claude, w.Machine)
	require.Len(t, unread, 1)
	require.Equal(t, project, unread[0].Path)
	all, unread = installed.Hooks(known(t, "cursor"), w.Machine)
	require.Empty(t, all)
	require.Empty(t, unread)
}

func TestHooksOfAProgramOfAnotherNameAreOurs(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	w.write(claude.Hooks.Files, client.User, `{"hooks": {"Stop": [{"hooks": [{"command": "/opt/handoff-1.2 hook stop --client claude-code"}]}]}}`)
	all, _ := installed.Hooks(claude, w.Machine)
	require.Empty(t, all)
	all, _ = installed.Hooks(claude, w.Machine, "handoff", "/opt/handoff-1.2")
	require.Len(t, all, 1)
	require.Len(t, all[0].Handlers, 1)
}

// Each hook of ours may be tried, so that too many would keep us busy.
func TestFileOfTooManyHooksIsUnread(t *testing.T) {
	w := newWorld(t)
	claude := known(t, "claude-code")
	many := func(n int) string {
		return `{"hooks": {"Stop": [` + strings.Repeat(`{"hooks": [{"command": "handoff hook stop"}]},`, n-1) + `{"hooks": [{"command": "handoff hook stop"}]}]}}`
	}
	w.write(claude.Hooks.Files, client.Project, many(installed.MostHooks))
	all, unread := installed.Hooks(claude, w.Machine)
	require.Len(t, all, 1)
	require.Empty(t, unread)
	w.write(claude.Hooks.Files, client.Project, many(installed.MostHooks+1))
	all, unread = installed.Hooks(claude, w.Machine)
	require.Empty(t, all)
	require.Len(t, unread, 1)
	require.ErrorIs(t, unread[0].Err, installed.ErrHooks)
}
