package mailbox

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// triggers are the actions for which files may have rules, with their names in rules. No rule fires for work that a
// person refused, for failed work whose holder chose the next step, or for a review. For rules, reviewed work is
// completed when its result is accepted. If the result of completed work counts as done only later, the rules for
// completed work fire then.
var triggers = map[life.Action]string{
	life.Send: "sent", life.Complete: "completed", life.Accept: "accepted", life.Return: "returned", life.Fail: "failed",
	life.Reject: "rejected", life.Expire: "timed_out", life.Exhaust: "timed_out", life.Cancel: "cancelled",
}

// collectRuleSends finds the handoffs that rules send because of a change. [op.sendRoutedHandoffs] sends these handoffs
// later. It runs after the change was written, because rules read the content of the changed handoff. If the content
// cannot be read, no rule fires.
func (o *op) collectRuleSends(h *operation.RecordChange) (err error) {
	on, completed, counts := triggers[h.Action], triggers[life.Complete], becomesDone(h)
	if on == "" && !counts || h.Chosen || h.Now.ReviewOf != 0 || h.Now.Reviewer != "" && h.Action == life.Complete {
		return nil
	}
	ends, all := on, []string{on}
	if counts {
		ends, all = completed, []string{on, completed}
		h.Opened = true
	}
	set, err := o.currentRules(o.View)
	if err != nil || set.hasNoRuleFor(all) && (ends != completed || !h.Now.Step) {
		return err
	}
	facts, err := factsForRules(o.View, h.Now)
	if err != nil {
		o.Logger.Error("rules were passed over", slog.String("handoff", h.Now.ID.String()), slog.Any("error", err))
		return nil
	}
	facts.Budget = &o.ruleCost
	if h.Action == life.Complete && reading.KeepsDependentsBlocked(h.Now) {
		h.HeldSends = sendsOnceDone(h.Now, set.Set, *facts)
	}
	h.FileToPermit = set.fileToAllowAfter(ends, facts)
	h.Sends, err = o.evaluateRules(h, set, on, facts)
	return err
}

// becomesDone reports whether this change makes completed work count as done. It also looks at [reading.IsDoneWell],
// because rows of an earlier version do not have the field Counted.
func becomesDone(h *operation.RecordChange) bool {
	return h.Was != nil && h.Was.Status == schemas.Completed && !h.Was.Counted && h.Now.Counted && !reading.IsDoneWell(h.Was)
}

// hasNoRuleFor reports whether no file has a rule for any of the given triggers. Rules that a person must still allow
// count, too.
func (s ruleSet) hasNoRuleFor(all []string) bool {
	return !slices.ContainsFunc(all, func(on string) bool { return !s.LacksRulesFor(on) || !s.waiting.LacksRulesFor(on) })
}

// evaluateRules returns the handoffs that the allowed rules send. If evaluating the rules takes too long, it returns
// none, and tells the owner of the workflow and human.
func (o *op) evaluateRules(h *operation.RecordChange, set ruleSet, on string, f *rules.Facts) ([]rules.RuleSends, error) {
	f.Budget = &o.ruleCost
	sends := fireRules(h, set.Set, on, f)
	if !o.ruleCost.IsSpent() {
		return sends, nil
	}
	o.spentBudget = "cost"
	return nil, o.tellOwnerOfUnsent(h.Now, fmt.Sprintf("No rule sent the next step after %s", h.Now.ID),
		schemas.Errorf(schemas.Limit, "the conditions and texts of all rules take longer than one call may").
			WithHint("Send what is left, and give the rules shorter conditions."))
}

// fireRules returns the handoffs that rules send because of a change. If the change makes completed work count as done,
// the rules for completed work fire, too.
func fireRules(h *operation.RecordChange, of *rules.Set, on string, f *rules.Facts) []rules.RuleSends {
	sends := of.SendsAfter(on, f)
	if h.Opened {
		sends = append(sendsOnceDone(h.Now, of, *f), sends...)
	}
	return sends
}

// sendsOnceDone returns the handoffs that rules send when completed work begins to count as done. It leaves out rules
// that fired already at the completion, so that a plan does not send its next step twice. At the completion of reviewed
// work no rule fired.
func sendsOnceDone(r *store.Record, set *rules.Set, f rules.Facts) []rules.RuleSends {
	f.Outcome.Passed = false
	before := set.SendsAfter(triggers[life.Complete], &f)
	f.Outcome.Passed = true
	return slices.DeleteFunc(set.SendsAfter(triggers[life.Complete], &f), func(s rules.RuleSends) bool {
		return r.Reviewer == "" && slices.ContainsFunc(before, func(b rules.RuleSends) bool { return b.RuleName() == s.RuleName() })
	})
}

// factsForRules collects the facts about a handoff that rules may use.
func factsForRules(v *store.View, r *store.Record) (*rules.Facts, error) {
	h, err := reading.ReadHandoff(v, r)
	root, unread := rootHandoff(v, r, h)
	if err = cmp.Or(err, unread); err != nil {
		return nil, err
	}
	f := rules.Facts{Handoff: rules.HandoffFacts(h, r.To, r.Holder, r.Status), Root: root, Budget: &rules.Budget{}}
	f.Handoff.Round = max(r.Round, 1)
	switch r.Status { //nolint:exhaustive // the others have no outcome
	case schemas.Completed, schemas.Returned:
		var done schemas.Completion
		err = v.DecodeContent(r.ID, r.Result, &done)
		f.Outcome = rules.CompletedOutcome(done)
	case schemas.Failed, schemas.Rejected:
		var failure schemas.Failure
		err = v.DecodeContent(r.ID, r.Result, &failure)
		f.Outcome = rules.FailedOutcome(failure)
	case schemas.TimedOut:
		f.Outcome.Summary = reading.TimeoutReason(v, r)
	}
	f.Outcome.Status, f.Outcome.Passed = cmp.Or(f.Outcome.Status, string(r.Status)), reading.IsDoneWell(r)
	return &f, err
}

// rootHandoff returns the facts about the first handoff of the chain of r, see [reading.FirstOfChain]. Its task is the
// original request of the sender.
func rootHandoff(v *store.View, r *store.Record, h schemas.Handoff) (rules.Handoff, error) {
	r, h, err := reading.FirstOfChain(v, r, h)
	root := rules.HandoffFacts(h, r.To, r.Holder, r.Status)
	root.Task = h.OriginalTask()
	return root, err
}

// sendRoutedHandoffs sends the handoffs of rules as children of the changed handoff. It records the first of these
// handoffs on the changed handoff: as forwarded if the changed handoff was completed, otherwise as its successor. The
// sender is system, so the owner of the workflow gets the questions and notices.
//
// The handoffs of one rule are all sent or all refused, for example because a budget is used up. After a refusal the
// other rules still send, and the owner of the workflow and human are told the reason.
func (o *op) sendRoutedHandoffs(h *operation.RecordChange) (came operation.ConsequenceResult, err error) {
	if h.FileToPermit != "" {
		came.Unsent = reading.PermissionReason(h.FileToPermit)
		if err := o.recordWaitForPermission(h); err != nil {
			return came, err
		}
	}
	var all []schemas.SendOut
	var by []string // the rule of each
	for _, rule := range h.Sends {
		var sent []schemas.SendOut
		err := o.TryPart(func() error {
			return o.RunAs(operation.ClockCaller, func() (err error) {
				sent, err = o.sendRule(h.Now, rule)
				return err
			})
		})
		if err != nil {
			if err := o.tellOwnerOfUnsent(h.Now, fmt.Sprintf("The %s could not send the next step after %s", &schemas.SendingRule{Rule: rule.Route, File: rule.File}, h.Now.ID), err); err != nil {
				return came, err
			}
			continue
		}
		all, by = append(all, sent...), append(by, slices.Repeat([]string{rule.Route}, len(sent))...)
	}
	if len(all) == 0 {
		return came, nil
	}
	first := max(slices.IndexFunc(all, func(one schemas.SendOut) bool { return one.HandoffID != 0 }), 0) // a message takes no place
	came.Forwarded = &all[first]
	for i, one := range all {
		if i != first {
			what := cmp.Or(one.HandoffID.String(), "a message")
			came.Forwarded.Warnings = append(came.Forwarded.Warnings, fmt.Sprintf("%s sent %s to %s, too", by[i], what, one.To))
		}
	}
	if came.Forwarded.HandoffID == 0 {
		return came, nil
	}
	return o.recordFirstRoutedHandoff(h.Now.ID, came)
}

// recordFirstRoutedHandoff notes on a handoff the first handoff that rules sent because of it.
func (o *op) recordFirstRoutedHandoff(id schemas.ID, came operation.ConsequenceResult) (operation.ConsequenceResult, error) {
	r, err := o.Record(id)
	if err != nil || !r.Status.HasEnded() {
		return came, err
	}
	if came.Successor, err = o.Record(came.Forwarded.HandoffID); err != nil {
		return came, err
	}
	return came, o.recordCreatedHandoff(r, came.Successor.ID, func(now *store.Record) {
		if r.Status == schemas.Completed {
			now.Forwarded = cmp.Or(r.Forwarded, came.Successor.ID)
		} else {
			now.Successor = cmp.Or(r.Successor, came.Successor.ID)
		}
	})
}

// sendRule sends the handoffs of one rule.
func (o *op) sendRule(r *store.Record, rule rules.RuleSends) (sent []schemas.SendOut, err error) {
	var ids []string
	for _, part := range rule.Parts {
		out, err := o.sendRulePart(r, rule, part, nil)
		if err != nil {
			return nil, err
		}
		sent, ids = append(sent, out), append(ids, idsToWaitFor(out)...)
	}
	if rule.Join == nil {
		return sent, nil
	}
	join, err := o.sendRulePart(r, rule, *rule.Join, ids)
	return append(sent, join), err
}

// maxByRules is the largest number of handoffs that rules send in one operation. Without this limit, a rule that fires
// at each send could fire for its own handoffs without end.
const maxByRules = 100

// sendRulePart sends one handoff of a rule. The handoff r made the rule fire. The sent handoff contains the summary of
// r. If r ended badly, it contains the reason instead.
func (o *op) sendRulePart(r *store.Record, rule rules.RuleSends, in schemas.SendIn, after []string) (schemas.SendOut, error) {
	in.Parent = r.ID.String()
	in.Title = strings.TrimSpace(schemas.Clip(in.Title, o.Limits.Title))
	in.Task = schemas.Clip(in.Task, o.Limits.Task) // the rest can be read in the handoff before
	options := schemas.ValueOrZero(in.Options)
	by := o.By
	by.Rule = &schemas.SendingRule{Rule: cmp.Or(options.Step, rule.Route), File: rule.File, On: rule.On, After: r.ID, Of: r.From}
	options.Reason, options.After = strings.TrimSuffix(by.Rule.Reason()+": "+options.Reason, ": "), append(options.After, after...)
	if in.Type != schemas.TypeMessage {
		options.NoTakers = cmp.Or(options.NoTakers, "wait") // no sender watches it, so the owner is told
	}
	in.Options = &options
	d, err := o.drafts.Make(by, in, o.Now)
	if err != nil {
		return schemas.SendOut{}, err
	}
	n := max(len(d.Parts), 1)
	if d.Join != nil {
		n++
	}
	if o.sentByRules += n; o.sentByRules > maxByRules {
		o.spentBudget = "call " + string(r.Workflow)
		return schemas.SendOut{}, schemas.Errorf(schemas.Limit, "the rules tried to send more than %d handoffs because of one call, the limit", maxByRules).
			WithHint("Rules on `sent` apply to handoffs that rules send, too: give them a condition that becomes false.")
	}
	if err := o.chargeRuleBudget(r, rule, n); err != nil {
		return schemas.SendOut{}, err
	}
	for _, one := range append([]*draft.Draft{&d}, d.Parts...) {
		if err := o.addOutcomeToDraft(r, one); err != nil {
			return schemas.SendOut{}, err
		}
	}
	out, err := o.sendDraft(&d)
	out.Warnings = nil // they are for a sender, and not for the caller that ended the handoff before
	return out, err
}

// addOutcomeToDraft puts the outcome of r into a draft of a rule. The handoff r made that rule fire.
func (o *op) addOutcomeToDraft(r *store.Record, d *draft.Draft) error {
	switch r.Status { //nolint:exhaustive // the others have no outcome for the next handoff
	case schemas.Completed:
		if d.Handoff.Rollback == nil { // a failure goes back to the holder of the handoff before
			d.Handoff.Rollback = &schemas.Rollback{OnFailure: r.Holder}
		}
		var done schemas.Completion
		if err := o.DecodeContent(r.ID, r.Result, &done); err != nil {
			return err
		}
		d.Handoff.Summary = cmp.Or(d.Handoff.Summary, schemas.Clip(done.Summary, schemas.MaxSummary))
		o.useDurationForNext(r, d)
	case schemas.Failed, schemas.Rejected, schemas.TimedOut:
		why, err := o.reasonForEnd(r)
		if err == nil {
			err = o.addEndReasons(r, &d.Handoff, why)
		}
		if err != nil {
			return err
		}
	}
	return o.drafts.Encode(d)
}

// maxUnsentNotices is the largest number of notices about refused rules in one operation. Without it a person could get
// hundreds of notices at once.
const maxUnsentNotices = 10

// tellOwnerOfUnsent tells the owner of the workflow and human which handoff was not sent, and why. It leaves no notice
// if the owner and human were told of the same budget in this hour, see [op.recordBudgetNotice].
func (o *op) tellOwnerOfUnsent(r *store.Record, what string, why error) error {
	ofBudget := o.spentBudget != ""
	told, err := o.recordBudgetNotice()
	if !ofBudget {
		o.unsentRules++
		told = o.unsentRules > maxUnsentNotices
	}
	if told || err != nil {
		return err
	}
	if _, err := o.takeUntoldLimit(); err != nil {
		return err
	}
	e := schemas.AsError(why)
	return o.tellOwnerAndHuman(r, operation.NoticeOf(noticeTooDeep, r, fmt.Sprintf("%s: %s. %s", what, e.Error(), e.Hint)))
}

// tellOwnerAndHuman leaves a notice with the owner of the workflow and with human.
func (o *op) tellOwnerAndHuman(r *store.Record, n schemas.Notice) error {
	owner, err := reading.AgentToNotify(o.View, &store.Record{From: schemas.System, Workflow: r.Workflow})
	if err == nil && owner != schemas.Human {
		err = o.NotifyAgent(owner, n)
	}
	return cmp.Or(err, o.NotifyAgent(schemas.Human, n))
}
