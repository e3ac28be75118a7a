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

// claimDelayer passes calls on, and holds back the result of each claim until the test lets it go.
type claimDelayer struct {
	tools.Invoker
	taken chan struct{} // receives each claim
	give  chan struct{} // closed to give them
}

func (l claimDelayer) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	out, err := l.Invoker.Invoke(ctx, c)
	if c.Tool == "claim_handoff" {
		l.taken <- struct{}{}
		<-l.give
	}
	return out, err
}

// workspaceWithDelayedClaims returns a workspace with one handoff for qa, and two servers over it: one responds at
// once, and the other delays its claims with l.
func workspaceWithDelayedClaims(t *testing.T) (honest, slow mcp.Config, l claimDelayer) {
	t.Helper()
	honest = workspace(t)
	sendWork(t, honest, 1)
	slow = honest
	l = claimDelayer{honest.Invoker, make(chan struct{}, 10), make(chan struct{})}
	slow.Invoker = l
	return honest, slow, l
}

// requireClaimable checks that the handoff can be claimed, and that its release was no attempt.
func requireClaimable(t *testing.T, cfg mcp.Config) {
	t.Helper()
	got := callTool[schemas.ClaimOut](connectAs(t, cfg, "qa"), "claim_handoff", `{"wait_seconds":50}`)
	require.Equal(t, schemas.ID(1), got.HandoffID)
	require.Zero(t, got.Attempt, "the first attempt is not said")
}

func TestClaim_IsReleasedIfCallIsCancelled(t *testing.T) {
	for _, args := range []string{
		`{}`, `{"wait_seconds":50}`, `{"handoff_id":""}`, `{"agent":"qa"}`, `"{\"agent\":\"qa\"}"`, `{"agent":" qa "}`,
	} {
		honest, slow, l := workspaceWithDelayedClaims(t)
		name := schemas.Agent("qa")
		if strings.Contains(args, "agent") {
			name = "boss"
		}
		c := connectAs(t, slow, name)
		c.send(callRequest(7, "claim_handoff", args))
		<-l.taken
		c.send(cancellation("7"), ping(8))
		require.Equal(t, "8", string(parse(t, c.nextLine()).ID))
		close(l.give)
		requireClaimable(t, honest)
		require.NoError(t, c.closeInput())
		require.Empty(t, c.remainingLines(), args)
	}
}

// A caller that claims a handoff by its id may have held it before this call, so the server does not release it.
func TestClaim_StaysIfCallNamesHandoff(t *testing.T) {
	_, slow, l := workspaceWithDelayedClaims(t)
	c := connectAs(t, slow, "qa")
	for _, spelled := range []string{`{"handoff_id":"1"}`, `{"handoffId":1}`} {
		c.send(callRequest(7, "claim_handoff", spelled))
		<-l.taken
		c.send(cancellation("7"), ping(8))
		c.nextLine()
	}
	close(l.give)
	require.Equal(t, schemas.Accepted, callTool[schemas.GetOut](c, "get_handoff", `{"handoff_id":"1"}`).Status)
	require.Zero(t, callTool[schemas.ClaimOut](c, "claim_handoff", `{"handoff_id":"1"}`).Attempt, "the first attempt is not said")
	require.NoError(t, c.closeInput())
}

func TestClaim_IsReleasedIfResponseIsNotDelivered(t *testing.T) {
	honest, slow, l := workspaceWithDelayedClaims(t)
	slow.Caller.Conn = "conn-qa"
	c := connect(t, slow)
	c.send(initialize("qa", "2025-11-25"))
	c.nextLine()
	c.send(callRequest(7, "claim_handoff", `{}`))
	<-l.taken
	c.out.Close()
	close(l.give)
	require.NoError(t, c.awaitEnd())
	architect := connectAs(t, honest, "architect")
	require.Equal(t, schemas.Pending, callTool[schemas.GetOut](architect, "get_handoff", `{"handoff_id":"1"}`).Status)
	requireClaimable(t, honest)
}

// A claim of a handoff that an earlier connection left behind is a claim from the queue like any other.
func TestCancelledClaim_ReleasesHandoffOfEarlierConnection(t *testing.T) {
	honest, slow, l := workspaceWithDelayedClaims(t)
	first := connectAs(t, honest, "qa")
	callTool[schemas.ClaimOut](first, "claim_handoff", `{}`)
	require.NoError(t, first.closeInput())
	c := connectAs(t, slow, "qa")
	c.send(callRequest(7, "claim_handoff", `{}`))
	<-l.taken
	c.send(cancellation("7"), ping(8))
	c.nextLine()
	close(l.give)
	requireClaimable(t, honest)
}

// If a claim is cancelled at any moment, each handoff is named in a response or can be claimed again.
func TestCancelledClaim_LosesNoHandoff(t *testing.T) {
	const claims = 600
	cfg := workspace(t)
	sendWork(t, cfg, claims)
	qa := connectAs(t, cfg, "qa")
	for id := range claims {
		var between strings.Builder
		for range rand.IntN(12) {
			between.WriteString(ping(-1) + "\n")
		}
		qa.send(callRequest(id, "claim_handoff", `{}`) + "\n" + between.String() + cancellation(strconv.Itoa(id)))
	}
	require.NoError(t, qa.closeInput())
	named := map[schemas.ID]bool{}
	for _, line := range qa.remainingLines() {
		var got schemas.ClaimOut
		if result := parse(t, line).Result.StructuredContent; result != nil {
			require.NoError(t, json.Unmarshal(result, &got))
			named[got.HandoffID] = true
		}
	}
	architect, pending := connectAs(t, cfg, "architect"), 0
	for id := range schemas.ID(claims) {
		h := callTool[schemas.GetOut](architect, "get_handoff", fmt.Sprintf(`{"handoff_id":%q}`, id+1))
		if h.Status == schemas.Pending {
			pending++
		} else {
			require.True(t, named[id+1], id+1)
		}
	}
	require.Positive(t, pending)
	require.Equal(t, claims, pending+len(named))
}
