package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// A client may start its server several times for one session.
func TestServersOfSession_ShareMailAndClaims(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		client := schemas.ConnIn{Parent: 7}
		first := w.OpensConnectionFrom(client, "c1", "t1")
		w.Sends(mailboxtest.Human, "claude-code", "Test it")
		id := w.Claims(first).HandoffID
		newest := w.OpensConnectionFrom(client, "c2", "t1")
		require.Equal(t, first.Agent, newest.Agent)
		require.Equal(t, id, w.ClaimsID(newest, id).HandoffID)
		progress := schemas.UpdateIn{HandoffID: id.String(), Action: schemas.ActProgress, Note: "half"}
		mailboxtest.Must(t, w.Update, newest, progress)
		require.False(t, w.NotifyNameOwner(t.Context(), newest, "another"))

		require.Empty(t, w.Leaves(first).Holding)
		w.Pass(time.Hour)
		cards := mailboxtest.Must(t, w.Agents, newest, schemas.AgentsIn{}).Agents
		require.Equal(t, 1, cards[0].Held)
		other := w.OpensConnectionFrom(schemas.ConnIn{Parent: 8}, "c3", "t3")
		mailboxtest.RequireRefusal(t, w.Complete, other, schemas.CompleteIn{HandoffID: id.String(), Result: schemas.Result{Summary: "done"}}, schemas.Denied, "")
		mailboxtest.Must(t, w.Complete, newest, schemas.CompleteIn{HandoffID: id.String(), Result: schemas.Result{Summary: "done"}})
	})
}

func TestListAgents_CountsServersAndSessions(t *testing.T) {
	w := mailboxtest.New(t)
	boss := schemas.Caller{Agent: "boss", Via: schemas.ViaStdio}
	count := func(conn string, parent int) [2]int {
		boss.Conn, boss.AgentID = conn, "thread of "+conn
		mailboxtest.Must(t, w.Attach, boss, schemas.ConnIn{Conn: conn, Parent: parent})
		c := mailboxtest.Must(t, w.Agents, boss, schemas.AgentsIn{}).Agents[0]
		return [2]int{c.Sessions, c.Servers}
	}
	require.Equal(t, [2]int{0, 0}, count("c1", 7))
	require.Equal(t, [2]int{0, 2}, count("c2", 7))
	require.Equal(t, [2]int{2, 3}, count("c3", 8))
}
