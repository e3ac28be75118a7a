package mcp_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestServer_PassesWorkBetweenTwoClients(t *testing.T) {
	cfg := workspace(t)
	architect, qa := connectAs(t, cfg, "architect"), connectAs(t, cfg, "qa")
	qa.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"handoff://inbox"}}`)
	qa.nextLine()

	sent := callTool[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login","workflow":"login"}`)
	require.Equal(t, schemas.ID(1), sent.HandoffID)
	require.Equal(t, map[string]any{"uri": "handoff://inbox"}, parse(t, qa.nextLine()).Params)
	qa.send(`{"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"handoff://inbox"}}`)
	for parse(t, qa.nextLine()).ID == nil { // skip notifications that were still on their way
	}

	claimed := callTool[schemas.ClaimOut](qa, "claim_handoff", `{}`)
	require.Equal(t, sent.HandoffID, claimed.HandoffID)
	done := callTool[schemas.CompleteOut](qa, "complete_handoff", fmt.Sprintf(`{"handoff_id":%q,"summary":"It works."}`, sent.HandoffID))
	require.Equal(t, schemas.Completed, done.Status)

	for uri, shows := range map[string]string{
		"handoff://handoff/" + sent.HandoffID.String():      `completed`,
		"handoff://workflow/login":                          "It works.",
		"context://" + sent.HandoffID.String():              "Test the login",
		"context://" + sent.HandoffID.String() + "/task#L1": "Test the login",
		"handoff://inbox":                                   `items`,
	} {
		architect.send(readRequest(uri))
		require.Contains(t, architect.nextLine(), shows)
	}
}

func TestLongPoll_EndsWhenHandoffIsSent(t *testing.T) {
	cfg := workspace(t)
	architect, qa := connectAs(t, cfg, "architect"), connectAs(t, cfg, "qa")
	qa.send(callRequest(1, "claim_handoff", `{"wait_seconds":50}`))
	callTool[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login"}`)
	require.Contains(t, parse(t, qa.nextLine()).text(), "Test the login")
}

func TestLongPoll_ClaimsNothingAfterCancel(t *testing.T) {
	cfg := workspace(t)
	architect, qa := connectAs(t, cfg, "architect"), connectAs(t, cfg, "qa")
	qa.send(callRequest(7, "claim_handoff", `{"wait_seconds":50}`) + "\n" + cancellation("7"))
	qa.send(ping(8))
	require.Equal(t, "8", string(parse(t, qa.nextLine()).ID))
	sent := callTool[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login"}`)
	got := callTool[schemas.ClaimOut](connectAs(t, cfg, "qa"), "claim_handoff", `{"wait_seconds":50}`)
	require.Equal(t, sent.HandoffID, got.HandoffID)
}

func TestInboxResource_NeedsAgentName(t *testing.T) {
	cfg := workspace(t)
	sendWork(t, cfg, 1)
	c := connect(t, cfg)
	c.send(readRequest("handoff://inbox"))
	refused := parse(t, c.nextLine()).Error
	require.Equal(t, -32602, refused.Code)
	require.Equal(t, "uri: nobody knows who you are", refused.Message)
	c.send(readRequest("handoff://inbox/qa"))
	require.Contains(t, c.nextLine(), "Test the login")
}
