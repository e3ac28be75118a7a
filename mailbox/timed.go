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
// themselves by deadlines come to an end in each workflow, and a workspace in which nobody acts grows slowly. That is why
// no rule may choose another workflow or another parent.
//
// The figures leave room for a team whose whole night's work times out. docs/guarantees.md has them.
const (
	mostInWorkflow = 200   // of all rules in one workflow
	mostOfRule     = 1_000 // of one rule in an hour
	mostInHour     = 2_000 // of all rules of the workspace in an hour
)

// lapsedRules begins the budgets of one operation anew after each handoff to which the clock was applied: one that the
// rules multiply is not the fault of the next. It tells whether the rules sent as many as one operation may.
func (o *op) lapsedRules() (enough bool) {
	o.sentInTime += o.ruled
	o.ruled, o.unsent, o.cost = 0, 0, rules.Budget{}
	return o.sentInTime >= mostRuled
}

// charge counts n handoffs and messages that a rule is about to send because of time, and what happened to r. The error
// is limit where they are too many for the workflow of r, for the rule or for the hour. Then o.spent is the workflow or
// the rule, for [op.toldSpent].
func (o *op) charge(r *store.Record, rule rules.Sends, n int) error {
	if !o.Timed {
		return nil
	}
	wf, err := o.Workflow(r.Workflow)
	if wf == nil || err != nil {
		return err
	}
	hour, err := o.RuledIn(o.Now)
	if err != nil {
		return err
	}
	of := rule.File + " " + rule.Route // tells the rules of all files apart
	wf.Timed, hour.All, hour.Of[of] = wf.Timed+n, hour.All+n, hour.Of[of]+n
	if wf.Timed > mostInWorkflow {
		o.spent = string(r.Workflow)
		return schemas.Errorf(schemas.Limit, "the rules sent %d because of time in %s, the limit of a workflow", mostInWorkflow, r.Workflow).
			WithHint("No rule sends anything there any more because of time: send what is left, and give the rule a condition that ends.")
	}
	if hour.Of[of] > mostOfRule || hour.All > mostInHour {
		o.spent = of
		return schemas.Errorf(schemas.Limit, "because of time a rule sends %d in an hour, and all rules %d", mostOfRule, mostInHour).
			WithHint("What times out in this hour stays as it is: look for what is timed_out, and send it again.")
	}
	return cmp.Or(o.PutWorkflow(r.Workflow, *wf), o.PutRuled(hour))
}

// toldSpent tells whether the owner of the workflow and human were told in this hour of the budget that refused a rule
// just now, and notes that they are. It is false where no budget refused.
func (o *op) toldSpent() (told bool, err error) {
	spent := o.spent
	if o.spent = ""; spent == "" {
		return false, nil
	}
	hour, err := o.RuledIn(o.Now)
	if err != nil || slices.Contains(hour.Told, spent) {
		return true, err
	}
	hour.Told = append(hour.Told, spent)
	return false, o.PutRuled(hour)
}
