package mailbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Complete ends a handoff with a result. Its holder calls it and proves its claim with the claim token, or by calling
// over the connection that claimed. On the command line the person at the keyboard is trusted.
//
// The result answers every criterion of the expectations, by its text or by its number. The output meets the schema of
// the handoff. The outcome is success, or partial if a criterion is not met. The handoff is then completed, its sender
// is told, and its dependents may go on. With continuation.to, the same transaction sends another handoff, with the
// completed handoff as its parent.
//
// If the sender asked for a review, Complete sends the review. Dependents and the continuation then wait until the
// result is accepted. If the completed handoff is itself a review, its verdict accepts or returns the reviewed work.
//
// Errors:
//   - invalid: an empty summary; a criterion without an answer; an answer to an unknown criterion; an output that does
//     not meet its schema; a missing claim token.
//   - limit: a summary of more than 4,096 characters, detail and data of more than 65,536, a result of more than 256 KiB.
//   - not_found: no handoff has the id.
//   - denied: the caller does not hold the handoff, or the token never belonged to the handoff.
//   - conflict: the handoff ended in another way; its content changed since the result was compared; it is strict and a
//     criterion is not met; a check did not pass and the result does not say that it is partial.
//   - stale: the claim was lost, or the handoff was cancelled, timed out or returned. The result is kept as a late
//     result, at most eight for a handoff, and the sender is told.
//   - the errors of [Service.Send] for the continuation, with its field. The handoff is then not completed. Only a
//     limit of the workflow does not refuse the completion: the continuation is not sent, the result has a warning, and
//     human is told.
//
// A holder that repeats the same result gets the first result, with a warning. If the process dies during the call, the
// store has the completion with all consequences, or nothing, and the holder repeats the call.
func (s *Service) Complete(ctx context.Context, by schemas.Caller, in schemas.CompleteIn) (schemas.CompleteOut, error) {
	if strings.TrimSpace(in.Summary) == "" {
		return schemas.CompleteOut{}, schemas.Invalidf("summary", "must not be empty").
			WithHint("Say what was done or found, in a few sentences.")
	}
	if wrong := cmp.Or(draft.CheckPayload(in.Summary, in.Detail, in.Data), schemas.CheckCost(in.Results)); wrong != nil {
		return schemas.CompleteOut{}, wrong
	}
	forward, err := s.draftContinuation(by, in, s.Now())
	if err != nil {
		return schemas.CompleteOut{}, err
	}
	id, token := in.HandoffID, in.Token
	in.HandoffID, in.Token = "", "" // a repeat may spell them differently
	digest := draft.Fingerprint(in)
	var kept completionComparison
	try := func(o *op) (schemas.CompleteOut, error) {
		return handleOutcome(o, life.Complete, outcomeHandler[schemas.CompleteOut]{
			id: id, token: token, digest: digest,
			first: func(r *store.Record) (schemas.CompleteOut, error) {
				return o.complete(r, in, digest, kept, forward)
			},
			repeat: o.repeatedCompletionResult,
			late:   func(r *store.Record) error { return o.keepLateCompletion(r, in, digest) },
		})
	}
	for {
		out, err := mutate(ctx, s, by, try)
		if !errors.Is(err, errNotCompared) {
			return out, err
		}
		if kept, err = s.compareCompletion(ctx, by, id, in); err != nil {
			return out, err
		}
	}
}

// complete ends the handoff with a result that was compared before. All checks that can refuse the caller come before
// the commit. The only exception is the check of the continuation, which undoes the whole operation.
func (o *op) complete(
	r *store.Record, in schemas.CompleteIn, digest string, kept completionComparison, forward *draft.Draft,
) (out schemas.CompleteOut, err error) {
	now, err := o.ApplyAction(life.Complete, r)
	if err != nil {
		return out, err
	}
	now.Result = o.NextEventNumber()
	done, err := o.buildCompletion(r, in, kept, now.Result)
	if e := schemas.AsError(err); !kept.undo && isKeptRefusal(e, kept.body == r.Body) {
		return out, o.recordRefusedResult(r, digest, e)
	}
	if err != nil {
		return out, err
	}
	o.EndRecord(&now)
	now.Outcome, now.ResultDigest, now.Percent = done.Status, digest, 100
	out = schemas.CompleteOut{
		HandoffID: r.ID, Status: now.Status, Outcome: done.Status, CompletionID: done.CompletionID,
		Unmet: contract.UnmetCriteria(done.Criteria), Warnings: o.completionWarnings(r, in, done),
	}
	done.Suggested, err = o.suggestNextAgents(r, done)
	if err = cmp.Or(err, o.AddWords(r.ID, store.ListWords(reading.CompletionTexts(done)))); err != nil {
		return out, err
	}
	if r.Reviewer != "" {
		if err := o.holdBackContinuation(forward, &out); err != nil {
			return out, err
		}
		forward = nil
	}
	completed := &operation.RecordChange{
		Action: life.Complete, Was: r, Now: &now, Text: completionNoticeText(r, done), Forward: forward, Content: done, ContentName: "completion",
	}
	if err := o.Commit(completed); err != nil {
		return out, err
	}
	if !completed.IsContinuedByRule() {
		out.Suggested = done.Suggested
	}
	o.reportStillBlocked(completed, &out)
	others, err := o.overlaps.RecordFiles(o.Op, &now)
	if err != nil {
		return out, err
	}
	out.Warnings = append(out.Warnings, others...)
	followed, err := o.RunConsequences()
	if out.Forwarded = followed.Forwarded; followed.Unsent != "" {
		out.Warnings = append(out.Warnings, followed.Unsent)
	}
	return out, err
}

// buildCompletion makes the message of a completion. The parameter event is the number of the event that will store it.
// The errors come from [contract.CheckContradiction], from [completionComparison.answeredCriteria], or from
// [checkVerdict] for a review without a verdict.
func (o *op) buildCompletion(
	r *store.Record, in schemas.CompleteIn, kept completionComparison, event uint64,
) (done schemas.Completion, err error) {
	in.HandoffID = r.ID.String()
	if err := contract.CheckContradiction(in); err != nil {
		return done, err
	}
	done = completionFrom(in)
	if done.Criteria, err = kept.answeredCriteria(r, o.By.CheckReport); err != nil {
		return done, err
	}
	if done.Tree = o.By.Tree; kept.body != 0 {
		done.Output, done.Conforms = kept.output, kept.conforms
	}
	if err := checkVerdict(r, done.Output); err != nil {
		return done, err
	}
	done.Status = contract.CompletionOutcome(done, in.Outcome)
	done.Awaits = in.Outcome != schemas.Partial && contract.AwaitsChecks(done)
	done.CompletionID = fmt.Sprintf("comp_%d", event)
	done.HandoffID, done.Timestamp, done.Source = r.ID, o.Now, o.CallerSource()
	done.Parts, err = o.openPartsText(r, false)
	return done, err
}

// completionFrom makes the message of a completion from the arguments of the call, without an id, a time and answered
// criteria.
func completionFrom(in schemas.CompleteIn) schemas.Completion {
	done := schemas.Completion{Result: in.Result, Origin: in.Origin}
	done.Version = max(done.Version, 1)
	return done
}

// completionWarnings returns the warnings for the holder in the result of its completion.
func (o *op) completionWarnings(r *store.Record, in schemas.CompleteIn, done schemas.Completion) []string {
	doubts := schemas.Map(contract.Doubts(done), func(doubt string) string { return "it is partial, because it says itself: " + doubt })
	warnings := slices.Concat(doubts, contract.UnconfirmedStatements(done), done.UnobservedReasons(), compose.WarnOfUnusedFields(in.Tool(), in.Origin))
	if why := schemas.ValueOrZero(o.By.CheckReport).Unread; why != "" {
		warnings = append(warnings, "nothing was observed: "+why)
	}
	if done.Awaits {
		warnings = append(warnings, fmt.Sprintf("the outcome is partial until a look at that commit passes, as by handoff checks run %s "+
			"in a checkout, or until %s accepts it", r.ID, r.From))
	}
	if r.Status == schemas.Waiting && r.Permission {
		warnings = append(warnings, "a permission was asked for and not granted")
	}
	return warnings
}

// completionNoticeText makes the text of the notice that tells the sender of a completion: the reviewer, the verdict of
// a review, the number of unmet criteria, the summary, and the agents that the holder or the mailbox suggests for the
// next step.
func completionNoticeText(r *store.Record, done schemas.Completion) string {
	text := strings.Join(append(done.UnobservedReasons(), done.Summary), ". ")
	if unmet := contract.UnmetCriteria(done.Criteria); len(unmet) > 0 {
		text = fmt.Sprintf("Criteria not met: %d of %d. %s", len(unmet), len(done.Criteria), text)
	} else if done.Status == schemas.Partial {
		text = "It is done in part. " + text
	}
	if c := done.Continuation; c != nil && c.SuggestedNext != "" {
		text += fmt.Sprintf(" Suggested next: %s. %s", c.SuggestedNext, c.Reason)
	}
	if len(done.Suggested) > 0 {
		text += " Suggested next: " + strings.Join(schemas.Map(done.Suggested, schemas.RoutingCandidate.String), "; ") + "."
	}
	if r.ReviewOf != 0 {
		text = verdictIn(done.Output).Verdict + ": " + text
	}
	if r.Reviewer != "" {
		text = fmt.Sprintf("It counts once it was reviewed by %s: %s", r.Reviewer, text)
	}
	return text
}

// repeatedCompletionResult returns the result of a repeated completion. The outcome is the outcome that the first call
// recorded, even if the sender has accepted a partial result since. The continuation is shown as it is now.
func (o *op) repeatedCompletionResult(r *store.Record) (out schemas.CompleteOut, err error) {
	var done schemas.Completion
	if err := o.DecodeContent(r.ID, r.Result, &done); err != nil {
		return out, err
	}
	out = schemas.CompleteOut{
		HandoffID: r.ID, Status: r.Status, Outcome: done.Status, CompletionID: done.CompletionID,
		Unmet: contract.UnmetCriteria(done.Criteria), Warnings: []string{"this was recorded before"},
	}
	c := done.Continuation
	switch {
	case r.Forwarded == 0 && r.Reviewer == "" && c != nil && c.Type == schemas.TypeMessage: // no record names it
		out.Forwarded = &schemas.SendOut{Status: "delivered", To: schemas.Address(c.To)}
	case cmp.Or(r.Forwarded, r.Review) != 0:
		next, err := o.Record(cmp.Or(r.Forwarded, r.Review))
		if err != nil {
			return out, err
		}
		out.Forwarded = sendResultFor(next)
	}
	return out, nil
}

// keepLateCompletion keeps a completion that came too late. It does not check the criteria, because no handoff depends
// on a late result.
func (o *op) keepLateCompletion(r *store.Record, in schemas.CompleteIn, digest string) error {
	if err := contract.CheckContradiction(in); err != nil {
		return err
	}
	done := completionFrom(in)
	done.HandoffID, done.Timestamp, done.Source, done.Late = r.ID, o.Now, o.CallerSource(), true
	done.Status = contract.CompletionOutcome(done, in.Outcome) // the outcome that the holder stated
	if v := in.Verification; v != nil && slices.ContainsFunc(v.Criteria, func(c schemas.Criterion) bool { return !c.Met }) {
		done.Status = schemas.Partial
	}
	return o.keepLateOutcome(r, schemas.LateResult{Completion: &done}, digest, in.Summary)
}
