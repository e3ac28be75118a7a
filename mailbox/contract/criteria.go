// Package contract compares the expectations of a handoff with its result.
//
// The sender declares criteria: the acceptance criteria of each deliverable, then the success criteria of the whole,
// numbered from 1 by [Criteria]. The recipient sees those numbers and answers each one, met or not, with evidence.
// [Compare] finds the criteria without an answer and lists the answers to add. The sender may also declare a JSON
// Schema for the output: [Compile] refuses a schema that cannot work when it is sent, and [Schema.Check] names each
// violation by its path when the work comes back.
//
// The package keeps no state, and reads no clock, file or network. Schemas and outputs come from strangers, so it
// counts the cost of a check before the check begins.
//
// Package mailbox compares outside of its transactions, because there is one writer. So all functions may be called
// concurrently, and depend on nothing but their arguments.
package contract

import (
	"slices"
	"strings"

	"handoff/schemas"
)

// Criteria numbers the criteria of a handoff, from 1: acceptance criteria in the order of the deliverables, then
// success criteria, then checks. A text that differs only in case and spaces from an earlier one shares its number. The
// criteria have no answers yet: Met is false in all of them. Nil expectations have none.
//
// The brief shows these numbers and a completion answers them, so they must depend on nothing but the expectations. An
// amendment adds at the end of a list; later numbers may move then, and the server refuses a completion that was
// compared with the earlier numbers.
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

// withCheck adds the criterion of a check, unless it exists.
func withCheck(all []schemas.Answered, check string) []schemas.Answered {
	if check == "" || slices.ContainsFunc(all, func(a schemas.Answered) bool { return a.Check == check }) {
		return all
	}
	return append(all, schemas.Answered{Number: len(all) + 1, Criterion: "The check " + check + " passes", Check: check})
}

// Manual returns the criteria that the holder has to answer, because no check decides them. They have the first
// numbers.
func Manual(all []schemas.Answered) []schemas.Answered {
	return slices.DeleteFunc(slices.Clone(all), func(a schemas.Answered) bool { return a.Check != "" })
}

// Outcome returns success if every criterion is met and the completion has no [Doubts], also without criteria.
// Otherwise, and if the holder says partial, it returns partial. A criterion without an answer counts as not met.
func Outcome(done schemas.Completion, said schemas.Outcome) schemas.Outcome {
	if said == schemas.Partial || len(Unmet(done.Criteria))+len(Doubts(done)) > 0 {
		return schemas.Partial
	}
	return schemas.Success
}

// Unmet returns the criteria that are answered with no, observed to fail or not answered, in their order. The list is a
// copy.
func Unmet(answered []schemas.Answered) []schemas.Answered {
	return slices.DeleteFunc(slices.Clone(answered), schemas.Answered.IsMet)
}

// fold makes texts equal that differ only in case and spaces, because models repeat a criterion from memory.
func fold(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// Applies reports whether a completion has to be compared with the expectations.
func Applies(e *schemas.Expectations) bool {
	return e != nil && (e.Strict || len(Criteria(e)) > 0 || len(e.OutputSchema) > 0)
}
