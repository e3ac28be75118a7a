// Command handoff lets coding agents pass work to each other: as an MCP server (handoff mcp), and as a
// command line for people, scripts and agents without MCP.
//
// Each command is in a file of its own. It says which tool it calls, with which arguments, and how the
// result looks to people; the rules are in package mailbox, and what only the command line needs is in the
// rooms under internal. [run] is the whole program: main only hands it the process around it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"handoff/cmd/handoff/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, cli.System(), os.Args[1:])
	stop()
	os.Exit(code)
}

// version is what a release build sets, with -ldflags "-X main.version=v1.2.3". Go knows it otherwise where
// the program was installed by its version.
var version string
