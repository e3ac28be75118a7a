package clients_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mcp"
	"handoff/tools"
)

// A prompt is a command that the server offers.
type prompt struct {
	Name, Description string
	Arguments         []struct {
		Name, Description string
		Required          bool
	}
}

// typed shows how the command is typed, as in show <id>.
func (p prompt) typed() string {
	parts := []string{p.Name}
	for _, a := range p.Arguments {
		if a.Required {
			parts = append(parts, "<"+a.Name+">")
		} else {
			parts = append(parts, "["+a.Name+"]")
		}
	}
	return strings.Join(parts, " ")
}

// prompts returns the prompts that the server lists to a client.
func prompts(t *testing.T) []prompt {
	t.Helper()
	server := mcp.New(mcp.Config{
		Invoker: tools.LocalInvoker{Mailbox: mailboxtest.New(t).Service}, NewRequestID: func() string { return "r1" },
	})
	var said bytes.Buffer
	require.NoError(t, server.ServeStdio(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`+"\n"), &said))
	var answer struct {
		Result struct{ Prompts []prompt }
	}
	require.NoError(t, json.Unmarshal(said.Bytes(), &answer), said.String())
	require.NotEmpty(t, answer.Result.Prompts)
	return answer.Result.Prompts
}

// Claude Code sends a prompt at the first Enter only if the prompt has no arguments.
func TestPrompts_NextInboxAndListHaveNoArguments(t *testing.T) {
	for _, p := range prompts(t) {
		if p.Name == "next" || p.Name == "inbox" || p.Name == "list" {
			require.Empty(t, p.Arguments, p.Name)
		}
	}
}
