package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"

	"handoff/mailbox/content"
	"handoff/mailbox/draft"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// checkBudget refuses a draft that would bring its workflow past one of the limits of that workflow. First it sets the
// limits that the draft gives, see [setLimits]. The map used has the use of the workflow so far, by the name of the
// limit; the map with has the use including the draft. Work for human is never refused.
//
// The error is limit. Then nothing is written, and op.overrun has the text that tells human of it.
func (o *op) checkBudget(d *draft.Draft, name schemas.Workflow, wf *store.Workflow, begins bool, used, with map[string]float64) error {
	setLimits(wf, d.Limits, begins || o.By.Agent == schemas.Human)
	for _, limit := range schemas.WorkflowLimits {
		most, limited := wf.Limits[limit]
		if limited && with[limit] > most && d.To != schemas.Address(schemas.Human) {
			return o.refuseOverBudget(name, schemas.Budget{Limit: limit, Used: used[limit], Of: most}, with[limit])
		}
	}
	return nil
}

// countUsage adds a result, a failure or a late result to the use of its workflow: the tokens of its text, and the cost
// that it states. The sum is committed together with the result. spend never refuses a result.
func (o *op) countUsage(h *operation.RecordChange) error {
	var done *schemas.Completion
	switch came := h.Content.(type) {
	case schemas.Completion:
		done = &came
	case schemas.Late:
		done = came.Completion
	}
	name := h.Now.Workflow
	wf, err := o.Workflow(name)
	if wf == nil || err != nil {
		return err
	}
	if wf.Used == nil {
		wf.Used = map[string]float64{}
	}
	wf.Used[schemas.LimitTokens] += float64(content.CountTokens(string(h.Stored.Bytes)))
	if done != nil {
		wf.Used[schemas.LimitCost] = math.Round((wf.Used[schemas.LimitCost]+costOf(done))*1e6) / 1e6
	}
	return o.PutWorkflow(name, *wf)
}

// costOf returns the cost in US dollars that a completion states, as a number or as text. It returns 0 if the
// completion states no cost, or a cost that is no amount.
func costOf(done *schemas.Completion) float64 {
	usd, err := strconv.ParseFloat(fmt.Sprint(done.Results[schemas.LimitCost]), 64)
	if err != nil || !(usd > 0) || math.IsInf(usd, 0) {
		return 0
	}
	return usd
}

// setLimits sets the limits that a caller gives for a workflow. Any caller may lower a limit. Only a person may raise
// it; after that, human is told again when the raised limit is reached.
func setLimits(wf *store.Workflow, asked map[string]float64, mayRaise bool) {
	for _, name := range schemas.WorkflowLimits {
		most, given := asked[name]
		now, limited := wf.Limits[name]
		if !given || limited && most > now && !mayRaise {
			continue
		}
		if wf.Limits == nil {
			wf.Limits = map[string]float64{}
		}
		wf.Limits[name] = most
		if most > now {
			wf.Told = slices.DeleteFunc(wf.Told, func(told string) bool { return told == name })
		}
	}
}

// setWorkflowLimits sets limits of an existing workflow, see [setLimits], and warns of the limits that it did not raise.
func (o *op) setWorkflowLimits(name schemas.Workflow, asked map[string]float64) (warnings []string, err error) {
	if len(asked) == 0 {
		return nil, nil
	}
	wf, err := o.Workflow(name)
	if wf == nil || err != nil {
		return nil, err
	}
	setLimits(wf, asked, o.By.Agent == schemas.Human)
	if err := o.PutWorkflow(name, *wf); err != nil {
		return nil, err
	}
	return o.warnOfUnraisedLimits(name, asked)
}

// warnOfUnraisedLimits warns of limits that the caller asked to raise but may not raise.
func (o *op) warnOfUnraisedLimits(name schemas.Workflow, asked map[string]float64) (warnings []string, err error) {
	wf, err := o.Workflow(name)
	for _, limit := range schemas.WorkflowLimits {
		if most, limited := schemas.OrZero(wf).Limits[limit]; limited && asked[limit] > most {
			warnings = append(warnings, fmt.Sprintf("%s of %s stays %s: only a person raises it", limit, name, formatAmount(most)))
		}
	}
	return warnings, err
}

// exceededLimit is a draft that a limit of its workflow refused.
type exceededLimit struct {
	workflow schemas.Workflow
	limit    string
	text     string
}

// refuseOverBudget refuses a draft that would bring a workflow past a limit, and keeps the text for human in
// op.overrun.
func (o *op) refuseOverBudget(name schemas.Workflow, b schemas.Budget, with float64) error {
	e := schemas.Errorf(schemas.Limit, "this would be %s of %s %s of %s, which has used %s",
		formatAmount(with), formatAmount(b.Of), b.Limit, cmp.Or(name, "the workflow"), formatAmount(b.Used)).WithField("options.limits." + b.Limit).
		WithHint("End the work, or send what is left to human, who may raise the limit with a send or an amendment. Nothing was sent.").
		WithNext(schemas.Call(schemas.SendIn{To: string(schemas.Human), Task: schemas.Blank, Workflow: string(name)}, "asks a person to decide"))
	o.exceeded = &exceededLimit{name, b.Limit, e.Message}
	return e
}

// formatAmount formats an amount, rounded to hundredths.
func formatAmount(n float64) string { return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64) }

// takeExceededLimitToTell returns the last limit of a workflow that refused something in this operation, and notes that human is
// told of it. It returns nil if no limit refused anything, or if human was told of this limit of this workflow before.
func (o *op) takeExceededLimitToTell() (over *exceededLimit, err error) {
	if over, o.exceeded = o.exceeded, nil; over == nil {
		return nil, nil
	}
	wf, err := o.Workflow(over.workflow)
	if wf == nil || err != nil || slices.Contains(wf.Told, over.limit) {
		return nil, err
	}
	wf.Told = append(wf.Told, over.limit)
	return over, o.PutWorkflow(over.workflow, *wf)
}

// tellHumanOfExceededLimit tells human that a limit of a workflow refused an operation, once for each workflow and limit. The
// refused operation was undone, so tellHumanOfExceededLimit runs an operation of its own. If that fails, human is told at the next
// refusal.
func (s *Service) tellHumanOfExceededLimit(ctx context.Context, refused *exceededLimit) {
	if refused == nil {
		return
	}
	err := s.update(ctx, operation.ClockCaller, func(o *op) error {
		o.exceeded = refused
		over, err := o.takeExceededLimitToTell()
		if over == nil || err != nil {
			return err
		}
		first, err := reading.FirstInWorkflow(o.View, over.workflow)
		if first == nil || err != nil {
			return err
		}
		text := fmt.Sprintf("A send in %s was refused: %s. handoff send … --workflow %s --limit %s=NUMBER raises it.",
			over.workflow, over.text, over.workflow, over.limit)
		return o.NotifyAgent(schemas.Human, operation.NoticeOf(noticeBudget, first, text))
	})
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "nobody was told of a budget", slog.Any("error", err))
	}
}

// sendOrTellHuman runs send, which makes the handoff that continues h. If a limit of the workflow refuses it, sendOrTellHuman
// tells human and returns nil.
func (o *op) sendOrTellHuman(h *operation.RecordChange, send func() (*store.Record, error)) (*store.Record, error) {
	next, err := send()
	if err == nil || o.exceeded == nil {
		return next, err
	}
	return nil, o.tellOwnerOfUnsent(h.Now, fmt.Sprintf("Nobody goes on after %s (%s)", h.Now.ID, cmp.Or(h.Text, h.Why.Text())), err)
}

// These limits bound the handoffs that rules send because the clock changed a handoff, directly or as a further
// consequence. Handoffs that rules send because of an agent's call do not count, because [maxByRules] bounds them for
// each call. The limits stop rules whose own handoffs time out and make them fire again, and they keep a workspace slow
// to grow while no agent is active. Some limits count by workflow, so no rule may choose another workflow or another
// parent.
//
// The limits are high enough for a team whose work of a whole night times out. docs/guarantees.md has them.
const (
	maxPerWorkflow = 200   // of all rules in one workflow
	maxPerRule     = 1_000 // of one rule in an hour
	maxPerHour     = 2_000 // of all rules of the workspace in an hour
)

// resetRuleBudgets resets the per-operation budgets of rules after the clock was applied to one handoff. So rules that
// send many handoffs because of that handoff leave the whole budget to the next one. The result enough reports whether
// the rules have sent the largest number of handoffs that one operation may send.
func (o *op) resetRuleBudgets() (enough bool) {
	o.sentByClock += o.sentByRules
	o.sentByRules, o.unsentRules, o.ruleCost = 0, 0, rules.Budget{}
	return o.sentByClock >= maxByRules
}

// chargeRuleBudget counts n handoffs and messages that a rule is about to send because of time and of an event of r. The
// error is limit if the n handoffs exceed the limit of the workflow of r, of the rule, or of the hour. Then
// op.spentBudget names the workflow or the rule, and [op.recordBudgetNotice] uses that name.
func (o *op) chargeRuleBudget(r *store.Record, rule rules.RuleSends, n int) error {
	if !o.Timed {
		return nil
	}
	wf, err := o.Workflow(r.Workflow)
	if wf == nil || err != nil {
		return err
	}
	hour, err := o.TimedSendCount(o.Now)
	if err != nil {
		return err
	}
	of := rule.File + " " + rule.Route // tells the rules of all files apart
	wf.Timed, hour.All, hour.Of[of] = wf.Timed+n, hour.All+n, hour.Of[of]+n
	if wf.Timed > maxPerWorkflow {
		o.spentBudget = string(r.Workflow)
		return schemas.Errorf(schemas.Limit, "the rules sent %d because of time in %s, the limit of a workflow", maxPerWorkflow, r.Workflow).
			WithHint("No rule sends anything there any more because of time: send what is left, and give the rule a condition that ends.")
	}
	if hour.Of[of] > maxPerRule || hour.All > maxPerHour {
		o.spentBudget = of
		return schemas.Errorf(schemas.Limit, "because of time a rule sends %d in an hour, and all rules %d", maxPerRule, maxPerHour).
			WithHint("Handoffs that time out in this hour stay so: list them by the status timed_out, and send them again.")
	}
	return cmp.Or(o.PutWorkflow(r.Workflow, *wf), o.PutTimedSendCount(hour))
}

// recordBudgetNotice reports whether the owner of the workflow and human were told in this hour of the budget that has
// just refused a rule. If they were not, it notes that they are told now. It returns false if no budget refused the
// rule.
func (o *op) recordBudgetNotice() (told bool, err error) {
	spent := o.spentBudget
	if o.spentBudget = ""; spent == "" {
		return false, nil
	}
	hour, err := o.TimedSendCount(o.Now)
	if err != nil || slices.Contains(hour.Told, spent) {
		return true, err
	}
	hour.Told = append(hour.Told, spent)
	return false, o.PutTimedSendCount(hour)
}
