package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// stalledInvoker is a mailbox that never responds, as if its process were stopped.
type stalledInvoker struct{ tools.Invoker }

func (stalledInvoker) Invoke(ctx context.Context, _ tools.Call) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// The server's own calls do not delay the end after the client left: clients kill a server that is late.
func TestStdio_EndOfInputDoesNotWaitForMailbox(t *testing.T) {
	for name, tt := range map[string]struct {
		agent schemas.Agent
		input string
	}{
		"a name that was given":       {agent: "qa"},
		"a client that was read of":   {agent: "qa", input: initialize("claude-code", "2025-11-25") + "\n"},
		"a name that must be found":   {input: initialize("claude-code", "2025-11-25") + "\n"},
		"a name that nobody asks for": {input: ping(1) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := config(newStandIn())
				cfg.Invoker = stalledInvoker{cfg.Invoker}
				cfg.Caller.Agent, cfg.Caller.Conn = tt.agent, "conn"
				cfg.Drain = time.Second
				began := time.Now()
				require.NoError(t, mcp.New(cfg).ServeStdio(t.Context(), strings.NewReader(tt.input), io.Discard))
				require.Less(t, time.Since(began), 1500*time.Millisecond)
			})
		})
	}
}
