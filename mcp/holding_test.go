package mcp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// heldHandoffsResponse holds the parts of a response that concern handoffs held by its caller.
type heldHandoffsResponse struct {
	HandoffID schemas.ID          `json:"handoff_id"`
	Empty     bool                `json:"empty"`
	Holding   []schemas.ID        `json:"holding"`
	Items     []schemas.ListItem  `json:"items"`
	Inbox     schemas.InboxCounts `json:"inbox"`
	Next      []schemas.Advice    `json:"next"`
}

// first returns the first advice after the greeting of a connection.
func (r heldHandoffsResponse) first() string {
	next := r.Next
	if next[0].Tool == "" {
		next = next[1:]
	}
	return next[0].String()
}

// A model that lost its context on an open connection follows the instructions.
func TestClaim_NamesHandoffThatCallerHolds(t *testing.T) {
	cfg := workspace(t)
	callAs(t, cfg, "boss", "send_handoff", `{"to":"dev","task":"Mend the login"}`)
	dev := connectAs(t, cfg, "dev")
	require.Empty(t, callTool[heldHandoffsResponse](dev, "claim_handoff", `{}`).Holding, "this one alone")

	again := callTool[heldHandoffsResponse](dev, "claim_handoff", `{}`)
	require.True(t, again.Empty)
	require.Equal(t, []schemas.ID{1}, again.Holding)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","view":"brief"} shows what you hold: Mend the login.`, again.first())

	listed := callTool[heldHandoffsResponse](dev, "list_handoffs", `{}`)
	require.Equal(t, schemas.InboxCounts{Held: 1}, listed.Inbox)
	require.Equal(t, `list_handoffs {"box":"claimed"} lists what you hold.`, listed.first())
	require.Len(t, callTool[heldHandoffsResponse](dev, "list_handoffs", `{"box":"claimed"}`).Items, 1)

	callAs(t, cfg, "boss", "send_handoff", `{"to":"dev","task":"Mend the logout","parent":"none"}`)
	second := callTool[heldHandoffsResponse](dev, "claim_handoff", `{}`)
	require.Equal(t, schemas.ID(2), second.HandoffID)
	require.Equal(t, []schemas.ID{1, 2}, second.Holding)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","view":"brief"} shows what you hold: Mend the login.`, second.first())
	require.Contains(t, callTool[schemas.GetOut](dev, "get_handoff", `{"handoff_id":"ho_1","view":"brief"}`).Brief, "Mend the login")
}

func TestClaim_NamesHandoffHeldOverAnotherConnection(t *testing.T) {
	cfg := workspace(t)
	callAs(t, cfg, "boss", "send_handoff", `{"to":"dev","task":"Mend the login"}`)
	callTool[heldHandoffsResponse](connectAs(t, cfg, "dev"), "claim_handoff", `{}`)
	got := callTool[heldHandoffsResponse](connectAs(t, cfg, "dev"), "claim_handoff", `{}`)
	require.Equal(t, []schemas.ID{1}, got.Holding)
	require.Equal(t, `get_handoff {"handoff_id":"ho_1","view":"brief"} shows what your name holds over another connection: Mend the login.`, got.first())
}
