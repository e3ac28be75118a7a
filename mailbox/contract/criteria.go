// Package contract compares what a handoff asked for with what came back.
//
// The sender declares criteria: the acceptance criteria of each deliverable, then the success criteria of
// the whole, numbered from 1 by [Criteria]. The receiver is shown those numbers and answers each one, met
// or not, with evidence; [Compare] finds what it did not answer and says exactly what to add. The sender
// may also declare a JSON Schema for the output: [Compile] refuses one that cannot work when it is sent,
// and [Schema.Check] names each violation by its path when the work comes back.
//
// Nothing here keeps state, reads a clock, a file or the network. Schemas and outputs come from strangers,
// so the work that checking may cost is counted before it is done.
//
// Package mailbox compares outside of its transactions, because there is one writer. So everything here may be called
// concurrently, and depends on nothing but its arguments.
package contract

import (
	"slices"
	"strings"

	"handoff/schemas"
)

// Criteria numbers what a handoff declares, from 1: acceptance criteria in the order of the deliverables, then success
// criteria, then checks. A text that differs only in case and spaces from an earlier one has its number. Nothing is
// answered yet: Met is false throughout. Nil expectations declare none.
//
// The numbers are those that the brief shows and a completion answers, so they must not depend on anything but the
// expectations. An amendment adds at the end of its list; numbers that come later may move then, and a completion that
// was compared with the earlier ones is refused.
func Criteria(e *schemas.Expectations) (all []schemas.Answered) {
	asked := schemas.OrZero(e)
	seen := map[string]bool{}
	add := func(texts []string) {
		for _, text := range texts {
			text = strings.TrimSpace(text)
			if f := fold(text); f != "" && !seen[f] {
				seen[f] = true
				all = append(all, schemas.Answered{Number: len(all) + 1, Criterion: text})
			}
		}
	}
	for _, d := range asked.Deliverables {
		add(d.Criteria)
	}
	add(asked.SuccessCriteria)
	for _, check := range asked.Checks {
		all = withCheck(all, check)
	}
	return all
}

// withCheck adds the criterion that a check decides, unless it is there.
func withCheck(all []schemas.Answered, check string) []schemas.Answered {
	if check == "" || slices.ContainsFunc(all, func(a schemas.Answered) bool { return a.Check == check }) {
		return all
	}
	return append(all, schemas.Answered{Number: len(all) + 1, Criterion: "The check " + check + " passes", Check: check})
}

// ByHand are the criteria that the holder has to answer itself: those that no check decides. They have the first
// numbers.
func ByHand(all []schemas.Answered) []schemas.Answered {
	return slices.DeleteFunc(slices.Clone(all), func(a schemas.Answered) bool { return a.Check != "" })
}

// Outcome is success when every criterion is met, also when there is none, and the completion has no [Doubts]; partial
// otherwise, and where the holder says so. A criterion that nobody answered counts as not met.
func Outcome(done schemas.Completion, said schemas.Outcome) schemas.Outcome {
	if said == schemas.Partial || len(Unmet(done.Criteria))+len(Doubts(done)) > 0 {
		return schemas.Partial
	}
	return schemas.Success
}

// Unmet gives the criteria that were answered with no or seen not to hold, in their order. The list is a copy. One that
// nobody answered is among them.
func Unmet(answered []schemas.Answered) []schemas.Answered {
	return slices.DeleteFunc(slices.Clone(answered), schemas.Answered.IsMet)
}

// fold makes texts equal that differ only in case and spaces: models repeat a criterion as they remember it.
func fold(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// Asks tells whether a completion is to be compared with what was asked for.
func Asks(e *schemas.Expectations) bool {
	return e != nil && (e.Strict || len(Criteria(e)) > 0 || len(e.OutputSchema) > 0)
}
