package onevent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"handoff/cmd/handoff/internal/process"
)

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
			return failed(err)
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

// failed passes over that something which the command left running still has our output.
func failed(err error) error {
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
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
