package sessions_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// nameInShell returns the name of a Claude Code shell with this session and process.
func nameInShell(w *mailboxtest.World, session, process string) (schemas.Agent, error) {
	out, err := w.NameOf(context.Background(), mailboxtest.Human, schemas.SessionIn{Client: "claude-code", Session: session, Process: process})
	return out.Agent, err
}

func requireNameInShell(w *mailboxtest.World, want schemas.Agent, session, process string) {
	w.T.Helper()
	got, err := nameInShell(w, session, process)
	require.NoError(w.T, err)
	require.Equal(w.T, want, got)
}

func requireRefusalInShell(w *mailboxtest.World, known []string, session, process string) {
	w.T.Helper()
	_, err := nameInShell(w, session, process)
	require.Equal(w.T, known, mailboxtest.RequireError(w.T, err, schemas.Invalid, "was told its name").Known)
}

// A client that clears its context continues as a new session, without telling its server.
func TestNameOf_FindsClearedSessionByProcess(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1")
		w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2")
		requireNameInShell(w, "claude-code-2", "new", "200")
		requireNameInShell(w, "claude-code", "new", "100")
		requireNameInShell(w, "claude-code-2", "s1", "200")
		requireNameInShell(w, "claude-code-2", "s2", "300")
		w.Restart()
		requireNameInShell(w, "claude-code-2", "new", "200")
		w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1")
		w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2")
		w.Pass(mailboxtest.SettleTime)
		requireNameInShell(w, "claude-code-2", "new", "200")
	})
}

// Another process may have the number of a process that ended.
func TestNameOf_IgnoresProcessOfClosedConnection(t *testing.T) {
	both := []string{"claude-code", "claude-code-3"}
	three := func(t *testing.T) *mailboxtest.World {
		w := mailboxtest.New(t)
		w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1")
		w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2")
		w.OpensConnectionFrom(schemas.ConnIn{Process: "300"}, "c3", "s3")
		return w
	}
	t.Run("that was closed", func(t *testing.T) {
		w := three(t)
		playScript(w, []string{"close", "c2"})
		requireRefusalInShell(w, both, "new", "200")
		w.OpensConnectionFrom(schemas.ConnIn{Process: ""}, "again", "s2")
		requireRefusalInShell(w, []string{"claude-code", "claude-code-2", "claude-code-3"}, "new", "200")
	})
	t.Run("that broke", func(t *testing.T) {
		w := three(t)
		w.Restart()
		w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1")
		w.OpensConnectionFrom(schemas.ConnIn{Process: "300"}, "c3", "s3")
		w.Pass(mailboxtest.SettleTime)
		requireRefusalInShell(w, both, "new", "200")
	})
	t.Run("that is known to be open rather than another", func(t *testing.T) {
		w := three(t)
		w.Restart()
		require.Equal(t, schemas.Agent("claude-code-4"), w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c4", "s4").Agent)
		requireNameInShell(w, "claude-code-4", "new", "200")
	})
}

// If nothing else distinguishes a client's sessions, the process that opened their connections does.
func TestNews_FindsSessionOfNearestParentProcess(t *testing.T) {
	for name, play := range map[string]func(w *mailboxtest.World){
		"the nearest": func(w *mailboxtest.World) {
			requireNewsAs(w, "claude-code", "s1", 77, 100, 50)
			requireNewsAs(w, "claude-code-2", "s2", 88, 200, 100, 50)
		},
		"one of which the session is known": func(w *mailboxtest.World) { requireNewsAs(w, "claude-code-2", "known", 100) },
		"one of another session of the process": func(w *mailboxtest.World) {
			w.OpensConnectionFrom(schemas.ConnIn{Parent: 200}, "c2", "s2")
			w.OpensConnectionFrom(schemas.ConnIn{Parent: 200}, "c3", "another")
			requireNewsAs(w, "claude-code-2", "s2", 200)
			requireNewsAs(w, "claude-code-3", "another", 200)
		},
		"the first, when it has subagents": func(w *mailboxtest.World) {
			w.OpensConnectionFrom(schemas.ConnIn{Parent: 200}, "c3", "-")
			requireNewsAs(w, "claude-code-2", "s2", 200)
		},
		"none, when it is known to be that of another": func(w *mailboxtest.World) {
			w.OpensConnectionFrom(schemas.ConnIn{Parent: 200}, "c2", "another")
			requireNoNews(w, "s2", 200)
		},
		"none, before its server is here":   func(w *mailboxtest.World) { requireNoNews(w, "s3", 300, 50) },
		"none, where nothing is above":      func(w *mailboxtest.World) { requireNoNews(w, "s1") },
		"none, when its connection is gone": func(w *mailboxtest.World) { playScript(w, []string{"close", "c2"}); requireNoNews(w, "s2", 200) },
	} {
		t.Run(name, func(t *testing.T) {
			w := mailboxtest.New(t)
			w.OpensConnectionFrom(schemas.ConnIn{Parent: 100}, "c1", "-")
			w.OpensConnectionFrom(schemas.ConnIn{Parent: 200}, "c2", "-")
			if strings.Contains(name, "known") {
				w.OpensConnectionFrom(schemas.ConnIn{Parent: 200}, "c2", "known")
			}
			play(w)
		})
	}
}

func newsForChildOf(w *mailboxtest.World, session string, above []int) (schemas.NewsOut, error) {
	in := schemas.NewsIn{On: schemas.OnStart, Client: "claude-code", Session: session, Ancestors: above}
	return w.News(context.Background(), schemas.Caller{Via: schemas.ViaCLI}, in)
}

func requireNewsAs(w *mailboxtest.World, want schemas.Agent, session string, above ...int) {
	w.T.Helper()
	out, err := newsForChildOf(w, session, above)
	require.NoError(w.T, err)
	require.Equal(w.T, want, out.Agent)
}

func requireNoNews(w *mailboxtest.World, session string, above ...int) {
	w.T.Helper()
	_, err := newsForChildOf(w, session, above)
	mailboxtest.RequireError(w.T, err, schemas.Invalid, "nothing tells which session of claude-code this is")
}
