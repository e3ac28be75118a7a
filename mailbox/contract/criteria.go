// Package contract compares the result of a handoff with the sender's expectations.
//
// The sender declares criteria, and the holder answers each criterion, met or not met, with evidence.
// [NumberedCriteria] numbers the criteria from 1. [Compare] matches the answers with the criteria, and its error lists
// the criteria without an answer. The sender may also declare a JSON Schema for the output. [Compile] refuses an
// unusable schema when the handoff is sent. [Schema.Check] names the path of each violation when the work is completed.
//
// The package keeps no state, and reads no clock, file or network. All functions may be called concurrently. Package
// mailbox calls them outside of its transactions, because a slow comparison would delay all other writers. Schemas and
// outputs come from agents that the server cannot trust, so the package computes how long a check would take before the
// check begins.
package contract

import (
	"slices"
	"strings"

	"handoff/schemas"
)

// NumberedCriteria numbers the criteria of a handoff, from 1: acceptance criteria in the order of the deliverables,
// then success criteria, then checks. Criteria that differ only in case and spaces are listed once. Met is false in all
// returned criteria. Nil expectations have no criteria.
//
// The brief shows these numbers, and the holder answers by them. So they depend only on the expectations. An amendment
// may change the numbers. So the server refuses a completion that was compared with the expectations before the
// amendment.
func NumberedCriteria(e *schemas.Expectations) (all []schemas.AnsweredCriterion) {
	asked := schemas.ValueOrZero(e)
	seen := map[string]bool{}
	add := func(texts []string) {
		for _, text := range texts {
			text = strings.TrimSpace(text)
			if f := foldText(text); f != "" && !seen[f] {
				seen[f] = true
				all = append(all, schemas.AnsweredCriterion{Number: len(all) + 1, Criterion: text})
			}
		}
	}
	add(asked.CriterionTexts())
	for _, check := range asked.Checks {
		all = addCheckCriterion(all, check)
	}
	return all
}

// addCheckCriterion adds the criterion of a check, unless the list already has the check.
func addCheckCriterion(all []schemas.AnsweredCriterion, check string) []schemas.AnsweredCriterion {
	if check == "" || slices.ContainsFunc(all, func(a schemas.AnsweredCriterion) bool { return a.Check == check }) {
		return all
	}
	return append(all, schemas.AnsweredCriterion{Number: len(all) + 1, Criterion: "The check " + check + " passes", Check: check})
}

// CriteriaWithoutCheck returns the criteria that the holder has to answer, because no check decides them. Their numbers
// come before the numbers of checks.
func CriteriaWithoutCheck(all []schemas.AnsweredCriterion) []schemas.AnsweredCriterion {
	return slices.DeleteFunc(slices.Clone(all), func(a schemas.AnsweredCriterion) bool { return a.Check != "" })
}

// CompletionOutcome returns the outcome of a completion. The outcome is partial if the holder says partial, if a
// criterion is not met or not answered, or if the completion has [Doubts]. Otherwise the outcome is success, even
// without criteria.
func CompletionOutcome(done schemas.Completion, said schemas.Outcome) schemas.Outcome {
	if said == schemas.Partial || len(UnmetCriteria(done.Criteria))+len(Doubts(done)) > 0 {
		return schemas.Partial
	}
	return schemas.Success
}

// UnmetCriteria returns a new list of the criteria that are not met, in their order. A criterion is not met if the
// holder says so, if its check failed, or if it has no answer.
func UnmetCriteria(answered []schemas.AnsweredCriterion) []schemas.AnsweredCriterion {
	return slices.DeleteFunc(slices.Clone(answered), schemas.AnsweredCriterion.IsMet)
}

// foldText returns a text in lower case and with single spaces, to compare criteria. Models repeat a criterion from
// memory, with other case and spaces.
func foldText(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// NeedsComparison reports whether a completion has to be compared with the expectations.
func NeedsComparison(e *schemas.Expectations) bool {
	return e != nil && (e.Strict || len(NumberedCriteria(e)) > 0 || len(e.OutputSchema) > 0)
}
