package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Fail ends a handoff without a result, or rejects it. The holder calls it and proves its claim as in
// [Service.Complete]. A recipient that did not claim the handoff may call it to reject the handoff.
//
// With outcome failed, the default, the handoff is failed, the achieved part is kept as a checkpoint, and the sender is
// told. The argument `then` chooses the next step:
//
//   - rollback, the default: the work goes to the agent in rollback_to, otherwise to rollback.on_failure of the send,
//     otherwise to the sender, or to human if a rule sent the work. Unclaimed parts of the work that the holder had
//     sent are cancelled, except questions to human.
//   - retry: the work is sent again, or goes to human if no attempt or no other agent is left.
//   - escalate: the work goes to human.
//   - stop: nothing is sent.
//
// The result names the handoff that continues the work. If the chain is too long for another handoff, human is told
// instead, and the result has a warning.
//
// With outcome rejected, a handoff of a pool goes back to the pool if other agents may take it. The caller is excluded
// from the handoff, and the sender gets no notice. Any other handoff is rejected, and its sender is told. If the caller
// names an agent that may have the work, the work goes to that agent. For any other named agent the result has a
// warning with the reason. The work goes to human if the caller escalates it, or if it was the last attempt.
//
// Errors:
//   - invalid: an empty description; a rollback to an agent that has no part in the workflow; a missing claim token; a
//     rejection with the next step retry.
//   - limit: a description of more than 4 KiB, a checkpoint or a failure of more than 256 KiB.
//   - not_found: no handoff has the id.
//   - denied: the caller is not the holder; a caller that rejects is neither the holder nor a recipient.
//   - conflict: the handoff ended in another way; the caller rejects a handoff on which its holder has begun to work.
//   - stale: as in [Service.Complete]. The failure is kept as a late result.
//
// A holder that repeats the same failure gets the first result, with a warning. If the process dies during the call,
// the store has the failure and the handoff that continues the work, or neither.
func (s *Service) Fail(ctx context.Context, by schemas.Caller, in schemas.FailIn) (schemas.FailOut, error) {
	if err := s.checkFailure(&in); err != nil {
		return schemas.FailOut{}, err
	}
	id, token := in.HandoffID, in.Token
	in.HandoffID, in.Token = "", "" // a repeat may spell them differently
	digest := draft.Fingerprint(in)
	rejects := in.Outcome == schemas.OutcomeRejected
	return mutate(ctx, s, by, func(o *op) (schemas.FailOut, error) {
		return handleOutcome(o, life.Fail, outcomeHandler[schemas.FailOut]{
			id: id, token: token, digest: digest,
			needsNoClaim: func(r *store.Record) bool { // a recipient that rejects, perhaps again
				return rejects && r.Holder != o.By.Agent && (r.Status == schemas.Pending || slices.Contains(r.Excluded, o.By.Agent))
			},
			first: func(r *store.Record) (schemas.FailOut, error) {
				if rejects {
					return o.reject(r, in, digest)
				}
				return o.fail(r, in, digest)
			},
			repeat: o.repeatedFailureResult,
			late:   func(r *store.Record) error { return o.keepLateFailure(r, in, digest) },
		})
	})
}

// checkFailure checks the description of a failure before any transaction. It sets the default outcome if the caller
// gave none.
func (s *Service) checkFailure(in *schemas.FailIn) (err error) {
	if strings.TrimSpace(in.Description) == "" {
		return schemas.Invalidf("description", "must not be empty").
			WithHint("Say why, so that the next one does not fail the same way.")
	}
	err = cmp.Or(schemas.CheckBytes("description", len(in.Description), s.Limits.Task), draft.CheckPayload("", in.Detail, nil))
	if err != nil {
		return err
	}
	in.Outcome = cmp.Or(in.Outcome, schemas.OutcomeFailed)
	if in.Outcome == schemas.OutcomeRejected && in.Then == schemas.ThenRetry {
		return schemas.Invalidf("then", "retry follows a failure, and this is a rejection").
			WithHint("Leave it out, or give escalate to let a person decide. Nothing was changed.")
	}
	if in.Alternative != "" {
		var to schemas.Agent
		to, err = draft.AddressParser(schemas.ParseAddress).ParseAgent("suggested_alternative", in.Alternative)
		in.Alternative = string(to)
	}
	return err
}

// fail ends the handoff and creates the handoff that continues the work. It commits the checkpoint first, as a separate
// event, because the new handoff contains the checkpoint.
func (o *op) fail(r *store.Record, in schemas.FailIn, digest string) (out schemas.FailOut, err error) {
	then, err := o.nextStepAfterFailure(r, in.Then)
	to, unknown := o.rollbackTarget(r, in.RollbackTo)
	if err = cmp.Or(err, unknown); err != nil {
		return out, err
	}
	if r, err = o.saveCheckpoint(r, compose.FailureCheckpoint(in)); err != nil {
		return out, err
	}
	now, err := o.ApplyAction(life.Fail, r)
	if err != nil {
		return out, err
	}
	failure := failureOf(in, then, to)
	if failure.Refused, err = o.unknownAgentWarning(schemas.Agent(in.Alternative)); err != nil {
		return out, err
	}
	out, next, err := o.commitFailure(&operation.RecordChange{
		Action: life.Fail, Was: r, Now: &now, Then: then, Chosen: in.Then != "", To: to, Why: operation.EndReason{Failure: &failure},
	}, failure, digest)
	if err != nil {
		return out, err
	}
	out.Warnings = slices.Concat(out.Warnings, compose.WarnOfUnusedFields(in.Tool(), in.Origin), unusedAlternativeWarnings(failure.Refused))
	if out.Then = then; then == schemas.ThenEscalate && in.Then == schemas.ThenRetry {
		out.Warnings = append(out.Warnings, "no agent is left to try again: a person decides")
	}
	switch {
	case next != nil:
		out.RollbackHandoff, out.To = next.ID, next.To
		if next.From == schemas.System && o.By.Agent != schemas.System { // sent by a rule of a file
			out.Then = ""
		}
	case then != schemas.ThenStop:
		out.Warnings = append(out.Warnings, "it cannot go on by itself: a person was told why")
	}
	return out, nil
}

// commitFailure commits a failure or rejection, and returns the handoff that continues the work, or nil. If the caller
// asked for a next handoff and the result is nil, the chain was too long or the workflow was past a limit, and human
// was told.
func (o *op) commitFailure(
	h *operation.RecordChange, failure schemas.Failure, digest string,
) (out schemas.FailOut, next *store.Record, err error) {
	now := h.Now
	now.Result = o.NextEventNumber()
	failure.FailureID = fmt.Sprintf("fail_%d", now.Result)
	failure.HandoffID, failure.Timestamp, failure.Source = now.ID, o.Now, o.CallerSource()
	failure.CheckpointID = cmp.Or(schemas.ValueOrZero(failure.Origin).CheckpointID, reading.CheckpointID(now.Checkpoint))
	if failure.Parts, err = o.openPartsText(now, h.Then == schemas.ThenRollback); err != nil {
		return out, nil, err
	}
	if err := o.AddWords(now.ID, store.ListWords(reading.FailureTexts(failure.Failure))); err != nil {
		return out, nil, err
	}
	o.EndRecord(now)
	now.Outcome, now.ResultDigest = failure.Status, digest
	h.Text, h.Content, h.ContentName = failure.Failure.Description, failure, "failure"
	if failure.Alternative != "" {
		h.Text = strings.TrimSuffix(h.Text, ".") + ". Suggested instead: " + failure.AlternativeText() + "."
	}
	if failure.Parts != "" {
		h.Text, out.Warnings = failure.Parts+". "+h.Text, []string{failure.Parts}
	}
	if err := o.Commit(h); err != nil {
		return out, nil, err
	}
	followed, err := o.RunConsequences()
	out.HandoffID, out.Status, out.FailureID = now.ID, now.Status, failure.FailureID
	return out, followed.Successor, err
}

// failureOf makes the message of a failure, without an id and a time. The message has a rollback request if the work is
// rolled back, or if the holder gave a reason or questions.
func failureOf(in schemas.FailIn, then schemas.FailureContinuation, to schemas.Agent) schemas.Failure {
	f := schemas.Failure{
		Status: in.Outcome, Failure: in.FailureDetail, Alternative: in.Alternative, Then: then, Origin: in.Origin,
	}
	if f.Failure.Type == "" {
		f.Failure.Type = compose.FailureType(in.FailureDetail)
		f.TypeComputed = f.Failure.Type != ""
	}
	if then == schemas.ThenRollback || in.Reason != "" || len(in.Questions) > 0 {
		reason := cmp.Or(in.Reason, operation.ReasonFrom(in.Description))
		f.RollbackRequest = &schemas.RollbackRequest{Reason: reason, Questions: in.Questions}
		if then == schemas.ThenRollback {
			f.RollbackRequest.TargetAgent = to
		}
	}
	return f
}

// repeatedFailureResult returns the result of a repeated failure. It names the handoff that continues the work now: the
// latest successor of r, which may be newer than the first call.
func (o *op) repeatedFailureResult(r *store.Record) (out schemas.FailOut, err error) {
	var f schemas.Failure
	if err := o.DecodeContent(r.ID, r.Result, &f); err != nil {
		return out, err
	}
	out = schemas.FailOut{
		HandoffID: r.ID, Status: r.Status, FailureID: f.FailureID, Warnings: []string{"this was recorded before"},
	}
	if f.Status != schemas.OutcomeRejected || f.Then == schemas.ThenEscalate {
		out.Then = f.Then
	}
	if r.Successor == 0 {
		return out, nil
	}
	next, err := o.Record(r.Successor)
	if err != nil {
		return out, err
	}
	if f.Then == schemas.ThenRollback && r.Rollback == 0 { // a rule of a file sent the next handoff
		out.Then = ""
	}
	out.RollbackHandoff, out.To = next.ID, next.To
	return out, nil
}

// keepLateFailure keeps a failure that came too late. A late failure has no consequences, so the work goes on as it is.
func (o *op) keepLateFailure(r *store.Record, in schemas.FailIn, digest string) error {
	f := failureOf(in, schemas.ThenStop, "")
	f.HandoffID, f.Timestamp, f.Source, f.Late = r.ID, o.Now, o.CallerSource(), true
	return o.keepLateOutcome(r, schemas.LateResult{Failure: &f}, digest, in.Description)
}
