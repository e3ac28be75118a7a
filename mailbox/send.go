package mailbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/listing"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Send puts a handoff into the mailbox of an agent, or into the pool of a capability or role. A message becomes a
// notice instead. Agents read it and do not claim it. Any agent or person may call Send.
//
// The handoff is pending. Its parent is the handoff that the caller names, otherwise the handoff that the caller
// claimed last over the same connection and still holds. The handoff belongs to the workflow of its parent. With the
// parent "none" it begins a new workflow.
//
// The result has the position of the handoff in the mailbox if it is 100 or less, its dependencies, and for a pool the
// agents that could take it. It warns the sender, for example, of a recipient that the server has not seen. With
// dry_run the call only checks and reports. It sends and stores nothing.
//
// With options.each the work is sent once for each text of that list, as one part for each text. With options.join one
// more handoff is sent, which depends on all parts. All of these handoffs are sent, or none. The result describes the
// first handoff, and has the ids of all handoffs. The idempotency key holds for the whole call.
//
// A task has 4 KiB at most, a title 200 bytes, a summary 4,096 characters, detail and data together 65,536 characters,
// and the whole handoff 256 KiB. A handoff has at most 32 tags. The configuration can raise the limits of task, title
// and handoff.
//
// Errors:
//   - invalid: a field makes no sense, such as an empty task, a deadline in the past, or an output schema that does not
//     compile.
//   - limit: a text or a list is too long; a chain of parents would have more than ten handoffs; the workflow would
//     exceed one of its limits; the mailbox has 10,000 pending handoffs; the caller's token has its largest number of
//     pending handoffs.
//   - not_found: the recipient is not registered although other agents are; the parent, the workflow or a dependency
//     does not exist. The options can force an unregistered recipient.
//   - conflict: the recipient does not accept the type, which the options can force; a dependency ended without a
//     completion; the idempotency key was used for other content.
//
// A sender that repeats a send sends twice, unless it gives a key. The same key with the same content gets the first
// result, for as long as the store exists. If the process dies during the call, the store has the whole handoff or
// nothing. A repeated call with the key or with the request id gets the result.
func (s *Service) Send(ctx context.Context, by schemas.Caller, in schemas.SendIn) (schemas.SendOut, error) {
	if schemas.ValueOrZero(in.Options).Step != "" {
		return schemas.SendOut{}, schemas.Invalidf("options.step", "is set by the rules of a workflow alone").
			WithHint("Leave it out: a send to workflow:NAME begins a workflow. Nothing was sent.")
	}
	if kind, name := schemas.Address(in.To).Split(); kind == "workflow" {
		var err error
		if in, by.Rule, err = s.firstStepOfWorkflow(ctx, in, name); err != nil {
			return schemas.SendOut{}, err
		}
	}
	d, err := s.drafts.Make(by, in, s.Now())
	if err != nil {
		return schemas.SendOut{}, err
	}
	out, err := mutate(ctx, s, by, func(o *op) (schemas.SendOut, error) {
		out, err := o.sendDraft(&d)
		if err != nil && d.Handoff.Type != schemas.TypeMessage { // a message goes to an agent only
			err = o.adviseOtherNames(err)
		}
		if err == nil {
			err = cmp.Or(o.warnOfWorkflowName(in, &out), o.findRelatedQuestions(in, &out))
		}
		if in.DryRun {
			o.exceeded = nil // a dry run tells human nothing
		}
		if err == nil && in.DryRun {
			err = cmp.Or(o.previewSend(&out), error(errDryRun))
			out.HandoffID, out.NoticeID, out.Parts, out.Joined, out.Status = 0, 0, nil, 0, "dry_run"
		}
		return out, err
	})
	if errors.Is(err, errDryRun) {
		return out, nil
	}
	return out, err
}

// findRelatedQuestions finds the handoff whose question a send may answer, and the handoff about which it may ask: see
// [schemas.SendOut]. A send that names its handoff is an answer. A message to an agent that waits for the sender may be
// one, too. A message asks if it has a question mark, and work asks if it goes back to the agent that sent the parent.
func (o *op) findRelatedQuestions(in schemas.SendIn, out *schemas.SendOut) error {
	to, _ := out.To.SingleAgent()
	text, message := in.Title+" "+in.Task, out.NoticeID != 0
	named := []string{out.Parent.String()}
	if strings.Contains(text, "ho_") {
		named = append(named, schemas.IDsWithin(text)...)
	}
	if message || out.Parent != 0 || len(named) > 1 { // else the send answers nothing
		if err := o.findAnswered(to, named, message, out); err != nil {
			return err
		}
	}
	held := reading.RecordOrNil(o.View, out.Parent)
	if !o.isAtWorkOn(held) || message && !strings.Contains(text, "?") {
		return nil
	}
	answerer, err := reading.Answerer(o.View, held, o.By.Agent)
	if answerer == to {
		out.AsksOn = held.ID
	}
	return err
}

// findAnswered finds the handoff of an agent that waits for an answer of the caller: the newest one among the named
// ids, or else, for a message, the newest one.
func (o *op) findAnswered(to schemas.Agent, named []string, message bool, out *schemas.SendOut) error {
	for r, err := range o.HeldAmong(to, reading.AtMost(maxLookback, o.NewestFirst(store.IndexByHolder(to), 0))) {
		if err != nil {
			return err
		}
		switch asked, err := shouldAnswerQuestion(o.View, r, o.By.Agent); {
		case err != nil:
			return err
		case asked && slices.Contains(named, r.ID.String()):
			out.Answers = r.ID
			return nil
		case asked && message:
			out.Answers = cmp.Or(out.Answers, r.ID)
		}
	}
	return nil
}

// isAtWorkOn reports whether the caller holds a handoff, nil for none, and does not wait for the answer to a question.
func (o *op) isAtWorkOn(r *store.Record) bool {
	return r != nil && r.Holder == o.By.Agent && r.Status.IsHeld() && r.Status != schemas.Waiting
}

// previewSend adds to the result of a dry run the brief that the recipient would read, and the parts that the brief
// lacks: criteria, advice for a recipient that is stuck, and answers to open questions of the parent.
func (o *op) previewSend(out *schemas.SendOut) error {
	r, err := o.Record(out.HandoffID)
	if r == nil || err != nil {
		return err
	}
	h, err := reading.ReadHandoff(o.View, r)
	b, _, unread := o.reader.Brief(o.View, r, 0, false)
	if err = cmp.Or(err, unread); err != nil {
		return err
	}
	out.Brief, out.Missing = b.Text, contract.MissingInformation(h)
	if n := len(out.Parts); n > 0 {
		text := "this is the first of " + schemas.CountNoun(n, "part")
		if out.Joined != 0 {
			text += ", and one more waits for all of them"
		}
		out.Warnings = append(out.Warnings, text)
	}
	parent, err := o.Record(r.Parent)
	if parent == nil || err != nil || parent.Status != schemas.Waiting {
		return err
	}
	st, err := reading.CurrentState(o.View, parent)
	for _, q := range st.Questions {
		out.Missing = append(out.Missing, fmt.Sprintf("an answer to what %s still asks: %s", parent.ID, schemas.EscapeHidden(schemas.Shorten(q, 200))))
	}
	return err
}

// sendDraft sends a draft as a handoff. A draft of the type message becomes a notice. A repeated send with the same
// idempotency key gets the first result. Sends, continuations and rules of files call sendDraft. Consequences, such as
// a rollback, do not call it, because they must not be refused.
func (o *op) sendDraft(d *draft.Draft) (out schemas.SendOut, err error) {
	if d.Parts == nil {
		if d, err = o.resolveAddresses(d); err != nil {
			return out, err
		}
	}
	if first, err := o.repeatedSend(d); first != nil || err != nil {
		return schemas.ValueOrZero(first), err
	}
	if d.Parts != nil {
		if out, err = o.sendPartsAndJoin(d.Parts, d.Join); err != nil {
			return out, err
		}
		return out, o.storeResultUnderKey(d, out)
	}
	warnings, err := o.checkDraft(d)
	if err != nil {
		return out, adviseForce(err)
	}
	if d.Handoff.Type == schemas.TypeMessage {
		out, err = o.sendMessage(d)
	} else {
		out, err = o.sendHandoff(d)
	}
	if err != nil {
		return out, err
	}
	out.Warnings = slices.Concat(warnings, out.Warnings)
	return out, o.storeResultUnderKey(d, out)
}

// checkDraft refuses a draft that the caller may not send to its recipient. A message must go to one agent. It does not
// count as a pending handoff of the caller's token, because no agent has to end it. The checks use the record that the
// send would write, without its id and its lineage.
func (o *op) checkDraft(d *draft.Draft) (warnings []string, err error) {
	to, directed := d.To.SingleAgent()
	switch message := d.Handoff.Type == schemas.TypeMessage; {
	case !message && o.By.MaxPending > 0:
		err = o.checkPendingLimit()
	case message && !directed:
		err = schemas.Invalidf("to", "a message goes to one agent, not to %s", d.To).
			WithHint("Name an agent, or send work with another type.").WithNext(schemas.AdviseCall(schemas.AgentsIn{}, "shows who is here"))
	}
	if err != nil {
		return nil, err
	}
	sent := o.newRecord(0, d, lineage{})
	review := sent.Reviewer
	// The reviewer is removed, because checkReviewer does not check a reviewer that the record already has. The sender
	// is set, because a draft that was held back may name another sender.
	sent.From, sent.Reviewer = o.By.Agent, ""
	warnings, err = o.checkRecipient(sent, d.Force)
	if o.By.Borrowed && directed && to == o.By.Agent {
		warnings = append(warnings, fmt.Sprintf(
			"you act as %s, so %s sends this to itself: if you are not %s, cancel this and send it under your own name", to, to, to))
	}
	warnings = append(warnings, o.warnOfChecks(d.Handoff.Expectations)...)
	if err != nil || review == "" {
		return warnings, err
	}
	more, err := o.checkReviewer(sent, d.To, review, d.Force)
	return append(warnings, more...), err
}

// warnOfChecks warns of each asked check that could not run in the caller's checkout now.
func (o *op) warnOfChecks(e *schemas.Expectations) (warnings []string) {
	preview := schemas.ValueOrZero(schemas.ValueOrZero(o.By.CheckReport).Preview)
	for _, check := range schemas.ValueOrZero(e).Checks {
		why := preview.Unread
		if len(preview.Listed) > 0 && !slices.Contains(preview.Listed, check) {
			why = "the list of checks at this commit has " + strings.Join(preview.Listed, ", ")
		}
		if why != "" {
			warnings = append(warnings, fmt.Sprintf("the check %s would not run now: %s", check, schemas.EscapeHidden(why)))
		}
	}
	return warnings
}

// sendHandoff sends a checked draft as a handoff: it finds the lineage of the draft, creates the handoff, and makes the
// result with the warnings.
func (o *op) sendHandoff(d *draft.Draft) (out schemas.SendOut, err error) {
	line, err := o.findLineage(d)
	if err = cmp.Or(err, o.checkReferences(d.Handoff.Context)); err != nil {
		return out, err
	}
	r, err := o.createHandoff(d, line)
	if err != nil {
		return out, err
	}
	out, err = o.sendResult(r)
	if err != nil {
		return out, err
	}
	out.Warnings = d.Warnings
	for _, warn := range sendWarnings {
		more, err := warn(o, d, r)
		if err != nil {
			return out, err
		}
		out.Warnings = append(out.Warnings, more...)
	}
	return out, nil
}

// sendWarnings are all warnings for the sender of a new handoff, in this order.
var sendWarnings = []func(*op, *draft.Draft, *store.Record) ([]string, error){
	(*op).warnOfUnclaimed, (*op).warnOfUnknownNames, (*op).warnOfRepeat, (*op).warnOfLastAttempt, (*op).warnOfEmptyRecall,
	func(o *op, d *draft.Draft, r *store.Record) ([]string, error) {
		return o.warnOfUnraisedLimits(r.Workflow, d.Limits)
	},
	func(o *op, _ *draft.Draft, r *store.Record) ([]string, error) {
		return o.warnOfPartialDependencies(r), nil
	},
}

// warnOfLastAttempt warns the sender of work that was attempted so often before that only one attempt is left. If the
// sender's maximum is lower than the number of attempts, the warning says which number counts.
func (*op) warnOfLastAttempt(d *draft.Draft, r *store.Record) ([]string, error) {
	if d.Attempt == 0 || r.Attempt+1 < r.MaxAttempts {
		return nil, nil
	}
	number := fmt.Sprintf("this is attempt %d", d.Attempt+1)
	if d.Attempt > r.Attempt {
		number += fmt.Sprintf(", and counts as attempt %d", r.MaxAttempts)
	}
	return []string{fmt.Sprintf("%s of %d, the last one: options.max_attempts allows more", number, r.MaxAttempts)}, nil
}

// warnOfEmptyRecall warns the sender of a recall that finds nothing.
func (o *op) warnOfEmptyRecall(d *draft.Draft, r *store.Record) ([]string, error) {
	found, err := reading.RecalledTexts(o.View, &d.Handoff, r)
	if d.Handoff.Metadata.Recall == 0 || len(found) > 0 || err != nil {
		return nil, err
	}
	return []string{"options.recall found nothing: no earlier handoff shares words, tags or files with this one"}, nil
}

// sendResult makes the result of a send, with the candidates of a pool. The position is that in the mailbox, from 1 to
// 100. It is zero for a handoff that cannot be claimed yet, and for a handoff further back.
func (o *op) sendResult(r *store.Record) (out schemas.SendOut, err error) {
	out = schemas.SendOut{
		HandoffID: r.ID, Status: string(r.Status), To: r.To, Workflow: r.Workflow, Parent: r.Parent, BlockedBy: listing.BlockerTexts(r),
		Deadline: r.Deadline.Ptr(), NotBefore: r.NotBefore.Ptr(),
	}
	first, err := reading.Collect(reading.AtMost(100, o.ClaimableHandoffs(r.Box)))
	if err != nil {
		return out, err
	}
	out.Position = 1 + slices.Index(first, r.ID)
	if _, directed := r.To.SingleAgent(); directed {
		return out, nil
	}
	if out.Routed = o.routed; out.Routed == nil { // the handoff cannot be claimed yet
		_, out.Routed, err = o.rankCandidates(o.View, r)
	}
	return out, err
}

// sendMessage leaves a notice with an agent. It makes no record, because no agent claims or ends a message. The notice
// keeps all sent content. If the sender holds or names a handoff, the notice is about that handoff, and its event is
// one of that handoff.
func (o *op) sendMessage(d *draft.Draft) (out schemas.SendOut, err error) {
	n := schemas.Notice{
		To: schemas.Agent(d.To), From: o.By.Agent, Rule: d.Handoff.ByRule().String(), At: o.Now, Kind: schemas.TypeMessage,
		Title: "Handoff: " + d.Handoff.Title, Text: d.Handoff.Task, Body: d.Content.Bytes,
	}
	parent, err := o.findParent(d)
	if err != nil {
		return out, err
	}
	if parent != nil {
		n.About = parent.ID
	}
	id, err := o.AddNotice(n)
	if err != nil {
		return out, err
	}
	o.WakeAfterCommit(d.To)
	out = schemas.SendOut{NoticeID: id, Status: "delivered", To: d.To, Parent: n.About}
	if parent == nil {
		return out, o.RecordEvent(life.Message, d.Content)
	}
	return out, o.Commit(&operation.RecordChange{Action: life.Message, Was: parent, Now: new(parent.Clone()), Content: d.Content})
}

// errDryRun undoes a dry run. The caller still gets the result.
const errDryRun operation.UndoError = "it was a dry run"
