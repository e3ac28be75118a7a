package contract

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"handoff/schemas"
)

// answersField is the field that an error names if one of the holder's answers is wrong or missing. An error about one
// answer also has the index of the answer.
const answersField = "verification.criteria"

// Compare matches the answers of a completion with the criteria of e. It returns the criteria with their answers, in
// the order of the criteria. It returns nil if e has no criteria and the completion has no answers. An answer names its
// criterion by number ("1", "#1", "1.") or by text. Case and spaces do not matter.
//
// The result of a check answers the criterion of the check. If the holder answers met: false, this answer counts
// instead. A check that was not run counts as not met, even if the holder says met. The exception: e accepts the
// holder's word, and the check did not fail before. A check that was not run needs no answer if the holder calls the
// outcome partial, or if e is strict.
//
// Errors, all with the field verification.criteria:
//   - invalid: an answer names no criterion of the handoff.
//   - invalid: two answers to one criterion differ.
//   - invalid: criteria have no answer. The error lists their numbers, so that one more call is enough.
//   - conflict: e is strict and a criterion is not met.
//   - conflict: a check failed, and the holder does not call the result partial.
func Compare(e *schemas.Expectations, v *schemas.Verification, partial bool, seen *schemas.CheckReport) ([]schemas.AnsweredCriterion, error) {
	asked := NumberedCriteria(e)
	for _, check := range seen.Checks() {
		asked = addCheckCriterion(asked, check)
	}
	a := criteriaAnswers{asked, make([]bool, len(asked))}
	if err := a.addAnswers(schemas.ValueOrZero(v).Criteria); err != nil {
		return nil, err
	}
	want := schemas.ValueOrZero(e)
	failing := a.addObservations(want, partial, seen)
	if err := cmp.Or(a.missingAnswersError(), failedChecksError(failing, seen)); err != nil {
		return nil, err
	}
	if unmet := UnmetCriteria(asked); want.Strict && len(unmet) > 0 {
		return nil, schemas.Errorf(schemas.Conflict, "this handoff is strict, and not all of its criteria are met: %s",
			strings.Join(criterionLines(unmet), "; ")).WithField(answersField).
			WithHint("Meet them and complete again, ask the sender, or give up.")
	}
	return asked, nil
}

// criteriaAnswers holds the criteria of a handoff with their answers. The list done says for each criterion whether the
// criterion needs no further answer.
type criteriaAnswers struct {
	asked []schemas.AnsweredCriterion
	done  []bool
}

// addAnswers adds the answers of the holder.
func (a criteriaAnswers) addAnswers(given []schemas.Criterion) error {
	for i, c := range given {
		at := findCriterion(a.asked, c.Criterion)
		if at < 0 {
			return unknownCriterionError(a.asked, i, c.Criterion)
		}
		if a.done[at] && a.asked[at].Met != c.Met {
			return schemas.Invalidf(answersField, "criterion %s is answered both met and not met", criterionLine(a.asked[at])).
				WithHint("Answer it once; a criterion that is met in part is not met.") // only the holder knows which answer is right
		}
		a.done[at], a.asked[at].Met = true, c.Met
		a.asked[at].Evidence = joinEvidence(a.asked[at].Evidence, c.Evidence)
	}
	return nil
}

// addObservations adds the observations of checks to their criteria. It returns the criteria whose check failed, except
// those for which the holder answered met: false. If the outcome is partial, it returns none.
func (a criteriaAnswers) addObservations(want schemas.Expectations, partial bool, seen *schemas.CheckReport) (failing []schemas.AnsweredCriterion) {
	for i := range a.asked {
		c := &a.asked[i]
		if c.Check == "" {
			continue
		}
		if c.Observed = seen.Observation(c.Check); c.Observed == nil {
			c.Unobserved = unobservedReason(c.Check, seen)
			c.Claimed = want.Evidence == schemas.EvidenceClaimed && seen.EarlierFailure(c.Check) == nil
			a.done[i] = a.done[i] || partial || want.Strict && !c.Claimed
			continue
		}
		if !c.Observed.Passed && !partial && (c.Met || !a.done[i]) {
			failing = append(failing, *c)
		}
		c.Met, a.done[i] = c.Met || !a.done[i] && c.Observed.Passed, true
	}
	return failing
}

var (
	numberForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:criterion )?[#(]?([0-9]{1,4})[.):]?$`) })
	numberedForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[#(]?([0-9]{1,4})[.):]+\s*(.+)$`) })
)

// findCriterion returns the index of the criterion that an answer names, or -1. It compares the name with the texts of
// the criteria first. So "2" means a criterion with the text "2" if there is such a criterion, and otherwise the second
// criterion.
func findCriterion(asked []schemas.AnsweredCriterion, name string) int {
	name = foldText(name)
	for i, a := range asked {
		if foldText(a.Criterion) == name {
			return i
		}
	}
	if m := numberForm().FindStringSubmatch(name); m != nil {
		return indexOfNumber(asked, m[1])
	}
	if m := numberedForm().FindStringSubmatch(name); m != nil {
		// Number and text must both match: if the text differs, the number may be a slip, and the answer must not go to
		// the wrong criterion.
		if i := indexOfNumber(asked, m[1]); i >= 0 && foldText(asked[i].Criterion) == m[2] {
			return i
		}
	}
	return -1
}

// indexOfNumber returns the index of the criterion with a number in digits ("3" gives 2), or -1 if no criterion has the
// number.
func indexOfNumber(asked []schemas.AnsweredCriterion, digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > len(asked) {
		return -1
	}
	return n - 1
}

// joinEvidence joins all evidence for one criterion.
func joinEvidence(have, more string) string {
	if have == "" || more == "" || have == more {
		return cmp.Or(have, more)
	}
	return have + "; " + more
}

// The limits of an error's text. The model that gets the error has to read it, so a longer text would cost more tokens
// than the missing answers.
const (
	maxCriteria    = 20
	maxTextBytes   = 200     // for one text
	maxOutputBytes = 4 << 10 // for the output of all failed checks
)

// unknownCriterionError returns the error for an answer that names no criterion. The error lists the existing criteria.
func unknownCriterionError(asked []schemas.AnsweredCriterion, i int, name string) error {
	field := fmt.Sprintf("%s[%d].criterion", answersField, i)
	name = schemas.Clip(schemas.EscapeHidden(name), maxTextBytes)
	if len(asked) == 0 {
		return schemas.Invalidf(field, "%q answers nothing: this handoff declares no criteria", name).
			WithHint("Leave the answers out; say it in a note.")
	}
	return schemas.Invalidf(field, "%q is not a criterion of this handoff", name).
		WithHint("Name a criterion by its number, 1 to %d.", len(asked)).
		WithChoices(criterionLines(asked)...)
}

// missingAnswersError returns an error with the numbers of all unanswered criteria, or nil if every criterion has an
// answer.
func (a criteriaAnswers) missingAnswersError() error {
	var open []schemas.AnsweredCriterion
	hint := "Answer each of them too, as {criterion: number, met: true or false, evidence: text}."
	for i, c := range a.asked {
		if !a.done[i] {
			if open = append(open, c); c.Unobserved != "" {
				hint = missingHint
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	return schemas.Invalidf(answersField, "criteria not answered, %d of %d: %s",
		len(open), len(a.asked), strings.Join(criterionLines(open), "; ")).
		WithHint("%s", hint)
}

// missingHint advises the holder to make the check run, because an answer is only the holder's word.
const missingHint = "If you can, mend the reason why it was not observed, and complete again. Else, and for a criterion without a check, answer: " +
	"{criterion: number, met: true or false, evidence: text}. A check is not met by that: the result is partial until it " +
	"passes or the sender accepts the result, unless the sender said that a claim is enough."

// failedChecksError returns the error for a completion whose checks failed, with the last lines of their output. It
// returns nil if no check failed.
func failedChecksError(checks []schemas.AnsweredCriterion, seen *schemas.CheckReport) error {
	if len(checks) == 0 {
		return nil
	}
	texts := schemas.Map(checks, func(a schemas.AnsweredCriterion) string {
		text, tail := fmt.Sprintf("%d: %s", a.Number, a.Observed), a.Observed.Tail
		if tail != "" {
			text += "\n" + schemas.EscapeHidden(strings.ToValidUTF8(tail[max(0, len(tail)-maxOutputBytes/len(checks)):], ""))
		}
		return text
	})
	if len(seen.Uncommitted) > 0 {
		texts = append(texts, fmt.Sprintf("In no commit, so not looked at: %s.", firstFileNames(seen.Uncommitted)))
	}
	return schemas.Errorf(schemas.Conflict, "it is not done: %s", strings.Join(texts, "\n")).WithField(answersField).
		WithHint("Mend it, commit, and complete again. To hand it in unfinished, answer criterion %d with met: false.", checks[0].Number)
}

// criterionLine returns a criterion on one line of at most 200 bytes, with its number. For a check that was not
// observed, the line ends with the reason.
func criterionLine(a schemas.AnsweredCriterion) string {
	text := strings.Join(strings.Fields(a.Criterion), " ")
	text = fmt.Sprintf("%d: %s", a.Number, schemas.Clip(schemas.EscapeHidden(text), maxTextBytes))
	if a.Unobserved != "" {
		text += " (not observed: " + a.Unobserved + ")"
	}
	return text
}

// criterionLines returns a line for each criterion, at most twenty lines and then a count of the other criteria.
func criterionLines(list []schemas.AnsweredCriterion) []string {
	return firstTextsAndCount(schemas.Map(list, criterionLine), maxCriteria)
}

// firstTextsAndCount returns at most `most` of the texts, and then the number of the other texts ("and 5 more").
func firstTextsAndCount(texts []string, most int) []string {
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf("and %d more", more))
	}
	return texts
}
