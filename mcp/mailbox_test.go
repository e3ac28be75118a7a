package mcp_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestServer_PassesWorkBetweenTwoClients(t *testing.T) {
	cfg := workspace(t)
	architect, qa := join(t, cfg, "architect"), join(t, cfg, "qa")
	qa.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"handoff://inbox"}}`)
	qa.next()

	sent := do[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login","workflow":"login"}`)
	require.Equal(t, schemas.Address("qa"), sent.To)
	require.Equal(t, map[string]any{"uri": "handoff://inbox"}, parse(t, qa.next()).Params)
	qa.send(`{"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"handoff://inbox"}}`)
	for parse(t, qa.next()).ID == nil { // skip notifications that were still on their way
	}

	claimed := do[schemas.ClaimOut](qa, "claim_handoff", `{}`)
	require.Equal(t, sent.HandoffID, claimed.HandoffID)
	done := do[schemas.CompleteOut](qa, "complete_handoff", fmt.Sprintf(`{"handoff_id":%q,"summary":"It works."}`, sent.HandoffID))
	require.Equal(t, schemas.Completed, done.Status)

	for uri, shows := range map[string]string{
		"handoff://handoff/" + sent.HandoffID.String():      `completed`,
		"handoff://workflow/login":                          "It works.",
		"context://" + sent.HandoffID.String():              "Test the login",
		"context://" + sent.HandoffID.String() + "/task#L1": "Test the login",
		"handoff://inbox":                                   `items`,
	} {
		architect.send(read(uri))
		require.Contains(t, architect.next(), shows)
	}
}

func TestLongPoll_EndsWhenHandoffIsSent(t *testing.T) {
	cfg := workspace(t)
	architect, qa := join(t, cfg, "architect"), join(t, cfg, "qa")
	qa.send(call(1, "claim_handoff", `{"wait_seconds":50}`))
	do[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login"}`)
	require.Contains(t, parse(t, qa.next()).text(), "Test the login")
}

func TestLongPoll_ClaimsNothingAfterCancel(t *testing.T) {
	cfg := workspace(t)
	architect, qa := join(t, cfg, "architect"), join(t, cfg, "qa")
	qa.send(call(7, "claim_handoff", `{"wait_seconds":50}`) + "\n" + cancel("7"))
	qa.send(ping(8))
	require.Equal(t, "8", string(parse(t, qa.next()).ID))
	sent := do[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login"}`)
	got := do[schemas.ClaimOut](join(t, cfg, "qa"), "claim_handoff", `{"wait_seconds":50}`)
	require.Equal(t, sent.HandoffID, got.HandoffID)
}

func TestInboxResource_NeedsAgentName(t *testing.T) {
	cfg := workspace(t)
	sendWork(t, cfg, 1)
	c := connect(t, cfg)
	c.send(read("handoff://inbox"))
	refused := parse(t, c.next()).Error
	require.Equal(t, -32602, refused.Code)
	require.Equal(t, "uri: nobody knows who you are", refused.Message)
	c.send(read("handoff://inbox/qa"))
	require.Contains(t, c.next(), "Test the login")
}
