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

// needCommand is the command line of status --exec. It runs once for each new concern, which is something that needs
// the person, for example a question. The command gets the concern as JSON on standard input and in environment
// variables. The concern is never part of the command line, because agents wrote its texts.
type needCommand struct {
	Line  string        // for the shell: sh, on Windows cmd
	Limit time.Duration // of one run; then it is killed, with its child processes
	Dir   string        // the working directory

	Environ []string // of the command; each run adds its own

	Stdout, Stderr io.Writer
}

// run runs the command once, with input on standard input and with environ added to the environment. It waits for the
// end of the command even if ctx ends before. The error says how the command failed.
func (c needCommand) run(ctx context.Context, environ []string, input []byte) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), c.Limit)
	defer end()
	cmd := platform.ShellCommand(ctx, c.Line)
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
	if errors.Is(err, exec.ErrWaitDelay) { // a process that the command left still has our output
		return nil
	}
	return err
}
