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
	begun []schemas.ID
	parts []schemas.GetOut    // oldest first
	mine  map[schemas.ID]bool // open parts with which only the caller can go on
	runResult
}

// followRun waits until all handoffs of a run have ended that do not wait for the caller. Then it prints the result. The
// error is the exit status if the run did not end well, or waits for the caller.
func (w waitOptions) followRun(ctx context.Context, a *cli.App, given []string) error {
	r := run{waitOptions: w}
	by, err := a.ReadingCaller(false)
	for err == nil {
		if err = a.ConnectToRead(ctx, by, func(conn *cli.Connection) error { return r.readParts(ctx, conn, given) }); err != nil {
			return err
		}
		next := slices.IndexFunc(r.parts, func(p schemas.GetOut) bool { return !p.Status.HasEnded() && !r.mine[p.HandoffID] })
		if next < 0 {
			return r.end(a)
		}
		p, out := r.parts[next], schemas.GetOut{}
		if waitsFor(p, schemas.Human) {
			tellWaiting(a, p)
		}
		if out, _, err = w.readEnd(ctx, a, p.HandoffID.String()); err == nil {
			fmt.Fprintf(a.Stderr, "%s %s: %s\n", p.HandoffID, out.Status, display.FitOneLine(p.Handoff.Title, 80))
		}
	}
	if e := schemas.AsError(err); e != nil && e.Code == schemas.Unavailable && len(r.parts) > 0 {
		return e.WithHint("The work goes on. handoff wait %s --follow%s waits for its end.", r.parts[0].HandoffID, a.CallerFlags())
	}
	return err
}

// readParts reads the parts of the run. The given handoffs begin it, or else the first one of the workflow. The caller
// waits for work that it sent to itself, because it may have another session. It does not wait for its review of the
// work of others.
func (r *run) readParts(ctx context.Context, conn *cli.Connection, given []string) error {
	read := func(id string) (out schemas.GetOut, err error) {
		_, err = conn.Call(ctx, "get_handoff", cli.Arguments{"handoff_id": id, "view": "full"}, &out)
		return out, err
	}
	r.Workflow, r.begun, r.parts, r.mine = schemas.Workflow(r.workflow), nil, nil, map[schemas.ID]bool{}
	for _, id := range given {
		out, err := read(id)
		if err != nil {
			return err
		}
		r.Workflow, r.begun = out.Handoff.Metadata.Workflow, append(r.begun, out.HandoffID)
	}
	ids, err := conn.HandoffsOrWorkflow(ctx, nil, string(r.Workflow), "")
	by, holders := conn.By.Agent, map[string]schemas.Agent{}
	for _, id := range slices.Backward(ids) {
		out, err := read(id)
		if err != nil {
			return err
		}
		if len(r.begun) == 0 {
			r.begun = []schemas.ID{out.HandoffID}
		}
		m, begins := out.Handoff.Metadata, slices.Contains(r.begun, out.HandoffID)
		before := slices.Concat([]string{m.Parent.String(), m.RetryOf.String()}, m.After, m.AfterAccepted)
		isPart := func(id string) bool { _, ok := holders[id]; return ok }
		if !begins && r.workflow == "" && !slices.ContainsFunc(before, isPart) {
			continue
		}
		holders[id] = out.Standing.Holder
		r.parts = append(r.parts, out)
		toItself := out.Handoff.Source.Agent == by && out.Handoff.Target.Agent == by && (begins || holders[m.Parent.String()] == by)
		r.mine[out.HandoffID] = waitsFor(out, by) && !toItself
	}
	return err
}

// waitsFor reports whether an open part is for an agent, or for the approval of a person.
func waitsFor(p schemas.GetOut, agent schemas.Agent) bool {
	approves := agent == schemas.Human && slices.Contains(p.Standing.BlockedBy, schemas.NeedsApproval)
	holder := p.Standing.Holder
	return !p.Status.HasEnded() && (approves || p.Handoff.Target.Agent == agent && (holder == "" || holder == agent))
}

// tellWaiting says that a part waits for the caller or a person, with the command that shows it.
func tellWaiting(a *cli.App, p schemas.GetOut) {
	who := cmp.Or(strings.Join(p.Standing.BlockedBy, ", "), string(p.Handoff.Target.Address()))
	fmt.Fprintf(a.Stderr, "%s waits for %s: %s: handoff show %[1]s%[4]s\n", p.HandoffID, who, display.FitOneLine(p.Handoff.Title, 80), a.WorkspaceFlags())
}

// end prints the result of the run: the answer of the completion that ended last. A part that was not done well counts
// unless another part replaced it that does not wait for the caller.
func (r *run) end(a *cli.App) error {
	var last time.Time
	status, accepted := 0, map[schemas.ID]bool{}
	r.Chain = []schemas.WorkPassing{}
	for _, p := range r.parts {
		h, st := p.Handoff, p.Standing
		if !slices.Contains(r.begun, p.HandoffID) {
			passing := schemas.WorkPassing{From: h.Source.Agent, To: h.Target.Address(), Message: h.Task, Timestamp: h.Metadata.CreatedAt}
			r.Chain = append(r.Chain, passing)
		}
		accepted[p.HandoffID] = st.AcceptedAt != nil
		switch replaced := st.Successor != 0 && !r.mine[st.Successor]; {
		case p.Status == schemas.Cancelled && accepted[h.Metadata.Parent]: // a review that nobody needs any more
		case r.mine[p.HandoffID]:
			tellWaiting(a, p)
			fallthrough
		case st.Reviewer != "":
			status = cmp.Or(status, exitOpen)
		case !replaced && !hasEndedWell(p):
			status = exitOutcome
			fmt.Fprintf(a.Stderr, "%s %s: %s\n", p.HandoffID, p.Status, display.FitOneLine(cmp.Or(st.Reason, string(st.Outcome)), 160))
		}
		if ended := schemas.ValueOrZero(st.EndedAt); p.Completion != nil && !ended.Before(last) {
			last, r.FinalAgent, r.Output = ended, st.Holder, p.Completion.Summary
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
