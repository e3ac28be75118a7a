// Package contract compares the result of a handoff with the sender's expectations.
//
// The sender declares criteria: acceptance criteria of each deliverable, and success criteria of the whole work.
// [NumberedCriteria] numbers them from 1. The recipient sees the numbers and answers each criterion, met or not met, with
// evidence. [Compare] finds the criteria without an answer; its error lists them. The sender may also declare a JSON
// Schema for the output: when the handoff is sent, [Compile] refuses a schema that cannot work, and when the work is
// completed, [Schema.Check] names the path of each violation in the output.
//
// The package keeps no state, and reads no clock, file or network. Schemas and outputs come from agents that the server
// cannot trust, so the package computes how long a check would take before the check begins.
//
// All functions may be called concurrently, and depend on nothing but their arguments. Package mailbox calls them
// outside of its transactions, because only one transaction can write at a time and a comparison would delay the
// others.
package contract

import (
	"slices"
	"strings"

	"handoff/schemas"
)

// NumberedCriteria numbers the criteria of a handoff, from 1: acceptance criteria in the order of the deliverables, then
// success criteria, then checks. A criterion whose text differs from an earlier criterion only in case and spaces is
// the same criterion, and is listed once. The returned criteria have no answers yet: Met is false in all of them. Nil
// expectations have no criteria.
//
// The brief shows these numbers and the holder's answers name them, so the numbers must depend on nothing but the
// expectations. An amendment adds criteria at the end of a list. The numbers of later lists may change then, so the
// server refuses a completion that was compared with the expectations before the amendment.
func NumberedCriteria(e *schemas.Expectations) (all []schemas.Answered) {
	asked := schemas.OrZero(e)
	seen := map[string]bool{}
	add := func(texts []string) {
		for _, text := range texts {
			text = strings.TrimSpace(text)
			if f := foldText(text); f != "" && !seen[f] {
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
		all = addCheckCriterion(all, check)
	}
	return all
}

// addCheckCriterion adds the criterion of a check, unless it exists.
func addCheckCriterion(all []schemas.Answered, check string) []schemas.Answered {
	if check == "" || slices.ContainsFunc(all, func(a schemas.Answered) bool { return a.Check == check }) {
		return all
	}
	return append(all, schemas.Answered{Number: len(all) + 1, Criterion: "The check " + check + " passes", Check: check})
}

// CriteriaWithoutCheck returns the criteria that the holder has to answer, because no check decides them. Their numbers come
// before the numbers of checks.
func CriteriaWithoutCheck(all []schemas.Answered) []schemas.Answered {
	return slices.DeleteFunc(slices.Clone(all), func(a schemas.Answered) bool { return a.Check != "" })
}

// CompletionOutcome returns the outcome of a completion: partial if the holder says partial, if a criterion is not met or not
// answered, or if the completion has [Doubts]; otherwise success, even if there are no criteria.
func CompletionOutcome(done schemas.Completion, said schemas.Outcome) schemas.Outcome {
	if said == schemas.Partial || len(UnmetCriteria(done.Criteria))+len(Doubts(done)) > 0 {
		return schemas.Partial
	}
	return schemas.Success
}

// UnmetCriteria returns a new list of the criteria that are not met, in their order: the holder answered that the criterion is
// not met, a check of it failed, or it has no answer.
func UnmetCriteria(answered []schemas.Answered) []schemas.Answered {
	return slices.DeleteFunc(slices.Clone(answered), schemas.Answered.IsMet)
}

// foldText returns a text in lower case and with single spaces, to compare criteria: models repeat a criterion from memory,
// with other case and spaces.
func foldText(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// NeedsComparison reports whether a completion has to be compared with the expectations.
func NeedsComparison(e *schemas.Expectations) bool {
	return e != nil && (e.Strict || len(NumberedCriteria(e)) > 0 || len(e.OutputSchema) > 0)
}
