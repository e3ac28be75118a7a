package connections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// startSession returns the name that the first hook of a Claude Code session gets.
func startSession(w *mailboxtest.World, process, session string) schemas.Agent {
	w.T.Helper()
	return runHook(w, schemas.OnStart, process, session)
}

func runHook(w *mailboxtest.World, on schemas.SessionEvent, process, session string) schemas.Agent {
	w.T.Helper()
	return mailboxtest.Must(w.T, w.News, schemas.Caller{Via: schemas.ViaCLI}, schemas.NewsIn{
		On: on, Client: "claude-code", Session: session, Process: process, Follows: true,
	}).Agent
}

func TestNews_NamesSessionBeforeItsServerStarts(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		require.Equal(t, schemas.Agent("claude-code"), startSession(w, "100", "s1"))
		require.Equal(t, schemas.Agent("claude-code-2"), startSession(w, "200", "s2"), "both are about to start")
		require.Equal(t, schemas.Agent("claude-code-2"), w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2").Agent)
		require.Equal(t, schemas.Agent("claude-code"), w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1").Agent)
		require.Equal(t, schemas.Agent("claude-code-2"), startSession(w, "200", "after a clear"))
		require.Equal(t, schemas.Agent("claude-code-3"), startSession(w, "300", "s3"))
		require.Equal(t, schemas.Agent("claude-code-3"), runHook(w, schemas.OnMail, "300", "s3"))
	})
}

// A client that resumes a session may tell its server another id than its hooks.
func TestNews_ReservesNameOfResumedSessionForServer(t *testing.T) {
	w := mailboxtest.New(t)
	w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1")
	second := w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2")
	w.Sends(second, "qa", "Test it")
	w.Leaves(schemas.Caller{Conn: "c1"})
	w.Leaves(schemas.Caller{Conn: "c2"})
	require.Equal(t, schemas.Agent("claude-code-2"), startSession(w, "300", "s2"))
	require.Equal(t, schemas.Agent("claude-code-2"), w.OpensConnectionFrom(schemas.ConnIn{Process: "300"}, "c3", "of the server").Agent)
	require.Equal(t, schemas.Agent("claude-code-2"), runHook(w, schemas.OnMail, "300", "s2"))
	w.Restart()
	require.Equal(t, schemas.Agent("claude-code-2"), startSession(w, "500", "of the server"), "its process was killed")
	require.Equal(t, schemas.Agent("claude-code-2"), w.OpensConnectionFrom(schemas.ConnIn{Process: "500"}, "c5", "s5").Agent)
}

// Codex tells its server the session in the first call. Until then, another session must not claim the mail.
func TestNews_GivesNameOfResumedSessionToServerOfSameProcess(t *testing.T) {
	w := mailboxtest.New(t)
	first := w.OpensConnectionFrom(schemas.ConnIn{Parent: 100}, "c1", "s1")
	w.Sends(w.OpensConnectionFrom(schemas.ConnIn{Parent: 200}, "c2", "s2"), "qa", "Test it")
	w.Leaves(schemas.Caller{Conn: "c2"})
	require.Equal(t, schemas.Agent("claude-code-3"), w.OpensConnectionFrom(schemas.ConnIn{Parent: 300}, "c3", "-").Agent)
	resumed := mailboxtest.Must(t, w.News, schemas.Caller{Via: schemas.ViaCLI}, schemas.NewsIn{
		On: schemas.OnMail, Client: "claude-code", Session: "s2", Ancestors: []int{301, 300},
	}).Agent
	require.Equal(t, schemas.Agent("claude-code-2"), resumed)
	id := w.Sends(w.Stdio("lead"), string(resumed), "Go on").HandoffID
	require.True(t, mailboxtest.Must(t, w.Claim, first, schemas.ClaimIn{}).Empty)
	require.Equal(t, id, w.Claims(w.OpensConnectionFrom(schemas.ConnIn{Parent: 300}, "c3", "s2")).HandoffID)
	require.Equal(t, schemas.Agent("claude-code-3"), w.OpensConnection("c4", "s4").Agent, "it is free again")
}

func TestNews_FreesNameOfSessionWithoutServer(t *testing.T) {
	w := mailboxtest.New(t)
	w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1")
	for i := range 10 {
		process, session := fmt.Sprint(i), fmt.Sprintf("short-%d", i)
		require.Equal(t, schemas.Agent("claude-code-2"), startSession(w, process, session))
		runHook(w, schemas.OnEnd, process, session)
	}
	require.Equal(t, schemas.Agent("claude-code-2"), w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2").Agent)
	runHook(w, schemas.OnEnd, "200", "s2")
	require.Equal(t, schemas.Agent("claude-code-2"), runHook(w, schemas.OnMail, "200", "s2"), "its server is there")
}

func TestNews_FreesNameIfServerDoesNotStart(t *testing.T) {
	w := mailboxtest.New(t)
	require.Equal(t, schemas.Agent("claude-code"), startSession(w, "100", "s1"))
	require.Equal(t, schemas.Agent("claude-code-2"), w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2").Agent)
	w.Pass(time.Minute)
	require.Equal(t, schemas.Agent("claude-code"), w.OpensConnectionFrom(schemas.ConnIn{Process: "300"}, "c3", "s3").Agent)
	require.Equal(t, schemas.Agent("claude-code-3"), w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1").Agent)
}
