package mailbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Complete ends a handoff with a result. Its holder calls it, and proves that with the claim token or by calling over
// the connection that claimed; on the command line the person at the keyboard is trusted.
//
// Every criterion of the expectations is answered, by its text or by its number, and the output meets the schema, if
// one was sent. The outcome is success, or partial when a criterion is not met. The handoff is completed, its sender is
// told, and the handoffs that wait for it may go on. With continuation.to another handoff is sent in the same
// transaction, with the completed one as its parent. Where the sender asked for a review, that is sent, and all else
// goes on once the result is accepted. Of a review, the verdict takes effect.
//
// Errors:
//   - invalid: an empty summary; a criterion that is not answered, or not one of this handoff; an output that does not
//     meet its schema; a claim without proof.
//   - limit: a summary of more than 4 KiB, detail and data of more than 64 KiB, a result of more than 256 KiB.
//   - not_found: there is no handoff with the id.
//   - denied: the caller does not hold it, or the token was never good for it.
//   - conflict: it ended otherwise; what it asks for was changed since the result was compared; it is strict and a
//     criterion is not met; a check was seen not to pass and the result does not say that it is partial.
//   - stale: the claim was lost, or the handoff was cancelled, timed out or returned. Then the result is kept as a late
//     one, eight at most, and the sender is told.
//   - those of [Service.Send] for the continuation, with its field. Then nothing is completed either. But a limit of the
//     workflow refuses no completion: the continuation is not sent, the result warns, and human is told.
//
// A holder that repeats the same result gets the first result, with a warning. If the process dies during the call, the
// completion, its consequences and the continuation are there together or not at all, and the holder repeats the call.
func (s *Service) Complete(ctx context.Context, by schemas.Caller, in schemas.CompleteIn) (schemas.CompleteOut, error) {
	if strings.TrimSpace(in.Summary) == "" {
		return schemas.CompleteOut{}, schemas.Invalidf("summary", "must not be empty").
			WithHint("Say what was done or found, in a few sentences.")
	}
	if err := draft.CheckPayload(in.Summary, in.Detail, in.Data); err != nil {
		return schemas.CompleteOut{}, err
	}
	forward, err := s.forward(by, in)
	if err != nil {
		return schemas.CompleteOut{}, err
	}
	id, token := in.HandoffID, in.Token
	in.HandoffID, in.Token = "", "" // a repeat may spell them otherwise
	digest, err := draft.DigestOf(in)
	if err != nil {
		return schemas.CompleteOut{}, err
	}
	var kept promise
	try := func(o *op) (schemas.CompleteOut, error) {
		return judge(o, life.Complete, outcomes[schemas.CompleteOut]{
			id: id, token: token, digest: digest,
			first: func(r *store.Record) (schemas.CompleteOut, error) {
				return o.complete(r, in, digest, kept, forward)
			},
			repeat: o.completedBefore,
			late:   func(r *store.Record) error { return o.lateCompletion(r, in, digest) },
		})
	}
	for {
		out, err := mutate(ctx, s, by, try)
		if !errors.Is(err, errNotCompared) {
			return out, err
		}
		if kept, err = s.compare(ctx, by, id, in); err != nil {
			return out, err
		}
	}
}

// complete ends the record with a result that was compared before. All that the caller may be refused for comes before
// the commit; what follows may still refuse the continuation, which undoes everything.
func (o *op) complete(
	r *store.Record, in schemas.CompleteIn, digest string, kept promise, forward *draft.Draft,
) (out schemas.CompleteOut, err error) {
	now, err := o.step(life.Complete, r)
	if err != nil {
		return out, err
	}
	done, err := o.completion(r, in, kept)
	if err != nil {
		return out, err
	}
	now.Result = o.next()
	o.end(&now)
	now.Outcome, now.ResultDigest, now.Percent = done.Status, digest, 100
	out = schemas.CompleteOut{
		HandoffID: r.ID, Status: now.Status, Outcome: done.Status, CompletionID: done.CompletionID,
		Unmet: contract.Unmet(done.Criteria), Warnings: o.doubts(r, in, done),
	}
	if err := o.tx.AddWords(r.ID, reading.DeliveredWords(done)); err != nil {
		return out, err
	}
	if r.Reviewer != "" {
		if err := o.holdBack(forward, &out); err != nil {
			return out, err
		}
		forward = nil
	}
	err = o.commit(happening{
		action: life.Complete, was: r, now: &now, text: completionText(r, done), forward: forward, said: done, part: "completion",
	})
	if err != nil {
		return out, err
	}
	others, err := o.beside(&now)
	if err != nil {
		return out, err
	}
	out.Warnings = append(out.Warnings, others...)
	followed, err := o.follow()
	if out.Forwarded = followed.forwarded; followed.unsent != "" {
		out.Warnings = append(out.Warnings, followed.unsent)
	}
	return out, err
}

// completion is the message of a completion, under the number of the next event. The errors are those of
// [promise.answered], and that of a review without a verdict.
func (o *op) completion(r *store.Record, in schemas.CompleteIn, kept promise) (done schemas.Completion, err error) {
	done = completionOf(in)
	if done.Criteria, err = kept.answered(r, o.by.Sight); err != nil {
		return done, err
	}
	if done.Tree = o.by.Tree; kept.body != 0 {
		done.Output = kept.output
	}
	if err := checkVerdict(r, done.Output); err != nil {
		return done, err
	}
	if done.Status = contract.Outcome(done.Criteria); in.Outcome == schemas.Partial {
		done.Status = schemas.Partial
	}
	done.CompletionID = fmt.Sprintf("comp_%d", o.next())
	done.HandoffID, done.Timestamp, done.Source = r.ID, o.now, o.signature()
	return done, nil
}

// completionOf is the message of a completion, before it has an id, a time and answers.
func completionOf(in schemas.CompleteIn) schemas.Completion {
	done := schemas.Completion{Result: in.Result, Origin: in.Origin}
	done.Version = max(done.Version, 1)
	return done
}

// doubts are what a holder is warned of in its result.
func (o *op) doubts(r *store.Record, in schemas.CompleteIn, done schemas.Completion) []string {
	warnings := slices.Concat(
		contract.Doubts(done), contract.Unseen(done), contract.Claimed(done.Criteria, o.by.Sight), compose.Aside(in.Origin))
	if origin := schemas.OrZero(in.Origin); origin.Status != "" && in.Outcome == "" {
		warnings = append(warnings, fmt.Sprintf("the status %q decided nothing", schemas.Visible(schemas.Clip(origin.Status, 80))))
	}
	if r.Status == schemas.Waiting && r.Permission {
		warnings = append(warnings, "a permission was asked for and not granted")
	}
	return warnings
}

// completionText is what the sender is told of a completion: who reviews it, the verdict of a review, how many criteria
// are not met, the summary, and whom the holder suggests for what comes next.
func completionText(r *store.Record, done schemas.Completion) string {
	text := done.Summary
	if unmet := contract.Unmet(done.Criteria); len(unmet) > 0 {
		text = fmt.Sprintf("%d of %d criteria are not met. %s", len(unmet), len(done.Criteria), text)
	} else if done.Status == schemas.Partial {
		text = "It is done in part. " + text
	}
	if c := done.Continuation; c != nil && c.SuggestedNext != "" {
		text += fmt.Sprintf(" Suggested next: %s. %s", c.SuggestedNext, c.Reason)
	}
	if r.Reviews != 0 {
		text = verdictIn(done.Output).Verdict + ": " + text
	}
	if r.Reviewer != "" {
		text = fmt.Sprintf("It counts once it was reviewed by %s: %s", r.Reviewer, text)
	}
	return text
}

// completedBefore gives a repeat the first result. What was passed on then is shown as it stands now. It says what was
// recorded, whatever became of the result since: an acceptance is not told here.
func (o *op) completedBefore(r *store.Record) (out schemas.CompleteOut, err error) {
	var done schemas.Completion
	if err := o.Saying(r.ID, r.Result, &done); err != nil {
		return out, err
	}
	out = schemas.CompleteOut{
		HandoffID: r.ID, Status: r.Status, Outcome: done.Status, CompletionID: done.CompletionID,
		Unmet: contract.Unmet(done.Criteria), Warnings: []string{"this was recorded before"},
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
		out.Forwarded = sentAs(next)
	}
	return out, nil
}

// lateCompletion keeps a completion that came too late. Its criteria are not compared: nobody acts on it but a reader.
func (o *op) lateCompletion(r *store.Record, in schemas.CompleteIn, digest string) error {
	done := completionOf(in)
	done.HandoffID, done.Timestamp, done.Source, done.Late = r.ID, o.now, o.signature(), true
	done.Status = cmp.Or(in.Outcome, schemas.Success) // as it says itself
	if v := in.Verification; v != nil && slices.ContainsFunc(v.Criteria, func(c schemas.Criterion) bool { return !c.Met }) {
		done.Status = schemas.Partial
	}
	return o.keepLate(r, schemas.Late{Completion: &done}, digest, in.Summary)
}

// promise is what a completion says to what a handoff asked for, compared before the transaction: a schema may take
// long to check, and there is one writer. The transaction then checks by the number of the event that the handoff still
// asks for the same. The zero promise means that nobody has compared yet.
type promise struct {
	body     uint64 // the event whose content was compared
	criteria []schemas.Answered
	output   json.RawMessage // as it meets the schema
	err      error           // told only to the holder
}

// compare holds what came back against what was asked for, on a snapshot, and keeps the verdict in the promise: its
// error is told only to the holder, once the transaction has found that the caller is that. For a handoff that asks for
// nothing the promise is empty. Its own error is not_found, or that of a store that cannot be read.
func (s *Service) compare(ctx context.Context, by schemas.Caller, id string, in schemas.CompleteIn) (promise, error) {
	var h schemas.Handoff
	var asked *store.Record
	err := s.Store.View(ctx, func(v *store.View) (err error) {
		if asked, err = reading.Find(v, id, by.Agent); err != nil {
			return err
		}
		h = schemas.Handoff{}
		return v.Saying(asked.ID, asked.Body, &h)
	})
	if err != nil || !promises(asked, by.Sight) {
		return promise{}, coded(err)
	}
	p := promise{body: asked.Body, output: in.Output}
	p.criteria, p.err = contract.Compare(h.Expectations, in.Verification, in.Outcome == schemas.Partial, by.Sight)
	if p.err == nil && h.Expectations != nil && len(h.Expectations.OutputSchema) > 0 {
		p.output, p.err = contract.Conform(h.Expectations.OutputSchema, in.Output)
	}
	return p, nil
}

// promises tells whether a completion is compared: with what was asked for, or with what the repository asks of all
// work.
func promises(r *store.Record, seen *schemas.Sight) bool {
	return r.Promises || len(seen.Checks()) > 0
}

// answered gives the criteria as they were answered, or why the completion is refused: errNotCompared, so that the
// caller of the transaction compares and tries again; conflict if the content changed since it was compared, and for a
// strict handoff with unmet criteria; else the error of package contract, with what to do.
func (p promise) answered(r *store.Record, seen *schemas.Sight) ([]schemas.Answered, error) {
	switch {
	case !promises(r, seen):
		return nil, nil
	case p.body == 0:
		return nil, errNotCompared
	case p.body != r.Body:
		return nil, conflict(r, "what %s asks for was changed just now", r.ID).
			WithHint("Read it again, then complete it.").WithNext(schemas.Call(schemas.GetIn{HandoffID: r.ID.String()}, "shows it"))
	case p.err != nil:
		e := schemas.AsError(p.err).About(r.ID, r.Status, 0)
		if e.Code == schemas.Conflict { // it is strict, or a check does not pass
			e = e.WithNext(holderDoes(life.Ask, r.ID, ""), holderDoes(life.Fail, r.ID, ""))
		}
		return nil, e
	}
	return p.criteria, nil
}

// forward drafts the handoff that a completion passes on, nil for none, before the transaction. What the continuation
// leaves out it has from the completion: the summary and the reason. The errors are those of [draft.Maker.One], with
// the field below continuation; invalid for one without a task. The draft is made before it is known whether the caller
// holds the handoff, so its errors come first. It reads nothing from the store.
func (s *Service) forward(by schemas.Caller, in schemas.CompleteIn) (_ *draft.Draft, err error) {
	c := in.Continuation
	if c == nil || c.To == "" {
		return nil, nil
	}
	send := c.SendIn
	options := schemas.OrZero(send.Options)
	options.Reason = cmp.Or(options.Reason, c.Reason)
	send.Options = &options
	if send.Task == "" {
		return nil, schemas.Invalidf("continuation.task", "is needed to pass on to %s", c.To).
			WithHint("Say what %s is to do, or pass nothing on.", c.To)
	}
	send.Summary = cmp.Or(send.Summary, in.Summary) // what was just found is what the next one needs
	if send.Context, err = compose.WithContext(send.Context, c.ContextForNext); err != nil {
		return nil, err
	}
	d, err := s.drafts.One(by, send, s.Now())
	return &d, schemas.Within("continuation", err)
}

// passOn sends the continuation of a completed handoff, as its child unless it names another parent, and notes on the
// completed one what it passed on. It is refused like any send; then the completion is undone with it, and the error
// says so, but where a limit of the workflow refuses it. A message is passed on as a notice and noted nowhere. The draft
// may be used by another run of the transaction, so a copy of it is changed. It comes from the holder, also where the
// caller acted under another name over the connection that claimed.
func (o *op) passOn(h *happening) (*schemas.SendOut, error) {
	r, next := h.now, *h.forward
	next.Parent = cmp.Or(next.Parent, r.ID.String())
	if next.Handoff.Source.Agent != o.by.Agent { // the token said who it is
		next.Handoff.Source.Agent = o.by.Agent
		if err := o.drafts.Encode(&next); err != nil {
			return nil, err
		}
	}
	sent, err := o.deliver(&next)
	if err != nil && (o.over != nil || h.action == life.Accept) {
		return nil, err // which refuses the continuation alone
	}
	if err != nil {
		e := schemas.AsError(schemas.Within("continuation", err))
		hint := strings.TrimSpace(fmt.Sprintf("%s %s was not completed either.", e.Hint, r.ID))
		return nil, e.About(0, "", 0).WithHint("%s", hint).WithNext()
	}
	if sent.HandoffID == 0 {
		return &sent, nil
	}
	now := r.Clone()
	now.Forwarded = sent.HandoffID
	return &sent, o.commit(happening{action: life.Forward, was: r, now: &now, other: sent.HandoffID})
}
