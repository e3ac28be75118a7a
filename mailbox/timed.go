package mailbox

import (
	"cmp"
	"slices"

	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// What rules send because of time is counted: because of what the clock did to a handoff, and of all that follows from
// that. What follows from the call of an agent is not, since [mostRuled] bounds it for each call. So rules that feed
// themselves by deadlines come to an end in each workflow, and a workspace in which nobody acts grows slowly.
//
// The figures leave room for a team whose whole night's work times out. docs/guarantees.md has them.
const (
	mostInWorkflow = 200   // of all rules in one workflow
	mostOfRule     = 1_000 // of one rule in an hour
	mostInHour     = 2_000 // of all rules of the workspace in an hour
)

// The budgets that refused what a rule was to send, see [op.charge].
const (
	spentWorkflow = "rules by time" // stands in Told of a workflow
	spentHour     = "hour"
)

// charge counts n handoffs and messages that a rule is about to send because of time, and what happened to r. The error
// is limit where they are too many for the workflow of r, for the rule or for the hour. It then notes which in o.spent,
// for [op.toldSpent].
func (o *op) charge(r *store.Record, rule rules.Sends, n int) error {
	if !o.timed {
		return nil
	}
	wf, err := o.Workflow(r.Workflow)
	if wf == nil || err != nil {
		return err
	}
	hour, err := o.RuledIn(o.now)
	if err != nil {
		return err
	}
	of := ruleName(rule)
	wf.Timed, hour.All, hour.Of[of] = wf.Timed+n, hour.All+n, hour.Of[of]+n
	if wf.Timed > mostInWorkflow {
		o.spent = spentWorkflow
		return schemas.Errorf(schemas.Limit, "the rules sent %d because of time in %s, the limit of a workflow", mostInWorkflow, r.Workflow).
			WithHint("No rule sends anything there any more because of time: send what is left, and give the rule a condition that ends.")
	}
	if hour.Of[of] > mostOfRule || hour.All > mostInHour {
		o.spent = spentHour
		return schemas.Errorf(schemas.Limit, "because of time a rule sends %d in an hour, and all rules %d", mostOfRule, mostInHour).
			WithHint("What times out in this hour stays as it is: look for what is timed_out, and send it again.")
	}
	return cmp.Or(o.tx.PutWorkflow(r.Workflow, *wf), o.tx.PutRuled(hour))
}

// toldSpent tells whether the owner of the workflow and human know already that the budget is spent that refused a rule
// last, and notes that they do from now on: once for a workflow, and once for a rule and hour. It is false where no
// budget refused.
func (o *op) toldSpent(r *store.Record, rule rules.Sends) (told bool, err error) {
	spent := o.spent
	switch o.spent = ""; spent {
	case spentWorkflow:
		wf, err := o.Workflow(r.Workflow)
		if err != nil || slices.Contains(wf.Told, spent) {
			return true, err
		}
		wf.Told = append(wf.Told, spent)
		return false, o.tx.PutWorkflow(r.Workflow, *wf)
	case spentHour:
		hour, err := o.RuledIn(o.now)
		if err != nil || slices.Contains(hour.Told, ruleName(rule)) {
			return true, err
		}
		hour.Told = append(hour.Told, ruleName(rule))
		return false, o.tx.PutRuled(hour)
	}
	return false, nil
}

// ruleName tells the rules of all files apart.
func ruleName(rule rules.Sends) string { return rule.File + " " + rule.Route }
