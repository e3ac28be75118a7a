package mailbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// inShell is under which name a shell of Claude Code acts that knows this session and process.
func (w *world) inShell(session, process string) (schemas.Agent, error) {
	out, err := w.NameOf(context.Background(), person, schemas.SessionIn{Client: "claude-code", Session: session, Process: process})
	return out.Agent, err
}

func (w *world) actsInShell(want schemas.Agent, session, process string) {
	w.t.Helper()
	got, err := w.inShell(session, process)
	require.NoError(w.t, err)
	require.Equal(w.t, want, got)
}

func (w *world) refusedInShell(known []string, session, process string) {
	w.t.Helper()
	_, err := w.inShell(session, process)
	require.Equal(w.t, known, refused(w.t, err, schemas.Invalid, "was told its name").Known)
}

func TestTheShellOfASessionActsUnderItsName(t *testing.T) {
	w := newWorld(t)
	w.actsInShell("claude-code", "s2", "")
	w.open("c1", "s1")
	w.open("c2", "s2")
	w.actsInShell("claude-code", "s1", "")
	w.actsInShell("claude-code-2", "s2", "")
	w.play([]string{"close", "c2"})
	w.actsInShell("claude-code-2", "s2", "")
	w.Pass(7 * 24 * time.Hour)
	w.actsInShell("claude-code", "s2", "")
}

func TestShellActsUnderTheNewestNameOfItsSession(t *testing.T) {
	w := newWorld(t)
	w.open("c1", "s1")
	w.open("c2", "s2")
	w.play([]string{"close", "c2"})
	w.play([]string{"chosen", "c3", "claude-code-2"})
	w.play([]string{"open", "c4", "s2", "claude-code-3"})
	w.actsInShell("claude-code-3", "s2", "")
}

// A client that clears what it knows goes on as a new session, of which its server does not hear.
func TestShellOfAClearedSessionActsUnderTheNameOfItsProcess(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.openFrom("100", "c1", "s1")
		w.openFrom("200", "c2", "s2")
		w.actsInShell("claude-code-2", "new", "200")
		w.actsInShell("claude-code", "new", "100")
		w.actsInShell("claude-code-2", "s1", "200")
		w.actsInShell("claude-code-2", "s2", "300")
		w.Restart()
		w.actsInShell("claude-code-2", "new", "200")
		w.openFrom("100", "c1", "s1")
		w.openFrom("200", "c2", "s2")
		w.Pass(settled)
		w.actsInShell("claude-code-2", "new", "200")
	})
}

// The number of a process that ended may be that of another.
func TestAProcessIsThatOfAnOpenConnection(t *testing.T) {
	both := []string{"claude-code", "claude-code-3"}
	three := func(t *testing.T) *world {
		w := newWorld(t)
		w.openFrom("100", "c1", "s1")
		w.openFrom("200", "c2", "s2")
		w.openFrom("300", "c3", "s3")
		return w
	}
	t.Run("that was closed", func(t *testing.T) {
		w := three(t)
		w.play([]string{"close", "c2"})
		w.refusedInShell(both, "new", "200")
		w.openFrom("", "again", "s2")
		w.refusedInShell([]string{"claude-code", "claude-code-2", "claude-code-3"}, "new", "200")
	})
	t.Run("that broke", func(t *testing.T) {
		w := three(t)
		w.Restart()
		w.openFrom("100", "c1", "s1")
		w.openFrom("300", "c3", "s3")
		w.Pass(settled)
		w.refusedInShell(both, "new", "200")
	})
	t.Run("that is known to be open rather than another", func(t *testing.T) {
		w := three(t)
		w.Restart()
		require.Equal(t, schemas.Agent("claude-code-4"), w.openFrom("200", "c4", "s4").Agent)
		w.actsInShell("claude-code-4", "new", "200")
	})
}

func TestShellWithoutASessionActsAsTheOnlyOneHere(t *testing.T) {
	for name, tt := range map[string]struct {
		script [][]string
		acts   schemas.Agent
		known  []string
	}{
		"nobody is here": {acts: "claude-code"},
		"one is here": {
			script: [][]string{{"open", "c1", "s1", "claude-code"}, {"open", "c2", "s2", "claude-code-2"}, {"close", "c1"}},
			acts:   "claude-code-2",
		},
		"two are here": {
			script: [][]string{{"open", "c1", "s1", "claude-code"}, {"open", "c2", "s2", "claude-code-2"}},
			known:  []string{"claude-code", "claude-code-2"},
		},
		"two are here under other names": {
			script: [][]string{
				{"open", "c1", "s1", "claude-code"}, {"open", "c2", "s2", "claude-code-2"}, {"open", "c3", "s3", "claude-code-3"}, {"close", "c1"},
			},
			acts: "claude-code",
		},
		"one is here that chose the name": {
			script: [][]string{{"chosen", "c1", "claude-code"}},
			acts:   "claude-code",
		},
		"one is here beside one that chose the name": {
			script: [][]string{{"chosen", "c1", "claude-code"}, {"open", "c2", "s2", "claude-code-2"}},
			known:  []string{"claude-code", "claude-code-2"},
		},
		"one is here beside one that chose the name of a session that left": {
			script: [][]string{
				{"open", "c1", "s1", "claude-code"}, {"open", "c2", "s2", "claude-code-2"}, {"close", "c2"}, {"chosen", "c3", "claude-code-2"},
			},
			known: []string{"claude-code", "claude-code-2"},
		},
		"one was here until a takeover and may still be": {
			script: [][]string{{"open", "c1", "s1", "claude-code"}, {"open", "c2", "s2", "claude-code-2"}, {"restart"}},
			known:  []string{"claude-code", "claude-code-2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, words := range tt.script {
				w.play(words)
			}
			for _, session := range []string{"", "new"} {
				if tt.known != nil {
					w.refusedInShell(tt.known, session, "")
				} else {
					w.actsInShell(tt.acts, session, "")
				}
			}
		})
	}
}

// A client whose sessions nothing else tells apart is found by the process that opened their connections.
func TestSessionIsThatOfTheNearestProcessAbove(t *testing.T) {
	for name, play := range map[string]func(w *world){
		"the nearest": func(w *world) {
			w.hearsAs("claude-code", "s1", 77, 100, 50)
			w.hearsAs("claude-code-2", "s2", 88, 200, 100, 50)
		},
		"one of which the session is known": func(w *world) { w.hearsAs("claude-code-2", "known", 100) },
		"one of another session of the process": func(w *world) {
			w.openBelow(200, "c3", "another")
			w.hearsAs("claude-code-2", "s2", 200)
			w.hearsAs("claude-code-3", "another", 200)
		},
		"the first, when it has subagents": func(w *world) {
			w.openBelow(200, "c3", "-")
			w.hearsAs("claude-code-2", "s2", 200)
		},
		"none, when it is known to be that of another": func(w *world) {
			w.openBelow(200, "c2", "another")
			w.hearsNothing("s2", 200)
		},
		"none, before its server is here":   func(w *world) { w.hearsNothing("s3", 300, 50) },
		"none, where nothing is above":      func(w *world) { w.hearsNothing("s1") },
		"none, when its connection is gone": func(w *world) { w.play([]string{"close", "c2"}); w.hearsNothing("s2", 200) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.openBelow(100, "c1", "-")
			w.openBelow(200, "c2", "-")
			if strings.Contains(name, "known") {
				w.openBelow(200, "c2", "known")
			}
			play(w)
		})
	}
}

// openBelow opens a connection of a client by whose process nothing but the connection is known.
func (w *world) openBelow(parent int, conn, session string) schemas.Caller {
	w.t.Helper()
	by := schemas.Caller{AgentID: session, Via: schemas.ViaStdio, Conn: conn}
	if session == "-" {
		by.AgentID = conn
	}
	out := mailboxtest.Must(w.t, w.Attach, by, schemas.ConnIn{Conn: conn, Client: "claude-code", Parent: parent})
	by.Agent = out.Agent
	return by
}

func (w *world) beneath(session string, above []int) (schemas.NewsOut, error) {
	in := schemas.NewsIn{On: schemas.OnStart, Client: "claude-code", Session: session, Above: above}
	return w.News(context.Background(), schemas.Caller{Via: schemas.ViaCLI}, in)
}

func (w *world) hearsAs(want schemas.Agent, session string, above ...int) {
	w.t.Helper()
	out, err := w.beneath(session, above)
	require.NoError(w.t, err)
	require.Equal(w.t, want, out.Agent)
}

func (w *world) hearsNothing(session string, above ...int) {
	w.t.Helper()
	_, err := w.beneath(session, above)
	refused(w.t, err, schemas.Invalid, "nothing tells which session of claude-code this is")
}
