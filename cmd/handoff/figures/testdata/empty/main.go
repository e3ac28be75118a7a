// Command empty is the lower bound for handoff's figures: a server of the SDK with one tool, which returns its text.
// It speaks over standard input and output, or with -http over a free port that it prints.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("empty", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	serve := func() error { return server.NewStdioServer(s).Listen(context.Background(), os.Stdin, os.Stdout) }
	if len(os.Args) > 1 {
		serve = func() error { return overHTTP(s) }
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// overHTTP serves until standard input ends.
func overHTTP(s *server.MCPServer) error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go func() { _ = http.Serve(listener, server.NewStreamableHTTPServer(s)) }() //nolint:gosec // for one client, on this machine
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	return nil
}
