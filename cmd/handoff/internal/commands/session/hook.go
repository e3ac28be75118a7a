package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
)

const (
	// hookLimit is the time that a hook may take. It is short, because the client and its user wait for the hook.
	hookLimit = 1800 * time.Millisecond

	// hookGrace is the additional time in which a hook may clean up after hookLimit. In this time the hook reports to
	// the mailbox, for example, that the client did not get the news. The sum of hookLimit and hookGrace is shorter
	// than the timeout of every client for a hook.
	hookGrace = time.Second
)

func hookCommand(a *cli.App) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:                "hook EVENT",
		Args:               cobra.ArbitraryArgs, // the client must not see errors about them
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 && a.IsTerminal(a.Stdin) {
				return cmd.Help()
			}
			if len(given) != 1 || !slices.Contains(client.Events, client.SessionEvent(given[0])) {
				return fmt.Errorf("%q is not an event", given)
			}
			preventExitStatus2()
			return runWithin(cmd.Context(), hookLimit, hookGrace, func(ctx context.Context) error {
				return answerEvent(ctx, a, client.SessionEvent(given[0]), name)
			})
		},
	}
	cmd.Flags().StringVar(&name, "client", "",
		"the `client` that runs it: claude-code, codex or gemini-cli (default: detected)")
	return cmd
}

// answerEvent delivers a session's news.
func answerEvent(ctx context.Context, a *cli.App, e client.SessionEvent, name string) error {
	report, err := readReport(ctx, a)
	if err != nil {
		return err
	}
	asked, ok := report.newsRequest(e)
	if !ok {
		return errNoNews
	}
	s, err := findSession(a, report, name, asked)
	if err != nil {
		return err
	}
	return s.openWorkspace(ctx, func(conn *cli.Connection) error {
		out, err := requestNews(ctx, conn, s.request)
		if err != nil {
			return err
		}
		answer, err := report.newAnswer(e, s.request.Client, out, s.workspace.Name)
		if err == nil {
			err = printAnswer(ctx, a, answer)
		}
		return reportUndelivered(ctx, conn, err, s.request, out)
	})
}

// errNoNews is the reason for which a working hook prints nothing.
var errNoNews = errors.New("there is nothing to say")

// writeGrace is the additional time, after the end of its context, that a hook waits for the end of its write.
const writeGrace = hookGrace / 4

// printAnswer prints the answer of a hook, also a late one. After a signal to end it prints nothing. If the client does
// not read the answer, printAnswer returns writeGrace after the end of ctx. An error means that the client did not get
// the answer: on a busy machine ctx may end during a write that succeeds, and the mailbox would deliver the same news
// twice.
func printAnswer(ctx context.Context, a *cli.App, answer json.RawMessage) error {
	if len(answer) == 0 {
		return errNoNews
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return err
	}
	writing, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(writeGrace, end) })()
	_, err := cli.RunInterruptible(writing, func() (int, error) { return fmt.Fprintf(a.Stdout, "%s\n", answer) })
	return err
}

// runWithin runs fn with a context that ends after limit. If fn still runs after the additional time grace, runWithin
// returns without waiting for fn. It turns a panic of fn into an error.
func runWithin(ctx context.Context, limit, grace time.Duration, fn func(context.Context) error) error {
	most, end := context.WithTimeout(context.WithoutCancel(ctx), limit+grace)
	defer end()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := cli.RunInterruptible(most, func() (_ any, err error) {
		defer func() {
			if p := recover(); p != nil { // a panic would end the process with the status by which hooks object
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		return nil, fn(ctx)
	})
	return err
}

// SilenceHookError hides the error of a hook from its client. Exit status 2 would stop or wake the session, and the
// model of the client would read the error.
func SilenceHookError(a *cli.App, cmd *cobra.Command, args []string, err error) error {
	if _, isStatus := errors.AsType[cli.ExitStatus](err); err == nil || isStatus || !isHook(cmd, args) {
		return err
	}
	if file := a.Getenv("HANDOFF_HOOK_DEBUG"); file != "" {
		writeDebug(a, file, args, err)
	}
	return nil
}

// isHook reports whether a client ran this as a hook.
func isHook(cmd *cobra.Command, args []string) bool {
	switch cmd.CommandPath() {
	case "handoff hook":
		return true
	case "handoff wait":
		on, _ := cmd.Flags().GetBool("hook")
		return on || slices.Contains(args, "--hook") // an error in another flag keeps --hook from being parsed
	case "handoff": // a flag before the command was wrong
		asked := slices.Contains(args, "hook") || slices.Contains(args, "--hook")
		return asked && strings.HasPrefix(args[0], "-")
	}
	return false
}

// writeDebug adds a line to a regular file. It ignores errors.
func writeDebug(a *cli.App, file string, args []string, why error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	text := strings.ReplaceAll(strings.TrimSpace(why.Error()), "\n", "; ")
	fmt.Fprintf(f, "%s handoff %q: %s\n", a.Now().UTC().Format(time.RFC3339Nano), args, text)
	_ = f.Close() // a debug line may be lost
}

// preventExitStatus2 keeps this process from ending with status 2, because clients take status 2 of a hook for an
// objection. A Go program ends with status 2 on SIGQUIT and on a fatal error. After this call, SIGQUIT does nothing, a
// fatal error ends the process by a signal, and SIGPIPE does not kill the process. Child processes handle these signals
// as usual.
func preventExitStatus2() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGQUIT, syscall.SIGPIPE) // children would inherit ignored signals
	debug.SetTraceback("crash")
}
