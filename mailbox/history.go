package mailbox

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"handoff/mailbox/draw"
	"handoff/schemas"
	"handoff/store"
)

// History shows all handoffs of a workflow, as a tree, as rows or as a Mermaid diagram, with what came of each: the
// workflow of a given handoff, a given one, or that of the newest handoff. Any caller calls it; nothing changes.
//
// Verified tells whether each shown handoff agrees with its events in the registry. A result has 50 handoffs, or
// limit, at most 500; without a limit, as many as fit into 7,000 bytes. More counts those that are left out.
//
// The error is not_found for a handoff or a workflow that does not exist, and for a workspace in which nothing was
// sent.
func (s *Service) History(
	ctx context.Context, by schemas.Caller, in schemas.HistoryIn,
) (out schemas.HistoryOut, err error) {
	limit := in.Limit
	if limit == 0 {
		limit = 50
	}
	err = s.read(ctx, func(v *store.View) error {
		out = schemas.HistoryOut{}
		if out.Workflow, err = s.workflowOf(v, in); err != nil {
			return err
		}
		steps, err := s.steps(v, limit, &out)
		if err != nil {
			return err
		}
		s.show(steps, in.Format, &out)
		if in.Limit == 0 {
			return s.shorten(steps, in.Format, &out)
		}
		return nil
	})
	return out, err
}

// shorten leaves out the last steps of a history that is too long to be shown unasked.
func (s *Service) shorten(steps []schemas.Step, format string, out *schemas.HistoryOut) error {
	for {
		b, err := json.Marshal(out)
		if err != nil || len(b) <= room || len(steps) == 1 {
			return err
		}
		n := max(min(len(steps)*room/len(b), len(steps)-1), 1)
		out.More += len(steps) - n
		steps = steps[:n]
		s.show(steps, format, out)
	}
}

// workflowOf is the workflow that is asked for.
func (s *Service) workflowOf(v *store.View, in schemas.HistoryIn) (schemas.Workflow, error) {
	if in.HandoffID != "" {
		r, err := find(v, in.HandoffID)
		if err != nil {
			return "", err
		}
		return r.Workflow, nil
	}
	if in.Workflow == "" {
		return latestWorkflow(v)
	}
	name, err := schemas.ParseWorkflow("workflow", in.Workflow)
	if err != nil {
		return "", err
	}
	wf, err := v.Workflow(name)
	if err == nil && wf == nil {
		err = schemas.Errorf(schemas.NotFound, "there is no workflow %s", name).WithField("workflow")
	}
	return name, err
}

// latestWorkflow is that of the newest handoff.
func latestWorkflow(v *store.View) (schemas.Workflow, error) {
	for id, err := range v.Newest(store.All(), 0) {
		if err != nil {
			return "", err
		}
		r, err := v.Record(id)
		if err != nil {
			return "", err
		}
		return r.Workflow, nil
	}
	return "", schemas.Errorf(schemas.NotFound, "nothing was handed off here yet").
		WithNext(schemas.Call(schemas.SendIn{To: schemas.Blank, Task: schemas.Blank}, "sends the first one"))
}

// steps are the rows of a workflow, oldest first. It fills in whether they are verified, and the last output.
func (s *Service) steps(v *store.View, limit int, out *schemas.HistoryOut) (steps []schemas.Step, err error) {
	out.Verified = true
	for id, err := range v.Oldest(store.InWorkflow(out.Workflow), 0) {
		if err != nil {
			return nil, err
		}
		if len(steps) == limit {
			out.More++
			continue
		}
		r := readable(v, id)
		if r == nil {
			out.Verified = false
			continue
		}
		intact, err := v.Verify(id)
		if err != nil {
			return nil, err
		}
		out.Verified = out.Verified && intact
		step, done, err := s.stepOf(v, r)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
		if done != nil {
			out.FinalAgent, out.Output = r.Holder, done.Summary
		}
	}
	return steps, nil
}

// stepOf is one row of a history, and the completion it ended with.
func (s *Service) stepOf(v *store.View, r *store.Record) (step schemas.Step, done *schemas.Completion, err error) {
	step = schemas.Step{
		HandoffID: r.ID, Parent: r.Parent, From: r.From, To: r.To, Holder: r.Holder, Title: schemas.Visible(r.Title),
		Status: r.Status, Outcome: r.Outcome, SentAt: r.Created.Time(), Depth: r.Depth, Attempt: r.Attempt,
		RetryOf: r.RetryOf,
	}
	if r.Claimed != 0 && r.Ended != 0 {
		step.Seconds = int(r.Ended.Time().Sub(r.Claimed.Time()).Seconds())
	}
	var got schemas.GetOut
	if err := resultOf(v, r, &got); err != nil {
		return step, nil, err
	}
	if got.Completion != nil {
		addCounts(&step, got.Completion)
	}
	if f := got.Failure; f != nil {
		step.Reason = f.Failure.Description
		if f.Then == schemas.ThenRollback && r.Successor != 0 && f.RollbackRequest != nil {
			step.RollbackTo = schemas.Address(f.RollbackRequest.TargetAgent)
		}
	} else if r.Status.Ended() && r.Note != 0 && got.Completion == nil || r.Status == schemas.Returned {
		var note schemas.UpdateIn
		err = v.Saying(r.ID, r.Note, &note)
		step.Reason = note.Note
	}
	return step, got.Completion, err
}

// addCounts adds to a step how much a completion delivered.
func addCounts(step *schemas.Step, c *schemas.Completion) {
	for _, d := range c.Deliverables {
		step.FilesCreated += len(d.FilesCreated)
		step.FilesModified += len(d.FilesModified)
		step.TestsCreated += len(d.TestsCreated)
	}
	if c.Verification != nil {
		step.TestsPassed, step.TestsFailed = c.Verification.TestsPassed, c.Verification.TestsFailed
	}
	for _, a := range c.Criteria {
		if !a.Met {
			step.Unmet++
		}
	}
}

// ancestors are the handoffs that led to r, root first, as far as they can be read.
func (s *Service) ancestors(v *store.View, r *store.Record) (steps []schemas.Step) {
	for id := r.Parent; id != 0 && len(steps) < s.Limits.Depth; {
		parent := readable(v, id)
		if parent == nil {
			break // what came before is not told
		}
		step, done, err := s.stepOf(v, parent)
		if err != nil {
			s.Logger.Error("an earlier handoff was passed over",
				slog.String("handoff", id.String()), slog.Any("error", err))
		}
		if done != nil {
			step.Reason = done.Summary
		}
		steps = append(steps, step)
		id = parent.Parent
	}
	slices.Reverse(steps)
	return steps
}

// hops is the chain in the form of a RunResult of the kernl handoffs design.
func hops(steps []schemas.Step) []schemas.Hop {
	chain := make([]schemas.Hop, len(steps))
	for i, st := range steps {
		chain[i] = schemas.Hop{From: st.From, To: st.To, Message: st.Title, Timestamp: st.SentAt}
	}
	return chain
}

// show adds the steps to a history in the form that was asked for.
func (s *Service) show(steps []schemas.Step, format string, out *schemas.HistoryOut) {
	out.Chain = hops(steps)
	switch format {
	case "rows":
		out.Items = steps
	case "mermaid":
		out.Mermaid = draw.Mermaid(steps)
	default:
		out.Tree = draw.Tree(string(out.Workflow), "", steps, draw.Style{Now: s.Now()})
	}
}
