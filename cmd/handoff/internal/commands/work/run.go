package work

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/schemas/display"
)

// runCommand returns the command run: it sends work, and waits for the last answer to it. It starts no agent.
func runCommand(a *cli.App) *cobra.Command {
	w := waitOptions{timeout: cli.Seconds{Duration: 24 * time.Hour}}
	cmd := &cobra.Command{Use: "run [AGENT TASK…]"}
	configureSend(a, "", cmd, func(ctx context.Context, out schemas.SendOut, raw json.RawMessage) error {
		if out.HandoffID == 0 && len(out.Parts) == 0 || out.Status == dryRun { // there is no answer to wait for
			return a.Print(raw, func(p *cli.Page) { printSent(p, out) })
		}
		sent := &cli.Page{Style: a.Style()}
		printSent(sent, out)
		fmt.Fprint(a.Stderr, sent.String())
		w.silent, _ = cmd.Flags().GetBool("silent")
		w.ends = a.Now().Add(w.timeout.Duration)
		begun := slices.DeleteFunc(append(out.Parts, out.HandoffID, out.Joined), func(id schemas.ID) bool { return id == 0 })
		return w.followRun(ctx, a, schemas.FormatAll(begun))
	})
	cmd.Flags().Lookup("silent").Usage = "print only the output of the last agent"
	cmd.Flags().Var(&w.timeout, "within", "how long to wait; bare numbers are seconds")
	return cmd
}

// runResult is the result of a run, as RunResult of the kernl handoffs design. Chain has the handoffs after those that
// began the run.
type runResult struct {
	Workflow   schemas.Workflow      `json:"workflow"`
	FinalAgent schemas.Agent         `json:"final_agent,omitempty"`
	Output     string                `json:"output,omitempty"`
	Chain      []schemas.WorkPassing `json:"chain"`
}

// run is what a caller follows: the handoffs that began it, and all that continue one of them.
type run struct {
	waitOptions
	by    schemas.Agent // the caller
	begun []schemas.ID
	steps []schemas.HistoryStep // oldest first
	mine  map[schemas.ID]bool   // open steps with which only the caller can go on
	runResult
}

// followRun waits until all handoffs of a run have ended that do not wait for the caller. Then it prints the result. The
// error is the exit status if the run did not end well, or waits for the caller.
func (w waitOptions) followRun(ctx context.Context, a *cli.App, given []string) error {
	by, err := a.Caller(false)
	r := run{waitOptions: w, by: by.Agent}
	for _, id := range given {
		n, ok := schemas.ParseID(id)
		if r.begun = append(r.begun, n); !ok {
			return schemas.Errorf(schemas.NotFound, "there is no handoff %q", schemas.EscapeHidden(id))
		}
	}
	for err == nil {
		if err = r.readSteps(ctx, a); err != nil {
			return err
		}
		next := slices.IndexFunc(r.steps, func(s schemas.HistoryStep) bool { return !s.Status.HasEnded() && !r.mine[s.HandoffID] })
		if next < 0 {
			return r.end(ctx, a)
		}
		s, out := r.steps[next], schemas.GetOut{}
		if waitsFor(s, schemas.Human) {
			tellWaiting(a, s)
		}
		if out, _, err = w.readEnd(ctx, a, s.HandoffID.String()); err == nil {
			fmt.Fprintf(a.Stderr, "%s %s: %s\n", s.HandoffID, out.Status, display.FitOneLine(s.Title, 80))
		}
	}
	if e := schemas.AsError(err); e != nil && e.Code == schemas.Unavailable && len(r.steps) > 0 {
		return e.WithHint("The work goes on. handoff wait %s --follow%s waits for its end.", r.steps[0].HandoffID, a.CallerFlags())
	}
	return err
}

// readSteps reads the steps of the run. The caller waits for work that it sent to itself, because it may have another
// session. It does not wait for its review of the work of others.
func (r *run) readSteps(ctx context.Context, a *cli.App) error {
	args := cli.Arguments{"format": "rows", "limit": schemas.MaxHistory, "workflow": r.workflow}
	if r.workflow == "" {
		args["handoff_id"] = r.begun[0].String()
	}
	all, _, err := cli.Call[schemas.HistoryOut](ctx, a, "handoff_history", args)
	r.Workflow, r.steps, r.mine = all.Workflow, nil, map[schemas.ID]bool{}
	holders := map[schemas.ID]schemas.Agent{}
	isPart := func(id schemas.ID) bool { _, ok := holders[id]; return ok }
	for i, s := range all.Items {
		if r.workflow != "" && i == 0 {
			r.begun = []schemas.ID{s.HandoffID}
		}
		begins := slices.Contains(r.begun, s.HandoffID)
		before := append([]schemas.ID{s.Parent, s.RetryOf, s.ReworkOf}, s.After...)
		if !begins && r.workflow == "" && !slices.ContainsFunc(before, isPart) {
			continue
		}
		holders[s.HandoffID] = s.Holder
		r.steps = append(r.steps, s)
		toItself := s.From == r.by && s.To == schemas.Address(r.by) && (begins || holders[s.Parent] == r.by)
		r.mine[s.HandoffID] = waitsFor(s, r.by) && !toItself
	}
	return err
}

// waitsFor reports whether an open step is for an agent, or for the approval of a person.
func waitsFor(s schemas.HistoryStep, agent schemas.Agent) bool {
	approves := agent == schemas.Human && slices.Contains(s.BlockedBy, schemas.NeedsApproval)
	return !s.Status.HasEnded() && (approves || s.To == schemas.Address(agent) && (s.Holder == "" || s.Holder == agent))
}

// tellWaiting says that a step waits for the caller or a person, with the command that shows it.
func tellWaiting(a *cli.App, s schemas.HistoryStep) {
	who := cmp.Or(strings.Join(s.BlockedBy, ", "), string(s.To))
	fmt.Fprintf(a.Stderr, "%s waits for %s: %s: handoff show %[1]s%[4]s\n", s.HandoffID, who, display.FitOneLine(s.Title, 80), a.WorkspaceFlags())
}

// end reads the outcomes of the run and prints its result: the answer of the completion that ended last. A step that was
// not done well counts unless another step replaced it that does not wait for the caller.
func (r *run) end(ctx context.Context, a *cli.App) error {
	var last time.Time
	status, accepted := 0, map[schemas.ID]bool{}
	r.Chain = []schemas.WorkPassing{}
	for _, s := range r.steps {
		out, _, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": s.HandoffID, "view": "full"})
		if err != nil {
			return err
		}
		st, ended := schemas.ValueOrZero(out.Standing), schemas.ValueOrZero(s.EndedAt)
		if !slices.Contains(r.begun, s.HandoffID) {
			task := schemas.ValueOrZero(out.Handoff).Task
			r.Chain = append(r.Chain, schemas.WorkPassing{From: s.From, To: s.To, Message: task, Timestamp: s.SentAt})
		}
		accepted[s.HandoffID] = st.AcceptedAt != nil
		switch replaced := st.Successor != 0 && !r.mine[st.Successor]; {
		case s.Status == schemas.Cancelled && accepted[s.Parent]: // a review that nobody needs any more
		case r.mine[s.HandoffID]:
			tellWaiting(a, s)
			fallthrough
		case st.Reviewer != "":
			status = cmp.Or(status, exitOpen)
		case !replaced && !hasEndedWell(out):
			status = exitOutcome
			fmt.Fprintf(a.Stderr, "%s %s: %s\n", s.HandoffID, out.Status, display.FitOneLine(cmp.Or(s.Reason, string(s.Outcome)), 160))
		}
		if out.Completion != nil && !ended.Before(last) {
			last, r.FinalAgent, r.Output = ended, s.Holder, out.Completion.Summary
		}
	}
	if err := a.PrintValue(r.runResult, r.print); err != nil || status == 0 {
		return err
	}
	return cli.ExitStatus(status)
}

// print prints the result for people.
func (r *run) print(p *cli.Page) {
	if r.silent {
		p.AddLine("%s", schemas.EscapeHidden(r.Output))
	} else {
		p.AddField("final agent", string(r.FinalAgent))
		for _, h := range r.Chain {
			p.AddField("handoff", fmt.Sprintf("%s → %s: %s", h.From, h.To, display.FitOneLine(h.Message, 80)))
		}
		p.AddField("workflow", string(r.Workflow))
		p.AddField("output", r.Output)
	}
}
