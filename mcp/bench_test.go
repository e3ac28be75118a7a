package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"testing"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// idleInvoker is an Invoker that does nothing.
type idleInvoker struct{}

func (idleInvoker) Invoke(context.Context, tools.Call) (json.RawMessage, error) {
	return json.RawMessage(`{"handoff_id":"ho_12","status":"pending"}`), nil
}

func (idleInvoker) Changes(context.Context, uint64) iter.Seq2[schemas.RegistryChange, error] {
	return nil
}

// BenchmarkCall makes one call at a time, there and back, and compares it with the SDK's own transport with one empty
// tool.
func BenchmarkCall(b *testing.B) {
	b.Run("handoff", func(b *testing.B) {
		roundTrips(b, mcp.New(mcp.Config{Invoker: idleInvoker{}, Now: time.Now, NewRequestID: func() string { return "r" }}).ServeStdio)
	})
	b.Run("sdk", func(b *testing.B) {
		s := server.NewMCPServer("empty", "1")
		s.AddTool(sdk.NewToolWithRawSchema("send_handoff", "", json.RawMessage(`{"type":"object"}`)),
			func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return sdk.NewToolResultText(`{"handoff_id":"ho_12","status":"pending"}`), nil
			})
		roundTrips(b, server.NewStdioServer(s).Listen)
	})
}

func roundTrips(b *testing.B, serve func(context.Context, io.Reader, io.Writer) error) {
	b.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(b.Context(), fromClient, toClient) }()
	scan := bufio.NewScanner(out)
	line := callRequest(1, "send_handoff", `{"to":"qa","task":"Test the login","context":{"known_issues":["none"]}}`) + "\n"
	for b.Loop() {
		_, err := io.WriteString(in, line)
		require.NoError(b, err)
		require.True(b, scan.Scan())
	}
	in.Close()
	require.NoError(b, <-ended)
}
