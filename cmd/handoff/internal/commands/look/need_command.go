package look

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"handoff/tools/platform"
)

// needCommand is a command of the user that is run for each thing that begins to need that person, one at a time: see
// handoff status --exec. A thing holds texts that agents wrote, so nothing of it ever becomes part of the command line.
// The command finds it as JSON on its standard input, and in its environment.
type needCommand struct {
	Line  string        // for the shell: sh, on Windows cmd
	Limit time.Duration // of one run; then it is killed, with all that it started
	Dir   string        // where it runs

	Environ []string // of the command; each run adds its own

	Stdout, Stderr io.Writer
}

// run runs the command once, with more in its environment and with this input, and waits for it, also when ctx ends.
// The error says how it failed.
func (c needCommand) run(ctx context.Context, environ []string, input []byte) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), c.Limit)
	defer end()
	cmd := platform.Shell(ctx, c.Line)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout, cmd.Stderr, cmd.Dir = c.Stdout, c.Stderr, c.Dir
	cmd.Env = slices.Concat(c.Environ, environ)
	platform.CancelTree(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the shell: %w", err)
	}
	err := cmd.Wait()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("not done after %s", c.Limit)
	}
	if errors.Is(err, exec.ErrWaitDelay) { // something that the command left running still has our output
		return nil
	}
	return err
}
