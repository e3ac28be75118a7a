//go:build unix

package platform

import (
	"context"
	"os/exec"
)

// Shell is a command line as the shell of the system runs it: sh, on Windows cmd.
func Shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", line) //nolint:gosec // the user wrote it, and nobody else
}
