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

// checkBudget refuses a draft that would bring its workflow past a limit, with the error limit. The exception is work
// for human, which is never refused. Before the check it sets the limits that the draft gives, see [setLimits]. The
// parameter `used` has the use of each limit without the draft, and `with` has the use including the draft. After a
// refusal, op.exceeded has the text that tells human of the limit.
func (o *op) checkBudget(d *draft.Draft, name schemas.Workflow, wf *store.Workflow, begins bool, used, with map[string]float64) error {
	setLimits(wf, d.Limits, begins || o.By.Agent == schemas.Human)
	for _, limit := range schemas.WorkflowLimits {
		most, limited := wf.Limits[limit]
		if limited && with[limit] > most && d.To != schemas.Address(schemas.Human) {
			return o.refuseOverBudget(name, schemas.WorkflowBudget{Limit: limit, Used: used[limit], Of: most}, with[limit])
		}
	}
	return nil
}

// countUsage adds a result, a failure or a late result to the use of its workflow: the cost and the tokens that it
// reports. The tokens of a completion replace the estimate of its handoff, which the send has added. If a result reports
// no tokens, countUsage adds an estimate of its text. The sum is committed together with the result. countUsage never
// refuses a result.
func (o *op) countUsage(h *operation.RecordChange) error {
	var done schemas.Completion
	sent := 0.0 // tokens that the send has added
	switch came := h.Content.(type) {
	case schemas.Completion:
		done = came
		text, _ := o.RawContent(h.Now.ID, h.Now.Body) // of an erased message nothing can be estimated
		sent = float64(content.CountTokens(string(text)))
	case schemas.LateResult:
		done = schemas.ValueOrZero(came.Completion)
	case schemas.Failure:
	default:
		return nil
	}
	name := h.Now.Workflow
	wf, err := o.Workflow(name)
	if wf == nil || err != nil {
		return err
	}
	if wf.Used == nil {
		wf.Used = map[string]float64{}
	}
	tokens := float64(content.CountTokens(string(h.Stored.Bytes)))
	if reported := schemas.ReportedTokens(done.Results); reported > 0 {
		tokens = max(reported-sent, 0)
	}
	wf.Used[schemas.LimitTokens] += tokens
	wf.Used[schemas.LimitCost] = math.Round((wf.Used[schemas.LimitCost]+schemas.AmountOf(done.Results[schemas.LimitCost]))*1e6) / 1e6
	return o.PutWorkflow(name, *wf)
}

// setLimits sets the limits that a caller gives for a workflow. Any caller may lower a limit, and only a person may
// raise it. After a raise, human is told again when the workflow reaches the limit.
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

// setWorkflowLimits sets limits of an existing workflow, see [setLimits]. It warns of each limit that it did not raise,
// because only a person may raise a limit.
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
		if most, limited := schemas.ValueOrZero(wf).Limits[limit]; limited && asked[limit] > most {
			warnings = append(warnings, fmt.Sprintf("%s of %s stays %s: only a person raises it", limit, name, formatAmount(most)))
		}
	}
	return warnings, err
}

// exceededLimit is a limit of a workflow that refused a draft, with the text that tells human of the refusal.
type exceededLimit struct {
	workflow schemas.Workflow
	limit    string
	text     string
}

// refuseOverBudget returns the error for a draft that would bring a workflow past a limit. It keeps the text for human
// in op.exceeded.
func (o *op) refuseOverBudget(name schemas.Workflow, b schemas.WorkflowBudget, with float64) error {
	e := schemas.Errorf(schemas.Limit, "this would be %s of %s %s of %s, which has used %s",
		formatAmount(with), formatAmount(b.Of), b.Limit, cmp.Or(name, "the workflow"), formatAmount(b.Used)).WithField("options.limits." + b.Limit).
		WithHint("End the work, or send what is left to human, who may raise the limit with a send or an amendment. Nothing was sent.").
		WithNext(schemas.AdviseCall(schemas.SendIn{To: string(schemas.Human), Task: schemas.Blank, Workflow: string(name)}, "asks a person to decide"))
	o.exceeded = &exceededLimit{name, b.Limit, e.Message}
	return e
}

// formatAmount formats an amount, rounded to hundredths.
func formatAmount(n float64) string { return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64) }

// takeUntoldLimit returns the last limit that refused a draft in this operation, and records that human was told of
// this limit of the workflow. It returns nil if no limit refused a draft, or if human was told of the limit before.
func (o *op) takeUntoldLimit() (over *exceededLimit, err error) {
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

// tellHumanOfExceededLimit tells human that a limit of a workflow refused an operation, once for each workflow and
// limit. It runs a second operation, because the refused operation was undone. If the second operation fails, human is
// told at the next refusal.
func (s *Service) tellHumanOfExceededLimit(ctx context.Context, refused *exceededLimit) {
	if refused == nil {
		return
	}
	err := s.update(ctx, operation.ClockCaller, func(o *op) error {
		o.exceeded = refused
		over, err := o.takeUntoldLimit()
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

// sendOrTellHuman makes a consequence from a function that sends the handoff that continues the work. If a limit of the
// workflow refuses that handoff, the consequence tells human.
func sendOrTellHuman(send func(*op, *operation.RecordChange) (*store.Record, error)) consequence {
	return consequenceWithSuccessor(func(o *op, h *operation.RecordChange) (*store.Record, error) {
		next, err := send(o, h)
		if err == nil || o.exceeded == nil {
			return next, err
		}
		return nil, o.tellOwnerOfUnsent(h.Now, fmt.Sprintf("Nobody goes on after %s (%s)", h.Now.ID, cmp.Or(h.Text, h.Why.Text())), err)
	})
}

// These limits bound the handoffs that rules send because of time. Without limits, rules whose own handoffs time out
// would fire again and again. Handoffs that rules send because of an agent's call count for [maxByRules] instead. The
// limits are high enough for a team whose work of a whole night times out, see docs/guarantees.md.
//
// One of these limits counts the handoffs of a workflow. A rule could evade this limit with another workflow or another
// parent, so a rule must not choose its workflow or its parent.
const (
	maxPerWorkflow = 200   // of all rules in one workflow
	maxPerRule     = 1_000 // of one rule in an hour
	maxPerHour     = 2_000 // of all rules of the workspace in an hour
)

// ClockBudgetSpent gives rules their whole budget again after the clock has changed one handoff, so that the rules for
// the next handoff have enough. The result `enough` is true if rules have sent [maxByRules] handoffs in this operation.
func (o *op) ClockBudgetSpent() (enough bool) {
	o.sentByClock += o.sentByRules
	o.sentByRules, o.unsentRules, o.ruleCost = 0, 0, rules.Budget{}
	return o.sentByClock >= maxByRules
}

// chargeRuleBudget counts n handoffs that a rule is about to send because of time. The handoff r made the rule fire.
// The error is limit if the n handoffs exceed the limit of the workflow, of the rule, or of the hour. Then
// op.spentBudget names the exceeded budget, see [op.recordBudgetNotice].
func (o *op) chargeRuleBudget(r *store.Record, rule rules.RuleSends, n int) error {
	if !o.Timed {
		return nil
	}
	wf, err := o.Workflow(r.Workflow)
	if wf == nil || err != nil {
		return err
	}
	hour, err := o.RuleSendsInHour(o.Now)
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
	return cmp.Or(o.PutWorkflow(r.Workflow, *wf), o.PutHourlyRuleSends(hour))
}

// recordBudgetNotice reports whether the owner of the workflow and human were told in this hour of the budget that has
// just refused a rule. If they were not, it records them as told, because its caller tells them next. It returns false
// if no budget refused the rule.
func (o *op) recordBudgetNotice() (told bool, err error) {
	spent := o.spentBudget
	if o.spentBudget = ""; spent == "" {
		return false, nil
	}
	hour, err := o.RuleSendsInHour(o.Now)
	if err != nil || slices.Contains(hour.Told, spent) {
		return true, err
	}
	hour.Told = append(hour.Told, spent)
	return false, o.PutHourlyRuleSends(hour)
}
