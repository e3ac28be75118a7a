package presence_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/presence"
	"handoff/schemas"
)

func connectionNames(all []presence.Connection) (names []string) {
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

func TestTracker_KnowsConnectionWhileOpen(t *testing.T) {
	p := presence.NewTracker()
	_, open := p.Connection("c1")
	require.False(t, open)
	p.OpenConnection(presence.Connection{Name: "c1", Session: "s1", Parent: 7, Own: "b"})
	p.RecordActing("c1", "a")
	c, open := p.Connection("c1")
	require.True(t, open)
	want := presence.Connection{Name: "c1", Own: "b", Session: "s1", Parent: 7, Order: 1, Agents: []schemas.Agent{"a", "b"}}
	require.Equal(t, want, c)
	p.CloseConnection("c1")
	c, open = p.Connection("c1")
	require.False(t, open)
	require.Zero(t, c)
	require.Empty(t, p.Connections(presence.ConnectionFilter{}))
}

func TestOpenConnection_RepeatKeepsOrderAndAgents(t *testing.T) {
	p := presence.NewTracker()
	p.OpenConnection(presence.Connection{Name: "c1", Own: "c"})
	p.RecordActing("c1", "a")
	p.OpenConnection(presence.Connection{Name: "c2"})
	p.OpenConnection(presence.Connection{Name: "c1", Session: "s1", Parent: 7, Own: "b"})
	c, _ := p.Connection("c1")
	want := presence.Connection{Name: "c1", Own: "b", Session: "s1", Parent: 7, Order: 1, Agents: []schemas.Agent{"a", "b"}}
	require.Equal(t, want, c)
	p.CloseConnection("c1")
	p.OpenConnection(presence.Connection{Name: "c1"})
	c, _ = p.Connection("c1")
	require.Equal(t, presence.Connection{Name: "c1", Order: 3}, c)
}

func TestNoteActing_OpensNoConnection(t *testing.T) {
	p := presence.NewTracker()
	p.RecordActing("c1", "a")
	require.Empty(t, p.Connections(presence.ConnectionFilter{Agent: "a"}))
}

func TestConnections_FilterByAgentAndSession(t *testing.T) {
	p := presence.NewTracker()
	p.OpenConnection(presence.Connection{Name: "c3", Session: "s1", Own: "a"})
	p.OpenConnection(presence.Connection{Name: "c2", Session: "s2", Own: "a"})
	p.OpenConnection(presence.Connection{Name: "c1", Session: "s1", Own: "b"})
	require.Equal(t, []string{"c1", "c2", "c3"}, connectionNames(p.Connections(presence.ConnectionFilter{})))
	require.Equal(t, []string{"c2", "c3"}, connectionNames(p.Connections(presence.ConnectionFilter{Agent: "a"})))
	require.Equal(t, []string{"c1", "c3"}, connectionNames(p.Connections(presence.ConnectionFilter{Session: "s1"})))
	require.Equal(t, []string{"c3"}, connectionNames(p.Connections(presence.ConnectionFilter{Agent: "a", Session: "s1"})))
	require.Empty(t, p.Connections(presence.ConnectionFilter{Agent: "c"}))
}

func TestForgetClaims_DropsLastHeardTime(t *testing.T) {
	p := presence.NewTracker()
	p.RecordHeard("ct_1", begin)
	p.RecordHeard("ct_2", begin)
	p.ForgetClaims("ct_1")
	require.Zero(t, p.LastHeard("ct_1"))
	require.Equal(t, begin, p.LastHeard("ct_2"))
}

func TestTracker_HandlesConcurrentConnections(t *testing.T) {
	p := presence.NewTracker()
	var wg sync.WaitGroup
	for _, name := range []string{"c1", "c2", "c3"} {
		wg.Go(func() {
			for i := range 50 {
				token := fmt.Sprintf("ct_%d", i)
				p.OpenConnection(presence.Connection{Name: name})
				p.RecordActing(name, "a")
				p.RecordHeard(token, begin)
				p.Connections(presence.ConnectionFilter{Agent: "a"})
				p.CloseConnection(name)
				p.ForgetClaims(token)
			}
		})
	}
	wg.Wait()
	require.Empty(t, p.Connections(presence.ConnectionFilter{}))
}
