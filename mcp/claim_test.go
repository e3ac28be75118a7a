package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// late passes calls on, and holds back the result of each claim until the test lets it go.
type late struct {
	tools.Invoker
	taken chan struct{} // receives each claim
	give  chan struct{} // closed to give them
}

func (l late) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	out, err := l.Invoker.Invoke(ctx, c)
	if c.Tool == "claim_handoff" {
		l.taken <- struct{}{}
		<-l.give
	}
	return out, err
}

// lateWorkspace has one handoff for qa; its server answers claims late.
func lateWorkspace(t *testing.T) (honest, slow mcp.Config, l late) {
	t.Helper()
	honest = workspace(t)
	sendWork(t, honest, 1)
	slow = honest
	l = late{honest.Invoker, make(chan struct{}, 10), make(chan struct{})}
	slow.Invoker = l
	return honest, slow, l
}

// requireWaits checks that the handoff can be claimed, and that its release was no attempt.
func requireWaits(t *testing.T, cfg mcp.Config) {
	t.Helper()
	got := do[schemas.ClaimOut](join(t, cfg, "qa"), "claim_handoff", `{"wait_seconds":50}`)
	require.Equal(t, schemas.ID(1), got.HandoffID)
	require.Equal(t, 1, got.Attempt)
}

func TestClaim_IsReleasedIfCallIsCancelled(t *testing.T) {
	for _, args := range []string{
		`{}`, `{"wait_seconds":50}`, `{"handoff_id":""}`, `{"agent":"qa"}`, `"{\"agent\":\"qa\"}"`, `{"agent":" qa "}`,
	} {
		honest, slow, l := lateWorkspace(t)
		name := schemas.Agent("qa")
		if strings.Contains(args, "agent") {
			name = "boss"
		}
		c := join(t, slow, name)
		c.send(call(7, "claim_handoff", args))
		<-l.taken
		c.send(cancel("7"), ping(8))
		require.Equal(t, "8", string(parse(t, c.next()).ID))
		close(l.give)
		requireWaits(t, honest)
		require.NoError(t, c.leave())
		require.Empty(t, c.rest(), args)
	}
}

// A caller that claims a handoff by its id may have held it before this call, so the server does not release it.
func TestClaim_StaysIfCallNamesHandoff(t *testing.T) {
	_, slow, l := lateWorkspace(t)
	c := join(t, slow, "qa")
	for _, spelled := range []string{`{"handoff_id":"1"}`, `{"handoffId":1}`} {
		c.send(call(7, "claim_handoff", spelled))
		<-l.taken
		c.send(cancel("7"), ping(8))
		c.next()
	}
	close(l.give)
	require.Equal(t, schemas.Accepted, do[schemas.GetOut](c, "get_handoff", `{"handoff_id":"1"}`).Status)
	require.Equal(t, 1, do[schemas.ClaimOut](c, "claim_handoff", `{"handoff_id":"1"}`).Attempt)
	require.NoError(t, c.leave())
}

func TestClaim_IsReleasedIfResponseIsNotDelivered(t *testing.T) {
	one := call(7, "claim_handoff", `{}`)
	for version, line := range map[string]string{"2025-11-25": one, "2025-03-26": "[" + one + "," + ping(8) + "]"} {
		honest, slow, l := lateWorkspace(t)
		slow.Caller.Conn = "conn-qa"
		c := connect(t, slow)
		c.send(initialize("qa", version))
		c.next()
		c.send(line)
		<-l.taken
		c.out.Close()
		close(l.give)
		require.NoError(t, c.end())
		architect := join(t, honest, "architect")
		require.Equal(t, schemas.Pending, do[schemas.GetOut](architect, "get_handoff", `{"handoff_id":"1"}`).Status)
		requireWaits(t, honest)
	}
}

func TestClaim_InBatchIsReleasedIfRequestIsCancelled(t *testing.T) {
	honest, slow, l := lateWorkspace(t)
	slow.Caller.Conn = "conn-qa"
	c := connect(t, slow)
	c.send(initialize("qa", "2025-03-26"))
	c.next()
	c.send("[" + call(7, "claim_handoff", `{}`) + "," + ping(8) + "]")
	<-l.taken
	c.send(cancel("7"), ping(9))
	require.Equal(t, "9", string(parse(t, c.next()).ID))
	close(l.give)
	require.JSONEq(t, `[{"jsonrpc":"2.0","id":8,"result":{}}]`, c.next())
	requireWaits(t, honest)
}

// A claim of a handoff that an earlier connection left behind is a claim from the queue like any other.
func TestClaim_OfEarlierConnectionIsReleasedIfCallIsCancelled(t *testing.T) {
	honest, slow, l := lateWorkspace(t)
	first := join(t, honest, "qa")
	do[schemas.ClaimOut](first, "claim_handoff", `{}`)
	require.NoError(t, first.leave())
	c := join(t, slow, "qa")
	c.send(call(7, "claim_handoff", `{}`))
	<-l.taken
	c.send(cancel("7"), ping(8))
	c.next()
	close(l.give)
	requireWaits(t, honest)
}

// If a cancellation meets its claim at any moment, each handoff is named in a response or can be claimed again.
func TestCancelledClaim_LosesNoHandoff(t *testing.T) {
	const claims = 600
	cfg := workspace(t)
	sendWork(t, cfg, claims)
	qa := join(t, cfg, "qa")
	for id := range claims {
		var between strings.Builder
		for range rand.IntN(12) {
			between.WriteString(ping(-1) + "\n")
		}
		qa.send(call(id, "claim_handoff", `{}`) + "\n" + between.String() + cancel(strconv.Itoa(id)))
	}
	require.NoError(t, qa.leave())
	named := map[schemas.ID]bool{}
	for _, line := range qa.rest() {
		var got schemas.ClaimOut
		if result := parse(t, line).Result.StructuredContent; result != nil {
			require.NoError(t, json.Unmarshal(result, &got))
			named[got.HandoffID] = true
		}
	}
	architect, pending := join(t, cfg, "architect"), 0
	for id := range schemas.ID(claims) {
		h := do[schemas.GetOut](architect, "get_handoff", fmt.Sprintf(`{"handoff_id":%q}`, id+1))
		if h.Status == schemas.Pending {
			pending++
		} else {
			require.True(t, named[h.HandoffID], h.HandoffID)
		}
	}
	require.Positive(t, pending)
	require.Equal(t, claims, pending+len(named))
}
