package show

import (
	"fmt"
	"maps"
	"slices"

	"handoff/mailbox/draw"
	"handoff/schemas"
)

// A Step is a command that a person may type next: its words behind the name of the program, and what it does.
type Step struct{ Line, Does string }

// Next are the commands that fit where a handoff stands, most wanted first. What is to be written is left as '…'.
func Next(got schemas.GetOut) (steps []Step) {
	id, st := got.HandoffID, *got.Standing
	add := func(does, line string, words ...any) { steps = append(steps, Step{fmt.Sprintf(line, words...), does}) }
	switch st.Status {
	case schemas.Pending:
		for _, other := range st.BlockedBy {
			if other == approval {
				add("lets it go on", "approve %s", id)
				add("ends it", "refuse %s --reason '…'", id)
				continue
			}
			add("shows what it waits for", "show %s", other)
		}
		add("ends it", "cancel %s --reason '…'", id)
	case schemas.Accepted, schemas.Working:
		if st.Reason != "" {
			add("lets others claim it now", "update %s --release", id)
		}
		add("waits for the outcome", "wait %s", id)
	case schemas.Waiting:
		add("answers, and its holder goes on", "answer %s '…'", id)
	case schemas.Completed:
		if st.Successor == 0 {
			add("gives it back if it is not good enough", "update %s --return --reason '…'", id)
		}
	case schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled:
		add("does it again with what is known", "retry %s", id)
	case schemas.Returned:
	}
	if st.Successor != 0 {
		add("shows what goes on with the work", "show %s", st.Successor)
	}
	return steps
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
