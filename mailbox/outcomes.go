package mailbox

import (
	"errors"
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/store"
)

// outcomeHandler handles an outcome: a result or a failure that an agent sends for a handoff. It has the id of the
// handoff, the claim token of the call, and the digest of the outcome, by which the server recognises a repeated call.
type outcomeHandler[Out any] struct {
	id, token, digest string

	// needsNoClaim reports whether the outcome needs no claim. Nil means that every outcome needs a claim.
	needsNoClaim func(*store.Record) bool

	first  func(*store.Record) (Out, error) // ends the handoff with it
	repeat func(*store.Record) (Out, error) // returns the first result
	late   func(*store.Record) error        // keeps it without changing the state
}

// handleOutcome handles an outcome for a handoff. The first outcome ends the handoff. The same outcome again gets the
// result of the first call and makes no event. A late outcome is kept, and its sender gets the error stale. An outcome
// is late if its claim was lost, or if the clock, a cancel or a return ended the handoff before. Any other outcome
// changes nothing, and the error comes from [op.checkClaimProof] or [op.ExplainRefusal].
//
// The proof of the claim is checked before an error says anything about the record, so that an agent without the claim
// learns nothing. A handoff that was rejected without a claim has no proof. Its digest shows that the caller repeats
// its own call.
func handleOutcome[Out any](o *op, a life.Action, take outcomeHandler[Out]) (out Out, err error) {
	r, err := o.FindHandoff(take.id)
	if err != nil {
		return out, err
	}
	o.actAsHolderWithToken(r, take.token)
	switch {
	case take.needsNoClaim != nil && take.needsNoClaim(r):
		return take.first(r)
	case r.Status == schemas.Rejected && r.Holder != o.By.Agent && r.ResultDigest == take.digest:
		return take.repeat(r) // rejected from the mailbox, without a claim to prove
	}
	err = o.checkClaimProof(a, r, take.token)
	if e, ok := errors.AsType[*schemas.Error](err); ok && e.Code == schemas.Stale && !o.isProvenHolder(r) {
		o.CommitWithError(e.WithHint("%s", lateOutcomeHint(r, take.digest)).
			WithNext(schemas.AdviseCall(schemas.ClaimIn{}, "takes the next one")))
		return out, take.late(r)
	}
	if err != nil {
		return out, err
	}
	return take.handleProvedOutcome(o, a, r)
}

// handleProvedOutcome handles an outcome whose claim is proved.
func (take outcomeHandler[Out]) handleProvedOutcome(o *op, a life.Action, r *store.Record) (out Out, err error) {
	switch {
	case !r.Status.HasEnded():
		return take.first(r)
	case r.ResultDigest == take.digest && r.Status != schemas.Returned:
		return take.repeat(r)
	case r.Result == 0 || r.Status == schemas.Returned: // ended by the clock, a cancel or a return
		o.CommitWithError(refuseEndedMeanwhile(r, lateOutcomeHint(r, take.digest)))
		return out, take.late(r)
	}
	return out, o.ExplainRefusal(a, r)
}

// refuseEndedMeanwhile returns the error for a holder whose handoff ended while the holder was at work.
func refuseEndedMeanwhile(r *store.Record, hint string) *schemas.Error {
	e := schemas.Errorf(schemas.Stale, "%s is %s", r.ID, r.Status).WithHandoff(r.ID, r.Status, r.Successor)
	if r.Successor != 0 {
		hint += " " + r.Successor.String() + " took its place."
	}
	return e.WithHint("%s", hint)
}

// maxLateOutcomes is how many late outcomes of one handoff the server keeps. The limit stops an agent that sends late
// outcomes again and again from filling the record.
const maxLateOutcomes = 8

// lateOutcomeHint tells the holder whether [op.keepLateOutcome] keeps its outcome.
func lateOutcomeHint(r *store.Record, digest string) string {
	if len(r.Late) >= maxLateOutcomes && r.LateDigest != digest {
		return fmt.Sprintf("It has %d late results already, so what you sent was not kept: send it to %s as a message.",
			maxLateOutcomes, r.From)
	}
	return fmt.Sprintf("What you sent was kept as a late result and %s was told.", r.From)
}

// keepLateOutcome keeps an outcome that came too late, and tells the sender. The state of the handoff does not change,
// because another agent may be at work on it or have finished it. The record names the event with the outcome.
// keepLateOutcome does nothing for an outcome that equals the last late outcome, or if [maxLateOutcomes] outcomes are
// kept already.
func (o *op) keepLateOutcome(r *store.Record, result schemas.LateResult, digest, summary string) error {
	if r.LateDigest == digest || len(r.Late) >= maxLateOutcomes {
		return nil
	}
	now := r.Clone()
	now.Late, now.LateDigest = append(now.Late, o.NextEventNumber()), digest
	text := "A late result came from " + string(o.By.Agent) + ": " + summary
	return o.Commit(&operation.RecordChange{Action: life.Late, Was: r, Now: &now, Text: text, Content: result})
}
