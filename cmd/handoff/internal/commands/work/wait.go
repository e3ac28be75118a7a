package work

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/render"
	"handoff/schemas"
)

// The exit statuses of a wait, in addition to success.
const (
	exitOutcome = 1 // it ended, but not well
	exitOpen    = 7 // it has not ended
)

// waitOptions holds the options of wait.
type waitOptions struct {
	workflow string
	silent   bool
	cancel   bool
	follow   bool
	timeout  cli.Seconds
	ends     time.Time
}

// WaitCommand returns the command wait. [Commands] does not contain it, because package session adds the flag --hook to
// it.
func WaitCommand(a *cli.App) *cobra.Command {
	w := waitOptions{timeout: cli.Seconds{Duration: 24 * time.Hour}}
	cmd := &cobra.Command{
		Use:  "wait ID… | WORKFLOW",
		Args: cli.RequireHandoffOrWorkflow(&w.workflow),
		RunE: func(cmd *cobra.Command, given []string) error {
			for _, id := range given {
				if cli.IsNoticeID(id) {
					return cli.NewNoticeIDError(id, "has no end to wait for")
				}
			}
			given = cli.TakeWorkflow(given, &w.workflow)
			w.ends = a.Now().Add(w.timeout.Duration)
			if w.follow {
				return w.followRun(cmd.Context(), a, given)
			}
			return w.waitForAll(cmd.Context(), a, given)
		},
	}
	cmd.Flags().BoolVarP(&w.silent, "silent", "q", false, "print the status only")
	cli.AddWorkflowFlag(cmd, &w.workflow)
	cmd.Flags().Var(&w.timeout, "timeout", "how long to wait; bare numbers are seconds")
	cmd.Flags().BoolVar(&w.cancel, "cancel", false, "cancel handoffs that have not ended within --timeout")
	cmd.Flags().BoolVar(&w.follow, "follow", false, "wait for what continues them, too, and print the last answer, as run does")
	cmd.MarkFlagsMutuallyExclusive("cancel", "follow")
	return cli.NewFamily(helpTexts, cmd)[0]
}

// waitForAll waits for the end of each handoff, one after another. For a workflow it repeats this until the workflow
// has no open handoff. It opens the workspace anew for each handoff, because a process that waits for long should not
// become the owner of the store.
func (w waitOptions) waitForAll(ctx context.Context, a *cli.App, given []string) error {
	good := true
	for ids, first := given, true; ; first = false {
		if w.workflow != "" {
			err := a.ConnectAsCaller(ctx, "get_handoff", func(conn *cli.Connection) (err error) {
				if ids, err = conn.HandoffsOrWorkflow(ctx, nil, w.workflow); err == nil && len(ids) == 0 {
					good, err = w.readEndedWorkflow(ctx, conn, first && !w.silent)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		for _, id := range ids {
			well, err := w.waitForOne(ctx, a, id)
			if err != nil {
				return err
			}
			good = good && well
		}
		if w.workflow == "" || len(ids) == 0 {
			break
		}
	}
	if !good {
		return cli.ExitStatus(exitOutcome)
	}
	return nil
}

// waitForOne waits until a handoff ends or its holder asks a question. It prints the outcome or the question. The
// result well is true if the handoff was done well.
func (w waitOptions) waitForOne(ctx context.Context, a *cli.App, id string) (well bool, err error) {
	out, raw, err := w.readEnd(ctx, a, id)
	if err != nil {
		return false, err
	}
	end, err := render.EndingEvent(ctx, a, out)
	if err != nil {
		return false, err
	}
	err = w.printOutcome(a, out, raw, func(p *cli.Page) { render.DrawHandoff(p, out, end) })
	if err == nil && schemas.ValueOrZero(out.Standing).Reviewer != "" {
		err = cli.ExitStatus(exitOpen)
	}
	return hasEndedWell(out), err
}

// readEnd waits until a handoff ends, and returns its outcome. It returns an error if the handoff is still open after
// the time limit. If the holder asks a question, it prints the question, and its error is the exit status.
func (w waitOptions) readEnd(ctx context.Context, a *cli.App, id string) (out schemas.GetOut, raw json.RawMessage, err error) {
	asked := cli.Arguments{"handoff_id": id, "view": "outcome"}
	over := func(out schemas.GetOut) bool { return out.Status.HasEnded() || out.Asked }
	out, raw, err = cli.CallUntil(ctx, a, w.ends.Sub(a.Now()), "get_handoff", asked, over)
	switch {
	case err != nil || out.Status.HasEnded():
	case out.Asked:
		err = cmp.Or(w.printOutcome(a, out, raw, func(p *cli.Page) { printQuestions(a, p, out, raw) }), error(cli.ExitStatus(exitOpen)))
	case w.cancel:
		err = w.cancelAfterTimeout(ctx, a, out.HandoffID)
	default:
		err = schemas.Errorf(schemas.Unavailable, "%s is still %s", out.HandoffID, out.Status).
			WithHint("Wait longer with --timeout.").
			WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: out.HandoffID.String()}, "shows where it stands"))
	}
	return out, raw, err
}

// hasEndedWell reports whether a handoff ended in a way that lets its dependents start.
func hasEndedWell(out schemas.GetOut) bool {
	st := schemas.ValueOrZero(out.Standing)
	return schemas.IsDoneWell(out.Status, schemas.ValueOrZero(out.Completion).Status, st.AcceptedAt != nil, st.Reviewer != "")
}

// printOutcome prints a handoff, or only its status.
func (w waitOptions) printOutcome(a *cli.App, out schemas.GetOut, raw json.RawMessage, fill func(*cli.Page)) error {
	if w.silent {
		fill = func(p *cli.Page) { p.AddLine("%s", out.Status) }
	}
	return a.Print(raw, fill)
}

// cancelAfterTimeout cancels a handoff that did not end within the time limit. It returns an error that reports the
// cancellation.
func (w waitOptions) cancelAfterTimeout(ctx context.Context, a *cli.App, id schemas.ID) error {
	reason := fmt.Sprintf("It was not done within %s.", w.timeout.Duration)
	in := cli.Arguments{"handoff_id": id, "action": schemas.ActCancel, "note": reason}
	if _, _, err := cli.Call[schemas.UpdateOut](ctx, a, "update_handoff", in); err != nil {
		return err
	}
	return schemas.Errorf(schemas.Unavailable, "%s was cancelled. %s", id, reason)
}

// readEndedWorkflow reports whether every handoff of a workflow was done well, or has a successor. If tell is true, it
// first prints how many handoffs ended in which way.
func (w waitOptions) readEndedWorkflow(ctx context.Context, conn *cli.Connection, tell bool) (bool, error) {
	items, err := conn.ListAll(ctx, schemas.ListIn{Box: "all", Workflow: w.workflow})
	if err == nil && tell {
		ended := map[schemas.Status]int{}
		for _, item := range items {
			ended[item.Status]++
		}
		err = conn.App.PrintValue(map[string]any{"workflow": w.workflow, "ended": ended}, func(p *cli.Page) {
			how := schemas.Map(slices.Sorted(maps.Keys(ended)), func(s schemas.Status) string { return fmt.Sprintf("%d %s", ended[s], s) })
			p.AddLine("all of %s had ended before: %s", w.workflow, strings.Join(how, ", "))
		})
	}
	if err != nil {
		return false, err
	}
	for _, item := range items {
		var out schemas.GetOut
		_, err := conn.Call(ctx, "get_handoff", cli.Arguments{"handoff_id": item.HandoffID, "view": "outcome"}, &out)
		if err != nil || !hasEndedWell(out) && schemas.ValueOrZero(out.Standing).Successor == 0 {
			return false, err
		}
	}
	return true, nil
}

// printQuestions prints the questions of the holder, and the command that answers them. The holder waits until it has
// the answers.
func printQuestions(a *cli.App, p *cli.Page, out schemas.GetOut, raw json.RawMessage) {
	p.AddLine("%s %s", p.Bold(out.HandoffID.String()), p.ColourStatus(out.Status))
	for _, question := range out.Standing.Questions {
		p.AddField("asked by "+string(out.Standing.Holder), question)
	}
	for _, call := range cli.AdviceOf(raw) {
		p.AddLine("  %s", a.CommandLine(call, flagsOfNextCommands(a)))
	}
}
