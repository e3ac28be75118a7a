// Package conformance_test is handoff with the tools, prompts and resources that the conformance suite of MCP calls. So
// the suite judges whole scenarios of package mcp. The stage conformance of the CI builds it, and runs it as a program
// under the name of [program].
package conformance_test

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/root"
	"handoff/mcp"
	"handoff/schemas/sandbox"
)

const program = "handoff-conformance"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != program {
		os.Exit(sandbox.New(m).Run())
	}
	ctx, end := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer end()
	e := cli.SystemEnv()
	e.Extension = mcp.Extension{Extend: extend, Tasks: jobs}
	os.Exit(root.Run(ctx, e, "", os.Args[1:]))
}
