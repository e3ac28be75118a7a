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

// checkBudget refuses a draft that would bring its workflow past one of its limits, once that of the draft are set, see
// [setLimits]. Used is what the workflow used so far, and with what it would use with the draft. Work for human is never
// refused.
//
// The error is limit. Nothing is written then, and [op.overrun] says of what human is to be told.
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

// spend counts what came back for a handoff: the tokens of its result, failure or late result, and what that says it
// cost. It is committed with the result, and refuses nothing.
func (o *op) spend(h *operation.Happening) error {
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
	wf.Used[schemas.LimitTokens] += float64(content.Tokens(string(h.Stored.Bytes)))
	if done != nil {
		wf.Used[schemas.LimitCost] = math.Round((wf.Used[schemas.LimitCost]+costOf(done))*1e6) / 1e6
	}
	return o.PutWorkflow(name, *wf)
}

// costOf is what a completion says it cost in US dollars, as a number or a text, 0 for nothing or for what is no sum.
func costOf(done *schemas.Completion) float64 {
	usd, err := strconv.ParseFloat(fmt.Sprint(done.Results[schemas.LimitCost]), 64)
	if err != nil || !(usd > 0) || math.IsInf(usd, 0) {
		return 0
	}
	return usd
}

// setLimits sets the limits that a caller says for a workflow. One that is there may be lowered, and raised by a person
// only, who is told again when it is reached.
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

// limitWorkflow sets limits of a workflow that exists, see [setLimits], and warns of those that it did not raise.
func (o *op) limitWorkflow(name schemas.Workflow, asked map[string]float64) (warnings []string, err error) {
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
	return o.warnOfUnraised(name, asked)
}

// warnOfUnraised warns of the limits that a caller asked to raise and may not.
func (o *op) warnOfUnraised(name schemas.Workflow, asked map[string]float64) (warnings []string, err error) {
	wf, err := o.Workflow(name)
	for _, limit := range schemas.WorkflowLimits {
		if most, limited := schemas.OrZero(wf).Limits[limit]; limited && asked[limit] > most {
			warnings = append(warnings, fmt.Sprintf("%s of %s stays %s: only a person raises it", limit, name, formatAmount(most)))
		}
	}
	return warnings, err
}

// overrun is what was past a limit of a workflow.
type overrun struct {
	workflow schemas.Workflow
	limit    string
	text     string
}

// refuseOverBudget refuses what would bring a workflow past a limit, and notes of what human is to be told.
func (o *op) refuseOverBudget(name schemas.Workflow, b schemas.Budget, with float64) error {
	e := schemas.Errorf(schemas.Limit, "this would be %s of %s %s of %s, which has used %s",
		formatAmount(with), formatAmount(b.Of), b.Limit, cmp.Or(name, "the workflow"), formatAmount(b.Used)).WithField("options.limits." + b.Limit).
		WithHint("End the work, or send what is left to human, who may raise the limit with a send or an amendment. Nothing was sent.").
		WithNext(schemas.Call(schemas.SendIn{To: string(schemas.Human), Task: schemas.Blank, Workflow: string(name)}, "asks a person to decide"))
	o.overrun = &overrun{name, b.Limit, e.Message}
	return e
}

// formatAmount writes an amount, to the hundredth.
func formatAmount(n float64) string { return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64) }

// noteOverrun notes that human is told of what was refused last because of a limit. It gives that once for each workflow
// and limit, nil afterwards and where nothing was refused.
func (o *op) noteOverrun() (over *overrun, err error) {
	if over, o.overrun = o.overrun, nil; over == nil {
		return nil, nil
	}
	wf, err := o.Workflow(over.workflow)
	if wf == nil || err != nil || slices.Contains(wf.Told, over.limit) {
		return nil, err
	}
	wf.Told = append(wf.Told, over.limit)
	return over, o.PutWorkflow(over.workflow, *wf)
}

// tellOverrun tells human of an operation that was refused because of a limit, once for each workflow and limit. The
// operation was undone, so this is one of its own; where it fails, the next refusal tells.
func (s *Service) tellOverrun(ctx context.Context, refused *overrun) {
	if refused == nil {
		return
	}
	err := s.update(ctx, operation.ClockCaller, func(o *op) error {
		o.overrun = refused
		over, err := o.noteOverrun()
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

// sendOrTell sends what goes on after h, or tells human of it where a limit of the workflow refuses that, and gives nil
// then.
func (o *op) sendOrTell(h *operation.Happening, send func() (*store.Record, error)) (*store.Record, error) {
	next, err := send()
	if err == nil || o.overrun == nil {
		return next, err
	}
	return nil, o.tellUnsent(h.Now, fmt.Sprintf("Nobody goes on after %s (%s)", h.Now.ID, cmp.Or(h.Text, h.Why.Text())), err)
}

// What rules send because of time is counted: because of what the clock did to a handoff, and of all that follows from
// that. What follows from the call of an agent is not, since [maxByRules] bounds it for each call. So rules that feed
// themselves by deadlines come to an end in each workflow, and a workspace in which nobody acts grows slowly. That is why
// no rule may choose another workflow or another parent.
//
// The figures leave room for a team whose whole night's work times out. docs/guarantees.md has them.
const (
	maxPerWorkflow = 200   // of all rules in one workflow
	maxPerRule     = 1_000 // of one rule in an hour
	maxPerHour     = 2_000 // of all rules of the workspace in an hour
)

// resetRuleBudgets begins the budgets of one operation anew after each handoff to which the clock was applied: one that the
// rules multiply is not the fault of the next. It tells whether the rules sent as many as one operation may.
func (o *op) resetRuleBudgets() (enough bool) {
	o.sentByClock += o.sentByRules
	o.sentByRules, o.unsentRules, o.ruleCost = 0, 0, rules.Budget{}
	return o.sentByClock >= maxByRules
}

// chargeRule counts n handoffs and messages that a rule is about to send because of time, and what happened to r. The error
// is limit where they are too many for the workflow of r, for the rule or for the hour. Then o.spent is the workflow or
// the rule, for [op.wasToldOfBudget].
func (o *op) chargeRule(r *store.Record, rule rules.Sends, n int) error {
	if !o.Timed {
		return nil
	}
	wf, err := o.Workflow(r.Workflow)
	if wf == nil || err != nil {
		return err
	}
	hour, err := o.RuleCountAt(o.Now)
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
			WithHint("What times out in this hour stays as it is: look for what is timed_out, and send it again.")
	}
	return cmp.Or(o.PutWorkflow(r.Workflow, *wf), o.PutRuleCount(hour))
}

// wasToldOfBudget tells whether the owner of the workflow and human were told in this hour of the budget that refused a rule
// just now, and notes that they are. It is false where no budget refused.
func (o *op) wasToldOfBudget() (told bool, err error) {
	spent := o.spentBudget
	if o.spentBudget = ""; spent == "" {
		return false, nil
	}
	hour, err := o.RuleCountAt(o.Now)
	if err != nil || slices.Contains(hour.Told, spent) {
		return true, err
	}
	hour.Told = append(hour.Told, spent)
	return false, o.PutRuleCount(hour)
}
