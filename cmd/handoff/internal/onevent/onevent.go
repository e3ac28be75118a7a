// Package onevent gives events to a command of the user, one at a time: what the kernl handoffs design calls the
// lifecycle hook agent_handoff.
//
// An event holds texts that agents wrote, so nothing of it ever becomes part of the command line. The command
// finds the event as JSON on its standard input, and the few fields that can only be names and numbers in its
// environment.
package onevent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"handoff/cmd/handoff/internal/process"
	"handoff/schemas"
)

// Command is what is run for each event.
type Command struct {
	Line  string        // for the shell: sh, on Windows cmd
	Limit time.Duration // of one run; then it is asked to end
	Grace time.Duration // between asking and killing; default two seconds
	Dir   string        // where it runs

	Environ []string // of the command; each run adds its own

	Stdout, Stderr io.Writer
}

const usualGrace = 2 * time.Second

// Run runs the command once, with more in its environment and with this input, and waits for it. When ctx ends the command gets the
// signal that ended it, and is waited for; a second signal kills it. The error says how it failed.
func (c Command) Run(ctx context.Context, environ []string, input []byte) error {
	if c.Grace == 0 {
		c.Grace = usualGrace
	}
	cmd := process.Shell(context.WithoutCancel(ctx), c.Line) // it is signalled, not cut off
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout, cmd.Stderr, cmd.Dir = c.Stdout, c.Stderr, c.Dir
	cmd.Env = slices.Concat(c.Environ, environ)
	process.Tree(cmd)
	cmd.WaitDelay = c.Grace // for what the command left running with our output
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the shell: %w", err)
	}
	return c.see(ctx, cmd)
}

// Variables are the fields of an event that a command finds in its environment, each as NAME=value. Their values
// are names and numbers: a shell makes nothing else of them.
func Variables(c schemas.Change) []string {
	return []string{
		fmt.Sprintf("HANDOFF_EVENT_N=%d", c.N),
		"HANDOFF_EVENT_ACTION=" + c.Action,
		"HANDOFF_EVENT_HANDOFF=" + c.Handoff.String(),
		"HANDOFF_EVENT_AGENT=" + string(c.Agent),
		"HANDOFF_EVENT_BOX=" + string(c.Box),
		"HANDOFF_EVENT_WORKFLOW=" + string(c.Workflow),
		"HANDOFF_EVENT_STATUS=" + string(c.To),
		"HANDOFF_EVENT_NEEDS=" + c.Needs,
	}
}

// see waits until the command has ended, with all it started if it took too long.
func (c Command) see(ctx context.Context, cmd *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // which it does, or is killed below
	limit := time.NewTimer(c.Limit)
	defer limit.Stop()
	again := make(chan os.Signal, 1)
	defer signal.Stop(again)
	var grace <-chan time.Time
	for over := ctx.Done(); ; {
		select {
		case err := <-ended:
			if grace != nil {
				process.Kill(cmd)
				return fmt.Errorf("not done after %s", c.Limit)
			}
			if errors.Is(err, exec.ErrWaitDelay) { // something that the command left running still has our output
				return nil
			}
			return err
		case <-over:
			over = nil
			signal.Notify(again, os.Interrupt, syscall.SIGTERM)
			ask(cmd, endOf(ctx))
		case <-limit.C:
			grace = time.After(c.Grace)
			ask(cmd, syscall.SIGTERM)
		case <-grace:
			process.Kill(cmd)
		case <-again:
			process.Kill(cmd)
		}
	}
}

// endOf is the signal that ended ctx, which [signal.NotifyContext] tells only in words.
func endOf(ctx context.Context) syscall.Signal {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if strings.HasPrefix(context.Cause(ctx).Error(), s.String()) {
			return s
		}
	}
	return syscall.SIGTERM
}
