//go:build unix

package platform

import (
	"context"
	"os/exec"
)

// ShellCommand returns a command that runs a line in the shell of the system: sh, on Windows cmd.
func ShellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", line) //nolint:gosec // only the user wrote it
}
