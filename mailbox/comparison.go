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

// comparison is what a completion says to what a handoff asked for, compared before the transaction: a schema may take
// long to check, and there is one writer. The transaction then checks by the number of the event that the handoff still
// asks for the same. The zero promise means that nobody has compared yet.
type comparison struct {
	body     uint64 // the event whose content was compared
	refused  uint64 // the refusal that was known then
	criteria []schemas.Answered
	output   json.RawMessage // as it meets the schema
	conforms bool            // there is a schema
	err      error           // told only to the holder
}

// compare holds what came back against what was asked for, on a snapshot, and keeps the verdict in the promise: its
// error is told only to the holder, once the transaction has found that the caller is that. For a handoff that asks for
// nothing the promise is empty. Its own error is not_found, or that of a store that cannot be read.
func (s *Service) compare(ctx context.Context, by schemas.Caller, id string, in schemas.CompleteIn) (comparison, error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (comparison, error) {
		asked, err := reading.Find(v, id, by.Agent)
		if err != nil {
			return comparison{}, err
		}
		return newComparison(v, by, asked, in)
	})
}

// newComparison is the promise of what came back for a handoff. Its own error is that of a store that cannot be read.
func newComparison(v *store.View, by schemas.Caller, asked *store.Record, in schemas.CompleteIn) (comparison, error) {
	var h schemas.Handoff
	var before schemas.Refusal
	err := cmp.Or(v.DecodeContent(asked.ID, asked.Body, &h), v.DecodeContent(asked.ID, asked.Refused, &before))
	if err != nil || !needsComparison(asked, by.CheckReport) {
		return comparison{}, err
	}
	p := comparison{body: asked.Body, refused: asked.Refused, output: in.Output}
	seen := schemas.OrZero(by.CheckReport)
	seen.Failed = before.Failed
	p.criteria, p.err = contract.Compare(h.Expectations, in.Verification, in.Outcome == schemas.Partial, &seen)
	if p.err == nil {
		p.err = contract.CheckStrict(h.Expectations, completionOf(in))
	}
	if p.err == nil && h.Expectations != nil && len(h.Expectations.OutputSchema) > 0 {
		p.conforms = true
		p.output, p.err = contract.Conform(h.Expectations.OutputSchema, in.Output)
	}
	return p, nil
}

// needsComparison tells whether a completion is compared: with what was asked for, or with what the repository asks of all
// work, also when a check of that failed before.
func needsComparison(r *store.Record, seen *schemas.CheckReport) bool {
	return r.Promises || r.Refused != 0 || len(seen.Checks()) > 0
}

// answered gives the criteria as they were answered, or why the completion is refused: errNotCompared, so that the
// caller of the transaction compares and tries again; conflict if the content changed since it was compared, and for a
// strict handoff with unmet criteria; else the error of package contract, with what to do.
func (p comparison) check(r *store.Record, seen *schemas.CheckReport) ([]schemas.Answered, error) {
	switch {
	case !needsComparison(r, seen):
		return nil, nil
	case p.body == 0, p.refused != r.Refused:
		return nil, errNotCompared
	case p.body != r.Body:
		return nil, operation.Conflict(r, "what %s asks for was changed just now", r.ID).
			WithHint("Read it again, then complete it.").WithNext(schemas.Call(schemas.GetIn{HandoffID: r.ID.String()}, "shows it"))
	case p.err != nil:
		e := schemas.AsError(p.err).About(r.ID, r.Status, 0)
		if e.Code == schemas.Conflict { // it is strict, or a check does not pass
			e = e.WithNext(holderAdvice(life.Ask, r.ID, ""), holderAdvice(life.Fail, r.ID, ""))
		}
		return nil, e
	}
	return p.criteria, nil
}

// maxRefusals is how many refusals of one attempt are kept, so that a holder that repeats itself cannot fill the record.
const maxRefusals = 8

// refuseResult tells the holder why its completion is refused, and keeps that with the handoff, see [life.RefuseResult].
// The error undoes the transaction where nothing is kept.
func (o *op) refuseResult(r *store.Record, digest string, why *schemas.Error) error {
	var before schemas.Refusal
	if err := o.DecodeContent(r.ID, r.Refused, &before); err != nil {
		return err
	}
	refusal := schemas.Refusal{Note: why.Message, Failed: o.failedChecks(before), Tree: o.By.Tree, Result: digest}
	full := r.Refusals >= maxRefusals*max(r.Attempt, 1) && len(refusal.Failed) <= len(before.Failed) // a new failure is kept
	if full || refusal.Same(before) {
		return why
	}
	o.Refuse(why)
	refused := &operation.Happening{Action: life.RefuseResult, Content: refusal, ContentName: "refusal"}
	return o.Change(refused, r, func(now *store.Record) { now.Refused, now.Refusals = o.NextEvent(), r.Refusals+1 })
}

// failedChecks are the checks that were just seen not to pass, and those of an earlier refusal at which nobody looked since.
func (o *op) failedChecks(before schemas.Refusal) (failed []schemas.Observation) {
	sight := schemas.OrZero(o.By.CheckReport)
	for _, now := range sight.Observed {
		if !now.Passed {
			now.Tail = strings.ToValidUTF8(now.Tail[max(0, len(now.Tail)-maxTail):], "")
			failed = append(failed, now)
		}
	}
	return append(failed, slices.DeleteFunc(before.Failed, func(was schemas.Observation) bool { return sight.Observation(was.Check) != nil })...)
}

// maxTail is how much is kept of what a failing check printed, in bytes.
const maxTail = 1 << 10

// errNotCompared undoes an operation on a handoff that asked for something which nobody has compared yet. The method
// around the transaction compares, and tries again.
const errNotCompared operation.Undo = "what was asked for is to be compared first"
