package show

import (
	"maps"
	"slices"

	"handoff/mailbox/draw"
	"handoff/schemas"
)

// Next are the calls that a person may make next, most wanted first, by where a handoff stands.
func Next(got schemas.GetOut) (calls []schemas.Advice) {
	id, st := got.HandoffID.String(), *got.Standing
	add := func(in schemas.Input, say string) { calls = append(calls, schemas.Call(in, say)) }
	act := func(a schemas.Action, note, say string) {
		add(schemas.UpdateIn{HandoffID: id, Action: a, Note: note}, say)
	}
	look := func(other, say string) { add(schemas.GetIn{HandoffID: other}, say) }
	switch st.Status {
	case schemas.Pending:
		for _, other := range st.BlockedBy {
			if other == approval {
				act(schemas.ActApprove, "", "lets it go on")
				act(schemas.ActRefuse, schemas.Blank, "ends it")
				continue
			}
			look(other, "shows what it waits for")
		}
		act(schemas.ActCancel, schemas.Blank, "ends it")
	case schemas.Accepted, schemas.Working:
		if st.Reason != "" {
			act(schemas.ActRelease, schemas.Blank, "lets others claim it now")
		}
		add(schemas.GetIn{HandoffID: id, View: "outcome", WaitSeconds: schemas.MaxWait}, "waits for the outcome")
	case schemas.Waiting:
		act(schemas.ActAnswer, schemas.Blank, "answers, and its holder goes on")
	case schemas.Completed:
		if st.Successor == 0 {
			act(schemas.ActReturn, schemas.Blank, "gives it back if it is not good enough")
		}
	case schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled:
		act(schemas.ActRetry, "", "does it again with what is known")
	case schemas.Returned:
	}
	if st.Successor != 0 {
		look(st.Successor.String(), "shows what goes on with the work")
	}
	return calls
}

// approval is what a handoff waits for that a person has to approve.
const approval = "approval"

// results are what a completion says of the run: branch, commit, cost, by name.
func results(c *schemas.Completion) (items []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Results)) {
		if value := c.Results[name]; value != nil {
			items = append(items, name+": "+draw.Value(value))
		}
	}
	return items
}
