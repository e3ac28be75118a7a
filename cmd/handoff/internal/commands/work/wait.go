package work

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/show"
	"handoff/schemas"
)

// What a wait exits with beside success.
const (
	exitOutcome = 1 // it ended, but not well
	exitOpen    = 7 // it has not ended
)

// Wait gives the command wait. It is apart from the others because package session adds a --hook to it.
func Wait(a *cli.App) *cobra.Command {
	timeout := cli.Seconds{Duration: 24 * time.Hour}
	cmd := &cobra.Command{
		Use:   "wait ID",
		Short: "Wait until a handoff has ended, and tell how",
		Example: `  handoff wait 12
  handoff wait 12 --timeout 30m && git merge login
  test "$(handoff wait 12 --silent)" = completed`,
		Long: `Exit status: 0 completed, fully or in part; 1 failed, rejected, returned, timed out or cancelled;
3 there is no such handoff; 7 it has not ended within --timeout, it waits for your answer, or its store could not be had.

With --hook it is a hook that Claude Code runs with asyncRewake, or Codex, and waits up to 8 hours for a handoff
for the session: then it wakes the session and tells it the brief. It ends without a word when the session is at
work, ends, or has a newer one.`,
		Args: cobra.ExactArgs(1),
	}
	silent := cmd.Flags().Bool("silent", false, "print the status only")
	cmd.Flags().Var(&timeout, "timeout", "how long to wait; bare numbers are seconds")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if cli.IsNotice(given[0]) {
			return cli.OnlyRead(given[0], "has no end to wait for")
		}
		asked := cli.Arguments{"handoff_id": given[0], "view": "outcome"}
		over := func(out schemas.GetOut) bool { return out.Status.Ended() || out.Asked }
		out, raw, err := cli.CallUntil(cmd.Context(), a, timeout.Duration, "get_handoff", asked, over)
		if err != nil {
			return err
		}
		if out.Asked {
			if err := printAsked(a, out, raw, *silent); err != nil {
				return err
			}
			return cli.Exit(exitOpen)
		}
		if !out.Status.Ended() {
			return schemas.Errorf(schemas.Unavailable, "%s is still %s", out.HandoffID, out.Status).
				WithHint("Wait longer with --timeout.").
				WithNext(schemas.Call(schemas.GetIn{HandoffID: out.HandoffID.String()}, "shows where it stands"))
		}
		if err := printEnd(cmd.Context(), a, out, raw, *silent); err != nil || out.Status == schemas.Completed {
			return err
		}
		return cli.Exit(exitOutcome)
	}
	return cmd
}

// printAsked tells what the holder asks, and how it is answered: it does nothing until then.
func printAsked(a *cli.App, out schemas.GetOut, raw json.RawMessage, silent bool) error {
	return a.Print(raw, func(p *cli.Page) {
		if silent {
			p.Line("%s", out.Status)
			return
		}
		p.Line("%s %s", p.Bold(out.HandoffID.String()), p.Status(out.Status))
		for _, question := range out.Standing.Questions {
			p.Field("asked by "+string(out.Standing.Holder), question)
		}
		for _, call := range cli.NextOf(raw) {
			p.Line("  %s", a.CommandLine(call, nextFlags(a)))
		}
	})
}

// printEnd tells how a handoff ended, or only its status.
func printEnd(ctx context.Context, a *cli.App, out schemas.GetOut, raw json.RawMessage, silent bool) error {
	var end *schemas.Event
	if !a.JSON && !silent {
		var err error
		if end, err = show.Ending(ctx, a, out); err != nil {
			return err
		}
	}
	return a.Print(raw, func(p *cli.Page) {
		if silent {
			p.Line("%s", out.Status)
		} else {
			show.Outcome(p, out, end)
		}
	})
}
