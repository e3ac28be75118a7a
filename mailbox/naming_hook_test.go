package mailbox_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// begins is the name that the first hook of a session of Claude Code tells it.
func (w *world) begins(process, session string) schemas.Agent {
	w.t.Helper()
	return w.hears(schemas.OnStart, process, session)
}

func (w *world) hears(on schemas.SessionEvent, process, session string) schemas.Agent {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.News, schemas.Caller{Via: schemas.ViaCLI}, schemas.NewsIn{
		On: on, Client: "claude-code", Session: session, Process: process, Follows: true,
	})
	return out.Agent
}

func TestAServerGetsTheNameThatTheHooksOfItsSessionTold(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		require.Equal(t, schemas.Agent("claude-code"), w.begins("100", "s1"))
		require.Equal(t, schemas.Agent("claude-code-2"), w.begins("200", "s2"), "both are about to start")
		require.Equal(t, schemas.Agent("claude-code-2"), w.openFrom("200", "c2", "s2").Agent)
		require.Equal(t, schemas.Agent("claude-code"), w.openFrom("100", "c1", "s1").Agent)
		require.Equal(t, schemas.Agent("claude-code-2"), w.begins("200", "after a clear"))
		require.Equal(t, schemas.Agent("claude-code-3"), w.begins("300", "s3"))
		require.Equal(t, schemas.Agent("claude-code-3"), w.hears(schemas.OnMail, "300", "s3"))
	})
}

// A client that resumes a session may tell its server another id than its hooks.
func TestAResumedSessionHasItsNameAlsoForItsServer(t *testing.T) {
	w := newWorld(t)
	w.openFrom("100", "c1", "s1")
	second := w.openFrom("200", "c2", "s2")
	w.Sends(second, "qa", "Test it")
	w.play([]string{"close", "c1"})
	w.play([]string{"close", "c2"})
	require.Equal(t, schemas.Agent("claude-code-2"), w.begins("300", "s2"))
	require.Equal(t, schemas.Agent("claude-code-2"), w.openFrom("300", "c3", "of the server").Agent)
	require.Equal(t, schemas.Agent("claude-code-2"), w.hears(schemas.OnMail, "300", "s2"))
}

func TestSessionsWithoutAServerUseUpNoNames(t *testing.T) {
	w := newWorld(t)
	w.openFrom("100", "c1", "s1")
	for i := range 10 {
		process, session := fmt.Sprint(i), fmt.Sprintf("short-%d", i)
		require.Equal(t, schemas.Agent("claude-code-2"), w.begins(process, session))
		w.hears(schemas.OnEnd, process, session)
	}
	require.Equal(t, schemas.Agent("claude-code-2"), w.openFrom("200", "c2", "s2").Agent)
	w.hears(schemas.OnEnd, "200", "s2")
	require.Equal(t, schemas.Agent("claude-code-2"), w.hears(schemas.OnMail, "200", "s2"), "its server is there")
}

func TestAServerThatDoesNotComeIsNotExpectedForLong(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, schemas.Agent("claude-code"), w.begins("100", "s1"))
	require.Equal(t, schemas.Agent("claude-code-2"), w.openFrom("200", "c2", "s2").Agent)
	w.Pass(time.Minute)
	require.Equal(t, schemas.Agent("claude-code"), w.openFrom("300", "c3", "s3").Agent)
	require.Equal(t, schemas.Agent("claude-code-3"), w.openFrom("100", "c1", "s1").Agent)
}
