package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// Silenced keeps what is wrong with a hook from its client: status 2 would stop the session or wake it, and what is
// printed would be read by its model.
func Silenced(a *cli.App, cmd *cobra.Command, args []string, err error) error {
	if _, isStatus := errors.AsType[cli.Exit](err); err == nil || isStatus || !isHook(cmd, args) {
		return err
	}
	if file := a.Getenv("HANDOFF_HOOK_DEBUG"); file != "" {
		writeDebug(a, file, args, err)
	}
	return nil
}

// isHook tells whether a client ran this as a hook.
func isHook(cmd *cobra.Command, args []string) bool {
	switch cmd.CommandPath() {
	case "handoff hook":
		return true
	case "handoff wait":
		on, _ := cmd.Flags().GetBool("hook")
		return on || slices.Contains(args, "--hook") // where another flag was wrong, it was not read
	case "handoff": // a flag before the command was wrong
		return len(args) > 0 && strings.HasPrefix(args[0], "-") && (slices.Contains(args, "hook") || slices.Contains(args, "--hook"))
	}
	return false
}

// recovered runs fn and makes an error of a panic, which would end the process with the status by which hooks object.
func recovered(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// debugLimit is how long writing down why may take: the file may be on a disk that does not answer.
const debugLimit = 200 * time.Millisecond

// writeDebug adds a line to a file. That it cannot is nobody's concern.
func writeDebug(a *cli.App, file string, args []string, why error) {
	ctx, end := context.WithTimeout(context.Background(), debugLimit)
	defer end()
	_, _ = cli.Attempt(ctx, func() (any, error) {
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return nil, nil
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		text := strings.ReplaceAll(strings.TrimSpace(why.Error()), "\n", "; ")
		fmt.Fprintf(f, "%s handoff %q: %s\n", a.Now().UTC().Format(time.RFC3339Nano), args, text)
		return nil, f.Close()
	})
}
