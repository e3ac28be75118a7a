package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mcp"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/tools"
)

// workspace is a real mailbox in memory, and what a server over it needs.
func workspace(t *testing.T) mcp.Config {
	t.Helper()
	kept := store.New(memory.New())
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	ids := 0
	cfg := config(newStandIn())
	cfg.Invoker = tools.Local{Mailbox: mailbox.New(mailbox.Config{
		Store: kept, Now: time.Now,
		NewID: func(prefix string) string { ids++; return fmt.Sprintf("%s_%d", prefix, ids) },
	})}
	cfg.Newest = func(ctx context.Context) (n uint64, err error) {
		err = kept.View(ctx, func(v *store.View) error {
			n = 0
			for e, err := range v.EventsAfter(0) {
				if err != nil {
					return err
				}
				n = e.N
			}
			return nil
		})
		return n, err
	}
	return cfg
}

// join connects a client of that name.
func join(t *testing.T, cfg mcp.Config, name string) *client {
	t.Helper()
	cfg.Caller.Conn = "conn-" + name
	c := connect(t, cfg)
	c.send(initialize(name, "2025-11-25"))
	c.next()
	return c
}

// do calls a tool that succeeds.
func do[Out any](c *client, tool, args string) (out Out) {
	c.t.Helper()
	c.send(call(1, tool, args))
	got := parse(c.t, c.next())
	require.False(c.t, got.Result.IsError, got.text())
	require.NoError(c.t, json.Unmarshal(got.Result.StructuredContent, &out))
	return out
}

func TestTwoClientsPassWork(t *testing.T) {
	cfg := workspace(t)
	architect, qa := join(t, cfg, "architect"), join(t, cfg, "qa")
	qa.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"handoff://inbox"}}`)
	qa.next()

	sent := do[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login","workflow":"login"}`)
	require.Equal(t, schemas.Address("qa"), sent.To)
	require.Equal(t, map[string]any{"uri": "handoff://inbox"}, parse(t, qa.next()).Params)
	qa.send(`{"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"handoff://inbox"}}`)
	for parse(t, qa.next()).ID == nil { // what was still on its way
	}

	claimed := do[schemas.ClaimOut](qa, "claim_handoff", `{}`)
	require.Equal(t, sent.HandoffID, claimed.HandoffID)
	done := do[schemas.CompleteOut](qa, "complete_handoff", fmt.Sprintf(`{"handoff_id":%q,"summary":"It works."}`, sent.HandoffID))
	require.Equal(t, schemas.Completed, done.Status)

	for uri, shows := range map[string]string{
		"handoff://handoff/" + sent.HandoffID.String(): `completed`,
		"handoff://workflow/login":                     "It works.",
		"context://" + sent.HandoffID.String():         "Test the login",
		"handoff://inbox":                              `items`,
	} {
		architect.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
		require.Contains(t, architect.next(), shows)
	}
}

func TestWaitIsWokenByASend(t *testing.T) {
	cfg := workspace(t)
	architect, qa := join(t, cfg, "architect"), join(t, cfg, "qa")
	qa.send(call(1, "claim_handoff", `{"wait_seconds":50}`))
	do[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login"}`)
	require.Contains(t, parse(t, qa.next()).text(), "Test the login")
}

func TestCancelledWaitClaimsNothing(t *testing.T) {
	cfg := workspace(t)
	architect, qa := join(t, cfg, "architect"), join(t, cfg, "qa")
	qa.send(call(7, "claim_handoff", `{"wait_seconds":50}`) + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	qa.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	require.Equal(t, "8", string(parse(t, qa.next()).ID))
	sent := do[schemas.SendOut](architect, "send_handoff", `{"to":"qa","task":"Test the login"}`)
	require.Eventually(t, func() bool {
		return do[schemas.GetOut](architect, "get_handoff", fmt.Sprintf(`{"handoff_id":%q}`, sent.HandoffID)).Status == schemas.Pending
	}, patience, time.Millisecond)
}
