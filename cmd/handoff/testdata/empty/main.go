// Command empty is an MCP server without tools: what starting handoff is measured against.
package main

import (
	"context"
	"os"

	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("empty", "1", server.WithToolCapabilities(false))
	if err := server.NewStdioServer(s).Listen(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
}
