package mailbox

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"handoff/mailbox/contract"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// completionComparison is the comparison of a completion with the expectations of its handoff. The server compares
// before the transaction, because checking a schema may take long and the store has one writer. The transaction then
// checks that the compared content is still the current content. The zero value means that nothing was compared yet.
type completionComparison struct {
	body     uint64 // the event whose content was compared
	refused  uint64 // the last refusal at that time
	criteria []schemas.AnsweredCriterion
	output   json.RawMessage // the output in the form that meets the schema
	conforms bool            // the handoff has a schema
	err      error           // shown only to the holder
	undo     bool            // a refusal undoes the whole operation, so it is not kept with the handoff
}

// compareCompletion compares a completion with the expectations of its handoff, on a snapshot. The field err of the
// result has the reason for a refusal, because only the holder may see that reason, and only the transaction knows the
// holder. The result is zero for a handoff without expectations. The error of compareCompletion is not_found, or comes
// from the store.
func (s *Service) compareCompletion(ctx context.Context, by schemas.Caller, id string, in schemas.CompleteIn) (completionComparison, error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (completionComparison, error) {
		asked, err := reading.FindHandoff(v, id, by.Agent)
		if err != nil {
			return completionComparison{}, err
		}
		return newComparison(v, by, asked, in)
	})
}

// newComparison compares a completion with the expectations of its handoff. If the completion does not meet the
// expectations, the field err of the result has the reason. The error of newComparison comes from the store.
func newComparison(v *store.View, by schemas.Caller, asked *store.Record, in schemas.CompleteIn) (completionComparison, error) {
	var h schemas.Handoff
	var before schemas.CompletionRefusal
	err := cmp.Or(v.DecodeContent(asked.ID, asked.Body, &h), v.DecodeContent(asked.ID, asked.Refused, &before))
	if err != nil || !needsComparison(asked, by.CheckReport) {
		return completionComparison{}, err
	}
	p := completionComparison{body: asked.Body, refused: asked.Refused, output: in.Output}
	seen := schemas.ValueOrZero(by.CheckReport)
	seen.Failed = before.Failed
	p.criteria, p.err = contract.Compare(h.Expectations, in.Verification, in.Outcome == schemas.Partial, &seen)
	if p.err == nil {
		p.err = contract.CheckStrictCompletion(h.Expectations, completionFrom(in))
	}
	if p.err == nil && h.Expectations != nil && len(h.Expectations.OutputSchema) > 0 {
		p.conforms = true
		p.output, p.err = contract.CheckOutput(h.Expectations.OutputSchema, in.Output)
	}
	return p, nil
}

// needsComparison reports whether a completion must be compared: the handoff has expectations, the repository has
// checks that run for all work, or an earlier completion of this handoff was refused.
func needsComparison(r *store.Record, seen *schemas.CheckReport) bool {
	return r.Promises || r.Refused != 0 || len(seen.Checks()) > 0
}

// answeredCriteria returns the answered criteria, or the reason why the completion is refused. The error is
// errNotCompared if no comparison was made yet. It is conflict if the content changed since the comparison, or if the
// handoff is strict and a criterion is not met. Other errors come from package contract.
func (p completionComparison) answeredCriteria(r *store.Record, seen *schemas.CheckReport) ([]schemas.AnsweredCriterion, error) {
	switch {
	case !needsComparison(r, seen):
		return nil, nil
	case p.body == 0, p.refused != r.Refused:
		return nil, errNotCompared
	case p.body != r.Body:
		return nil, operation.ConflictError(r, "what %s asks for was changed just now", r.ID).
			WithHint("Read it again, then complete it.").WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: r.ID.String()}, "shows it"))
	case p.err != nil:
		e := schemas.AsError(p.err).WithHandoff(r.ID, r.Status, 0)
		if e.Code == schemas.Conflict { // the handoff is strict, or a check fails
			e = e.WithNext(holderAdvice(life.Ask, r.ID, ""), holderAdvice(life.Fail, r.ID, ""))
		}
		return nil, e
	}
	return p.criteria, nil
}

// isKeptRefusal reports whether the refusal of a completion is kept with the handoff: what the holder says is
// understood, but it does not end the work. Current is false if the handoff was changed since the comparison.
func isKeptRefusal(e *schemas.Error, current bool) bool {
	if e == nil || e.Code != schemas.Invalid {
		return e != nil && e.Code == schemas.Conflict && current
	}
	return slices.Contains([]string{"verification.criteria", "output", "outcome"}, e.Field)
}

// maxRefusals is how many refused completions of one attempt the server keeps. The limit stops a holder that sends bad
// results again and again from filling the record.
const maxRefusals = 8

// recordRefusedResult tells the holder why its completion is refused, and keeps the reason with the handoff, see
// [life.RefuseResult]. If the reason equals the last reason of this holder, or [maxRefusals] reasons are kept already,
// it returns the reason as an error. The error undoes the transaction.
func (o *op) recordRefusedResult(r *store.Record, digest string, why *schemas.Error) error {
	var before schemas.CompletionRefusal
	last, err := reading.LastRefusal(o.View, r)
	if err = cmp.Or(err, o.DecodeContent(r.ID, r.Refused, &before)); err != nil {
		return err
	}
	refusal := schemas.CompletionRefusal{Note: why.Message, Failed: o.failedChecks(before), Tree: o.By.Tree, Result: digest}
	full := r.Refusals >= maxRefusals*max(r.Attempt, 1) && len(refusal.Failed) <= len(before.Failed) // a new failure is kept
	if full || refusal.SameAs(last) {
		return why
	}
	o.CommitWithError(why)
	refused := &operation.RecordChange{Action: life.RefuseResult, Content: refusal, ContentName: "refusal"}
	return o.ChangeRecord(refused, r, func(now *store.Record) { now.Refused, now.Refusals = o.NextEventNumber(), r.Refusals+1 })
}

// failedChecks returns the checks that failed for this completion, and the checks that failed at an earlier refusal and
// did not run since.
func (o *op) failedChecks(before schemas.CompletionRefusal) (failed []schemas.Observation) {
	sight := schemas.ValueOrZero(o.By.CheckReport)
	for _, now := range sight.Observed {
		if !now.Passed {
			now.Tail = strings.ToValidUTF8(now.Tail[max(0, len(now.Tail)-maxTail):], "")
			failed = append(failed, now)
		}
	}
	ranNow := func(was schemas.Observation) bool { return sight.Observation(was.Check) != nil }
	return append(failed, slices.DeleteFunc(slices.Clone(before.Failed), ranNow)...)
}

// maxTail is how much output of a failing check is kept, in bytes.
const maxTail = 1 << 10

// errNotCompared undoes the completion of a handoff whose expectations were not compared yet. [Service.Complete] then
// compares and tries again.
const errNotCompared operation.UndoError = "the completion must be compared first"
