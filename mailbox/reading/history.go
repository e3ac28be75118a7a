package reading

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/contract"
	"handoff/mailbox/draw"
	"handoff/mailbox/listing"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/schemas/display"
	"handoff/store"
	"handoff/store/audit"
)

// defaultSteps is the number of handoffs that a history shows if the caller sets no limit.
const defaultSteps = 50

// History returns the handoffs of a workflow, oldest first, as a tree, rows or a diagram. It verifies that the record
// of each shown handoff agrees with its events, so it reads all events of these handoffs. Handoffs above the limit are
// counted in More, and are part of the sums. The tree shows ages relative to now. The error is not_found for an unknown
// handoff or workflow, and for a workspace without handoffs.
//
// If the caller sets no limit, the answer is cut to [listing.MaxBytes] bytes. History then estimates from the average
// size how many handoffs fit, and renders the answer again with that number.
func (rd Reader) History(v *store.View, in schemas.HistoryIn, now time.Time) (out schemas.HistoryOut, err error) {
	if out.Workflow, err = requestedWorkflow(v, in); err != nil {
		return out, err
	}
	if out.Limits, err = workflowBudgets(v, out.Workflow, now); err != nil {
		return out, err
	}
	out.Shown = cmp.Or(in.Limit, defaultSteps)
	steps, err := rd.historySteps(v, now, &out)
	if err != nil {
		return out, err
	}
	out.Shown, out.Sums = min(out.Shown, len(steps)), draw.SumSteps(steps)
	for {
		out.More = len(steps) - out.Shown
		renderHistory(steps, in.Format, now, &out)
		b, err := json.Marshal(out)
		if err != nil || in.Limit != 0 || len(b) <= listing.MaxBytes || out.Shown <= 1 {
			return out, err
		}
		out.Shown = max(min(out.Shown*listing.MaxBytes/len(b), out.Shown-1), 1)
	}
}

// requestedWorkflow returns the workflow of the given handoff, or the workflow with the given name, or the workflow of
// the newest handoff if the caller gives neither. The error is invalid for a malformed name, and not_found for an
// unknown handoff or workflow.
func requestedWorkflow(v *store.View, in schemas.HistoryIn) (schemas.Workflow, error) {
	if in.HandoffID != "" {
		r, err := FindHandoff(v, in.HandoffID, "")
		return schemas.ValueOrZero(r).Workflow, err
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
		err = unknownWorkflowError(v, name)
	}
	return name, err
}

// workflowBudgets returns each limit of a workflow with the part that is used, or nil if the workflow has no limits.
func workflowBudgets(v *store.View, name schemas.Workflow, now time.Time) (all []schemas.WorkflowBudget, err error) {
	wf, err := v.Workflow(name)
	if wf == nil || err != nil {
		return nil, err
	}
	used, err := LimitUsage(v, name, *wf, now)
	for _, limit := range schemas.WorkflowLimits {
		if most, limited := wf.Limits[limit]; limited {
			all = append(all, schemas.WorkflowBudget{Limit: limit, Used: math.Round(used[limit]*1e4) / 1e4, Of: most})
		}
	}
	return all, err
}

// LimitUsage returns how much a workflow has used of each limit in [schemas.WorkflowLimits], at the time now. The map
// has the minutes only if the workflow limits the minutes, because the server does not count the minutes of other
// workflows.
func LimitUsage(v *store.View, name schemas.Workflow, wf store.Workflow, now time.Time) (map[string]float64, error) {
	used := map[string]float64{}
	maps.Copy(used, wf.Used)
	if wf.Limits[schemas.LimitMinutes] == 0 {
		return used, nil
	}
	first, err := FirstInWorkflow(v, name)
	if first != nil {
		used[schemas.LimitMinutes] = now.Sub(first.Created.Time()).Minutes()
	}
	return used, err
}

// FirstInWorkflow returns the oldest handoff of a workflow that can be read, or nil if there is none.
func FirstInWorkflow(v *store.View, name schemas.Workflow) (*store.Record, error) {
	for r, err := range ReadableRecords(v, v.OldestFirst(store.IndexByWorkflow(name), 0)) {
		return r, err
	}
	return nil, nil
}

// unknownWorkflowError returns the error for an unknown workflow. Its hint names the most similar workflow of the
// newest 200 handoffs. If the store cannot be read, the error has no hint.
func unknownWorkflowError(v *store.View, name schemas.Workflow) *schemas.Error {
	const begin, recent = "wf_", 200
	var known []string
	for r, err := range ReadableRecords(v, AtMost(recent, v.NewestFirst(store.IndexOfAllHandoffs(), 0))) {
		if err != nil {
			break
		}
		known = append(known, strings.TrimPrefix(string(r.Workflow), begin))
	}
	e := schemas.Errorf(schemas.NotFound, "there is no workflow %s", name).WithField("workflow")
	if meant := closest.LikelyNames(strings.TrimPrefix(string(name), begin), known); len(meant) > 0 {
		return e.WithHint("Did you mean %s%s?", begin, meant[0])
	}
	return e
}

// latestWorkflow returns the workflow of the newest handoff. In a workspace without handoffs the error is not_found,
// and advises a call that sends a first handoff.
func latestWorkflow(v *store.View) (schemas.Workflow, error) {
	for r, err := range ReadableRecords(v, v.NewestFirst(store.IndexOfAllHandoffs(), 0)) {
		return schemas.ValueOrZero(r).Workflow, err
	}
	return "", schemas.Errorf(schemas.NotFound, "nothing was handed off here yet").
		WithNext(schemas.AdviseCall(schemas.SendIn{To: schemas.Blank, Task: schemas.Blank}, "sends the first one"))
}

// historySteps returns one step for each handoff of a workflow, oldest first. It also sets two fields of out: whether
// the events of the first out.Shown handoffs agree with the records (the log is verified), and the output of the handoff
// that ended last. If two handoffs ended at the same time, the one that was sent later counts as last. A damaged record
// has no step, and then the log is not verified. If content cannot be read, it returns an error.
func (rd Reader) historySteps(v *store.View, now time.Time, out *schemas.HistoryOut) (steps []schemas.HistoryStep, err error) {
	out.LogVerified = true
	var last store.Time
	for id, err := range v.OldestFirst(store.IndexByWorkflow(out.Workflow), 0) {
		if err != nil {
			return nil, err
		}
		r := RecordOrNil(v, id)
		if r == nil {
			out.LogVerified = false
			continue
		}
		intact, unproved, shown := true, error(nil), len(steps) < out.Shown
		if shown {
			intact, unproved = audit.IsHandoffIntact(v, id)
		}
		out.LogVerified = out.LogVerified && intact
		step, done, err := historyStep(v, r)
		if err == nil && shown && !r.Status.HasEnded() && r.Status != schemas.Waiting { // its story has the question
			step.Reason, err = rd.StateReason(v, r)
		}
		if err = cmp.Or(unproved, err, addEventsAndTimes(v, r, now, &step)); err != nil {
			return nil, err
		}
		steps = append(steps, step)
		if done != nil && r.Ended >= last {
			last = r.Ended
			out.FinalAgent, out.Output = r.Holder, done.Summary
		}
	}
	return steps, nil
}

// historyStep returns the step of a handoff in a history, and the handoff's completion, or nil if the handoff has none.
// The summary in the step is cut to [maxSummary] bytes.
func historyStep(v *store.View, r *store.Record) (step schemas.HistoryStep, done *schemas.Completion, err error) {
	step = schemas.HistoryStep{
		HandoffID: r.ID, Parent: r.Parent, From: r.From, Rule: r.Rule, To: r.To, Holder: r.Holder, Title: schemas.EscapeHidden(r.Title),
		Status: r.Status, Outcome: r.Outcome, SentAt: r.Created.Time(), ClaimedAt: r.Claimed.Ptr(), EndedAt: r.Ended.Ptr(), Depth: r.Depth, Attempt: r.AttemptNumber(),
		RetryOf: r.RetryOf, BlockedBy: listing.BlockerTexts(r), ReworkOf: r.ReworkOf, Round: r.Round,
	}
	var got schemas.GetOut
	if err := AddOutcome(v, r, &got); err != nil {
		return step, nil, err
	}
	if got.Completion != nil {
		addCompletionCounts(&step, got.Completion)
		step.Unseen = append(contract.UnconfirmedStatements(*got.Completion), got.Completion.UnobservedReasons()...)
		step.Results, step.Done = got.Completion.Results, got.Completion
		step.Summary = schemas.EscapeHidden(schemas.Shorten(got.Completion.Summary, maxSummary))
	}
	if back := RecordOrNil(v, r.Rollback); back != nil {
		step.RollbackTo = back.To
	}
	step.Reason, err = EndReason(v, r, got.Failure)
	return step, got.Completion, err
}

// addCompletionCounts adds the numbers of files, tests and unmet criteria in a completion to a step of a history.
func addCompletionCounts(step *schemas.HistoryStep, c *schemas.Completion) {
	for _, d := range c.Deliverables {
		step.FilesCreated += len(d.FilesCreated)
		step.FilesModified += len(d.FilesModified)
		step.TestsCreated += len(d.TestsCreated)
	}
	v := schemas.ValueOrZero(c.Verification)
	step.TestsPassed, step.TestsFailed = v.TestsPassed, v.TestsFailed
	step.Unmet = len(contract.UnmetCriteria(c.Criteria))
}

// ancestorSteps returns the steps of r's parents, the first handoff of the chain first. It returns at most rd.Depth
// parents, and stops at a parent that cannot be read. If the outcome of a parent cannot be read, it omits the outcome
// and logs the error, because damage to earlier work must not prevent the brief of r.
func (rd Reader) ancestorSteps(v *store.View, r *store.Record) (steps []schemas.HistoryStep) {
	for parent := range Chain(v, r.Parent, ParentID) {
		if len(steps) == rd.Depth {
			break
		}
		step, done, err := historyStep(v, parent)
		if err != nil {
			rd.Logger.Error("an earlier handoff was passed over",
				slog.String("handoff", parent.ID.String()), slog.Any("error", err))
		}
		if done != nil {
			step.Reason = done.Summary
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return steps
}

// renderHistory adds the first out.Shown steps to a history in the requested format. For the format "rows" it also adds
// a list with sender, recipient, title and time of each step, which programs for the kernl handoffs design expect. For
// an unknown format it adds a tree.
func renderHistory(all []schemas.HistoryStep, format string, now time.Time, out *schemas.HistoryOut) {
	steps := all[:out.Shown]
	switch format {
	case "rows":
		out.Items = steps
		out.Chain = schemas.Map(steps, func(s schemas.HistoryStep) schemas.WorkPassing {
			return schemas.WorkPassing{From: s.From, To: s.To, Message: s.Title, Timestamp: s.SentAt}
		})
	case "markdown":
		out.Markdown = draw.Markdown(string(out.Workflow), all, out.Shown)
	case "mermaid":
		out.Mermaid = draw.Mermaid(steps)
	default:
		out.Tree = draw.Tree(string(out.Workflow), "", steps, display.Style{Now: now})
	}
}
