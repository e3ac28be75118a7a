package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/news"
	"handoff/schemas"
)

// hookLimit is how long a hook may take. Its client waits for it, and so does a person.
const hookLimit = 1800 * time.Millisecond

func (a *app) hookCommand() *cobra.Command {
	client := ""
	cmd := &cobra.Command{
		Use:   "hook EVENT",
		Short: "Tell a session its news, as a hook of its client",
		Example: `  handoff hook session-start <account.json     # as a client runs it
  handoff hook stop --client codex
  HANDOFF_HOOK_DEBUG=/tmp/hook.log handoff hook prompt --client gemini-cli`,
		Long: `EVENT is session-start, prompt, tool, stop, subagent-stop, session-end or compact. The client's account of it
comes on standard input, and what its model is to read goes to standard output in the form that the client takes.

At the start a session is told who it is, what it holds and what waits; later only new mail, each item once. When
it stops it is reminded of what it holds, once for each handoff. When it ends or loses its context it leaves a note
with what it holds.

A hook never disturbs a session: when there is nothing to say, in a project that never used handoff, and on any
fault it prints nothing and ends with status 0. HANDOFF_HOOK_DEBUG names a file to which it then adds why.`,
		Args:               cobra.ArbitraryArgs, // what is wrong with them is not told to the client
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 && a.isTerminal(a.stdin) {
				return cmd.Help()
			}
			if len(given) != 1 || !slices.Contains(news.Events, news.Event(given[0])) {
				return fmt.Errorf("%q is not an event", given)
			}
			return a.answerWithin(cmd.Context(), hookLimit, func(ctx context.Context) ([]byte, error) {
				return a.hook(ctx, news.Event(given[0]), client)
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "which `client` runs it: claude-code, codex or gemini-cli (default: as it shows)")
	return cmd
}

// hook gives what is to be printed on an event.
func (a *app) hook(ctx context.Context, e news.Event, client string) ([]byte, error) {
	account, err := news.Read(a.stdin)
	if err != nil {
		return nil, err
	}
	asked, ok := account.Asks(e)
	if !ok {
		return nil, nil
	}
	var out schemas.NewsOut
	s, err := a.sessionOf(account, client, asked)
	if err == nil {
		err = s.visit(ctx, func(v *visit) error { return v.news(ctx, s.asked, &out) })
	}
	if err != nil {
		return nil, err
	}
	return account.Answer(e, s.asked.Client, out, s.place.Name)
}

// answerWithin prints what fn gives, unless that takes too long: then it is left alone, and this process ends.
func (a *app) answerWithin(ctx context.Context, limit time.Duration, fn func(context.Context) ([]byte, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	var answer []byte
	go func() {
		defer func() {
			if p := recover(); p != nil { // which would end the process with the status by which hooks object
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		var err error
		answer, err = fn(ctx)
		done <- err
	}()
	select {
	case err := <-done:
		switch {
		case err != nil:
			return err
		case len(answer) == 0:
			return errNothing
		}
		_, err = a.stdout.Write(answer)
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
