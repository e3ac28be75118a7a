package mailbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/draft"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// A reviewed result counts only after it is accepted. Until then the handoff is completed, its dependents stay blocked,
// and its continuation is not sent. The review is another handoff: a child of the work, from the sender of the work.
// Its verdict accepts or returns the work. The record of the work names the latest review.

// checkReviewer refuses a reviewer that is also the recipient of the work, unless the sender forces it and no other
// agent could review. It also refuses a reviewer to which no work can be sent. If r is itself a review, r cannot have a
// reviewer, and its recipient must not have done the reviewed work or declined to review. For a draft, r has only the
// fields that are known before the send.
func (o *op) checkReviewer(r *store.Record, to schemas.Address, review string, force bool) (warnings []string, err error) {
	target := schemas.Agent(to)
	switch {
	case r.ReviewOf != 0 && review != "":
		return nil, schemas.Invalidf(reviewField, "%s is a review itself", r.ID).WithHint("Leave it out.")
	case r.ReviewOf != 0 && slices.Contains(r.Excluded, target):
		return nil, operation.ConflictError(r, "%s did the work that %s reviews, or declined to", to, r.ID).WithField("to").WithHint("Name another.")
	case review == "":
		return nil, nil
	}
	reviewer, warnings, err := o.namedReviewer(review, r, force)
	if err != nil {
		return nil, err
	}
	if _, directed := reviewer.SingleAgent(); !directed {
		why, err := o.whyNoReviewer(to, reviewer)
		if why != "" && len(warnings) == 0 {
			warnings = []string{fmt.Sprintf("%s: %s: name another, or human", reviewField, why)}
		}
		return warnings, err
	}
	if _, directed := to.SingleAgent(); !directed || reviewer != to {
		return warnings, nil // the review of work of a pool excludes the agent that did the work
	}
	others, err := o.otherReviewers(target, r.From)
	if err != nil || force && len(others) == 0 {
		return warnings, err
	}
	return nil, schemas.Errorf(schemas.Conflict, "%s would review its own work", to).WithField(reviewField).
		WithAgentChoices(others).
		WithHint("Name another, or human. Where nobody else could, force it.")
}

const reviewField = "expectations.review"

// namedReviewer returns the address of the reviewer that the sender of r names. It checks a new reviewer like the
// recipient of a send.
func (o *op) namedReviewer(review string, r *store.Record, force bool) (_ schemas.Address, warnings []string, err error) {
	reviewer := schemas.Address(review)
	switch review {
	case schemas.ReviewBySender:
		return schemas.Address(r.From), nil, nil
	case r.Reviewer:
		return reviewer, nil, nil
	}
	if warnings, err = o.checkRecipient(&store.Record{To: reviewer, Type: schemas.TypeReview}, force); err != nil {
		e := schemas.AsError(err).WithField(reviewField)
		return "", nil, e.WithHint("Name one of the known, a pool, human, or sender for yourself. %s", e.Hint)
	}
	return reviewer, schemas.Map(warnings, func(w string) string { return reviewField + ": " + w }), nil
}

// otherReviewers returns the agents that could review work of the author: its sender, and other agents that
// registered for reviews or for any work.
func (o *op) otherReviewers(author, sender schemas.Agent) (others []schemas.Agent, err error) {
	if sender != author && sender != schemas.System {
		others = []schemas.Agent{sender}
	}
	able, err := o.Offers().AgentsWith(func(c schemas.Card) bool { return c.Registered && !c.Away && roster.AcceptsReviews(c) })
	return append(others, slices.DeleteFunc(able, func(a schemas.Agent) bool { return a == author || a == sender })...), err
}

// sendReview sends a result to its reviewer, see [life.SendReview].
func (o *op) sendReview(h *operation.RecordChange) (came operation.ConsequenceResult, err error) {
	var review *store.Record
	err = o.TryPart(func() error {
		to, err := o.chooseReviewer(h.Now)
		if err == nil {
			review, err = o.createReview(h.Now, to, "", nil)
		}
		return err
	})
	if err != nil {
		came.Unsent = fmt.Sprintf("nobody was asked to review it, and human was told: %s", schemas.AsError(err).Message)
		return came, o.tellOwnerOfUnsent(h.Now, fmt.Sprintf("The review of %s, which its sender now accepts or returns", h.Now.ID), err)
	}
	came.Forwarded = sendResultFor(review)
	return came, nil
}

// chooseReviewer returns the reviewer of a result: the named reviewer, or the sender. If that agent did the work, the
// sender reviews instead, or human if the sender did the work. A reviewer that did the work stays only if the sender
// forced it and no other agent could review.
func (o *op) chooseReviewer(r *store.Record) (schemas.Address, error) {
	sender, err := reading.AgentToNotify(o.View, r)
	if err != nil {
		return "", err
	}
	to := schemas.Address(r.Reviewer)
	if r.Reviewer == schemas.ReviewBySender {
		to = schemas.Address(sender)
	}
	if to != schemas.Address(r.Holder) {
		return to, nil
	}
	others, err := o.otherReviewers(r.Holder, sender)
	switch {
	case to == r.To && len(others) == 0:
	case sender != r.Holder:
		to = schemas.Address(sender)
	default:
		to = schemas.Address(schemas.Human)
	}
	return to, err
}

// createReview creates the handoff that judges the result of r. It excludes the given agents and the agent that did the
// work. If no agent takes the review, it goes to the sender of the work, or to human. The error is limit if the
// workflow would exceed a limit, or if the chain of parents would be too long. Only a review by human may exceed the
// limit of the chain.
func (o *op) createReview(r *store.Record, to schemas.Address, why string, excluded []schemas.Agent) (*store.Record, error) {
	line := lineage{}.childOf(r)
	if err := o.checkChainLength(line, r); err != nil && to != schemas.Address(schemas.Human) {
		return nil, err
	}
	var asked schemas.Handoff
	var done schemas.Completion
	if err := cmp.Or(o.DecodeContent(r.ID, r.Body, &asked), o.DecodeContent(r.ID, r.Result, &done)); err != nil {
		return nil, err
	}
	of := schemas.Review{Of: r.ID, Round: max(r.Round, 1), Rounds: asked.Expectations.MaxRoundsOrDefault(), By: r.Holder}
	d := &draft.Draft{Handoff: compose.ReviewHandoff(asked, done, of, why), To: to, Excluded: slices.Clone(excluded)}
	if to != schemas.Address(r.Holder) && !slices.Contains(excluded, r.Holder) {
		d.Excluded = append(d.Excluded, r.Holder)
	}
	h := &d.Handoff
	h.Title, h.Task = schemas.Clip(h.Title, o.Limits.Title), schemas.Clip(h.Task, o.Limits.Task)
	h.Source = schemas.Source{Agent: r.From}
	sender, err := reading.AgentToNotify(o.View, r)
	switch {
	case err != nil:
		return nil, err
	case to == schemas.Address(schemas.Human):
		h.Kind = "escalation"
	case to == schemas.Address(sender) || sender == r.Holder:
		h.Metadata.NoTakers = "human"
	default:
		h.Metadata.NoTakers = "return"
	}
	return o.createWithFieldsOf(r, d, line)
}

// recordReview notes the review on the record of the reviewed work.
func (o *op) recordReview(review *store.Record) error {
	r, err := o.Record(review.ReviewOf)
	if err != nil || r.Status != schemas.Completed {
		return err
	}
	return o.recordCreatedHandoff(r, review.ID, func(now *store.Record) { now.Review = review.ID })
}

// checkVerdict refuses the completion of a review that has no verdict, or that has the verdict "rework" without a point
// to mend.
func checkVerdict(r *store.Record, output json.RawMessage) error {
	if r.ReviewOf == 0 {
		return nil
	}
	v := verdictIn(output)
	switch {
	case v.Verdict != schemas.VerdictAccept && v.Verdict != schemas.VerdictRework:
		return schemas.Invalidf("output.verdict", "is %s or %s, for %s", schemas.VerdictAccept, schemas.VerdictRework, r.ReviewOf)
	case v.Verdict == schemas.VerdictRework && len(v.Points) == 0:
		return schemas.Invalidf("output.points", "are needed with %s", schemas.VerdictRework).
			WithHint("Say what is to be mended, one point each.")
	}
	return nil
}

// verdictIn returns the verdict in an output, without empty points.
func verdictIn(output json.RawMessage) (v schemas.Verdict) {
	if json.Unmarshal(output, &v) != nil {
		return schemas.Verdict{}
	}
	v.Points = slices.DeleteFunc(v.Points, func(point string) bool { return strings.TrimSpace(point) == "" })
	return v
}

// reviewedWork returns the work that a review should judge. It returns nil if the work was judged already, or if a
// later review has replaced this review.
func (o *op) reviewedWork(review *store.Record) *store.Record {
	r := o.UsableRecord(review.ReviewOf)
	if r == nil || r.Review != review.ID || r.Status != schemas.Completed || r.Accepted != 0 {
		return nil
	}
	return r
}

// applyVerdict accepts or returns the reviewed work by the verdict of its review, see [life.ApplyVerdict].
func (o *op) applyVerdict(h *operation.RecordChange) (came operation.ConsequenceResult, err error) {
	r := o.reviewedWork(h.Now)
	done, _ := h.Content.(schemas.Completion)
	if r == nil {
		return came, nil
	}
	v := verdictIn(done.Output)
	in := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAccept, Note: schemas.Clip(done.Summary, o.Limits.Task)}
	if v.Verdict == schemas.VerdictAccept {
		_, err = o.accept(r, in, &schemas.UpdateOut{})
		return came, err
	}
	in.Action, in.Changes = schemas.ActReturn, &schemas.Changes{Expectations: &schemas.Expectations{SuccessCriteria: v.Points}}
	var out schemas.UpdateOut
	next := (*store.Record)(nil)
	err = o.TryPart(func() error {
		out = schemas.UpdateOut{}
		_, err := o.returnWork(r, in, &out)
		return err
	})
	if err == nil {
		next, err = o.Record(out.Created)
	} else {
		why := fmt.Sprintf("%s asks for rework: %s\n%s\nBut %s. Accept the result, or return it with points all the same.",
			o.By.Agent, done.Summary, schemas.JoinNumbered(v.Points, "\n"), schemas.AsError(err).Message)
		next, err = o.createReview(r, schemas.Address(schemas.Human), why, nil)
	}
	if err == nil {
		came.Forwarded = sendResultFor(next)
	}
	return came, err
}

// checkReturnLimit refuses to return reviewed work that has been returned as often as is allowed. The exception is a
// return by human.
func (o *op) checkReturnLimit(r *store.Record) error {
	if r.Reviewer == "" || o.By.Agent == schemas.Human {
		return nil
	}
	var asked schemas.Handoff
	if err := o.DecodeContent(r.ID, r.Body, &asked); err != nil {
		return err
	}
	round, rounds := max(r.Round, 1), asked.Expectations.MaxRoundsOrDefault()
	if round < rounds {
		return nil
	}
	return schemas.Errorf(schemas.Limit, "%s is round %d of %d at most", r.ID, round, rounds).WithHandoff(r.ID, r.Status, 0).
		WithHint("Only a person begins another round. Accept it, or ask human.").
		WithNext(schemas.AdviseUpdate(r.ID.String(), schemas.ActAccept, "accepts it"))
}

// requestNextReviewer changes an action that ends the review r without a verdict, so that another reviewer gets the
// review. If r is no review, the action stays unchanged.
func requestNextReviewer(h *operation.RecordChange, r *store.Record) *operation.RecordChange {
	if r.ReviewOf != 0 {
		h.Then, h.Why = schemas.ThenRollback, operation.EndReason{Reason: h.Text}
	}
	return h
}

// nextReviewer returns the agent that replaces a reviewer that gave no verdict: the sender of the work, otherwise
// human.
func (o *op) nextReviewer(gone *store.Record) (schemas.Agent, error) {
	r, err := o.Record(gone.ReviewOf)
	if err != nil {
		return "", err
	}
	sender, err := reading.AgentToNotify(o.View, r)
	if sender == gone.Holder || schemas.Address(sender) == gone.To || slices.Contains(gone.Excluded, sender) {
		sender = schemas.Human
	}
	return sender, err
}

// replaceReview sends a review that ended without a verdict to another reviewer: the agent that its holder named,
// otherwise the sender of the work, otherwise human. If human gave no verdict, no other reviewer is chosen, and the
// sender accepts or returns the work.
func (o *op) replaceReview(h *operation.RecordChange) (*store.Record, error) {
	gone := h.Now
	r := o.reviewedWork(gone)
	if r == nil || gone.To == schemas.Address(schemas.Human) {
		return nil, nil
	}
	to := h.To
	if to == "" && h.Then != schemas.ThenEscalate {
		var err error
		if to, err = o.nextReviewer(gone); err != nil {
			return nil, err
		}
	}
	if to == "" || slices.Contains(gone.Excluded, to) {
		to = schemas.Human
	}
	why := fmt.Sprintf("%s was to judge it (%s): %s", gone.To, gone.ID, h.Why.Text())
	next, err := o.createReview(r, schemas.Address(to), why, gone.Excluded)
	if err != nil {
		return nil, err
	}
	return next, o.recordCreatedHandoff(gone, next.ID, func(now *store.Record) { now.Successor = next.ID })
}

// reportNextReviewer names the new reviewer in the result of an action that ended a review without a verdict.
func (o *op) reportNextReviewer(gone *store.Record, out *schemas.UpdateOut) error {
	followed, err := o.RunConsequences()
	if next := followed.Successor; err == nil && next != nil {
		out.Created = next.ID
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s is still to be judged, now by %s (%s): accept or return %s to end that",
			gone.ReviewOf, next.To, next.ID, gone.ReviewOf))
	}
	return err
}

// cancelReview cancels the review of work that was accepted or returned before the review ended. It acts in the name of
// the clock.
func (o *op) cancelReview(judged *store.Record) error {
	review := o.UsableRecord(judged.Review)
	if review == nil || review.Status.HasEnded() {
		return nil
	}
	text := fmt.Sprintf("%s judged %s, so nobody needs to review it any more.", o.By.Agent, judged.ID)
	return o.cancelNeedlessHandoff(review, judged.ID, text)
}

// callerForHolder returns the caller for an action in the name of r's holder.
func callerForHolder(r *store.Record, by schemas.Caller) schemas.Caller {
	return schemas.Caller{Agent: r.Holder, AgentID: r.HolderID, Via: by.Via}
}

// sendResultFor returns a handoff that the server created as the result of a send, for the response to the caller.
func sendResultFor(r *store.Record) *schemas.SendOut {
	return &schemas.SendOut{HandoffID: r.ID, Status: string(r.Status), To: r.To, Workflow: r.Workflow, Parent: r.Parent}
}
