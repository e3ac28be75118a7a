package schemas

import (
	"slices"
	"strings"
	"unicode"
)

// The words for the end of a piece of work, in the form that [NormaliseWord] returns. A completion whose status is in
// neither of the two lists completes nothing.
const (
	DoneWords = "done complete completed finished finalized success successful successfully succeeded ok okay yes true " +
		"pass passes passed passing green merged resolved fixed closed approved approve lgtm implemented delivered shipped " +
		"deployed verified validated all_done all_good all_green all_passed all_passing all_tests_passed all_tests_pass " +
		"tests_passed tests_pass tests_passing fully_done fully_complete fully_completed task_done task_complete " +
		"task_completed work_done work_complete work_completed job_done completed_successfully successfully_completed " +
		"finished_successfully"
	PartlyWords = "partial partially partly incomplete unfinished in_part partial_success partially_successful " +
		"partially_done partially_complete partially_completed partial_completion partly_done partly_complete " +
		"partly_completed done_in_part mostly_done mostly_complete mostly_completed almost_done nearly_done half_done " +
		"done_with_concerns done_with_warnings done_with_issues done_with_errors completed_with_concerns " +
		"completed_with_warnings completed_with_issues completed_with_errors success_with_concerns success_with_warnings " +
		"success_with_issues passed_with_warnings passed_with_concerns"
)

// OutcomeOfWord reads a word about the end of work, from any protocol. It returns success for a word that means done,
// and partial for a word that means partly done. For any other word it returns "", so that an unknown word never
// completes work.
func OutcomeOfWord(text string) Outcome {
	switch word := NormaliseWord(text); {
	case slices.Contains(strings.Fields(DoneWords), word):
		return Success
	case slices.Contains(strings.Fields(PartlyWords), word):
		return Partial
	}
	return ""
}

// NormaliseWord returns a text in lower case, with one underscore between its words. It removes quotation marks, check
// marks and similar signs around the text. A cross and a question mark stay, because they may mean the opposite of
// done.
func NormaliseWord(text string) string {
	text = strings.TrimRight(strings.Trim(text, " \t\r\n\"'`*.:✓✔✅☑🎉👍🟢\uFE0F"), "! ")
	return strings.Join(strings.FieldsFunc(SnakeCase(text), func(r rune) bool { return r == '_' || unicode.IsSpace(r) }), "_")
}

// AdviceForUnfinished returns the calls that a holder may make for a handoff whose work is not done, or perhaps not
// done: complete it in part, ask, or fail it.
func AdviceForUnfinished(id string) []Advice {
	return []Advice{
		AdviseCall(CompleteIn{HandoffID: id, Outcome: Partial, Result: Result{Summary: Blank}}, "ends it as done in part"),
		AdviseCall(UpdateIn{HandoffID: id, Action: ActAsk, Questions: []string{Blank}}, "asks for what is missing"),
		AdviseCall(FailIn{HandoffID: id, FailureDetail: FailureDetail{Description: Blank}}, "gives it up"),
	}
}

// SnakeCase writes a name in any spelling as snake_case: timeoutMs, Timeout-Ms and "TIMEOUT MS" become timeout_ms.
func SnakeCase(name string) string {
	var b strings.Builder
	name = strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimSpace(name))
	for i := range len(name) {
		c := name[i]
		if c < 'A' || 'Z' < c {
			b.WriteByte(c)
			continue
		}
		afterWord := i > 0 && isLowerOrDigit(name[i-1])
		endsAcronym := i > 0 && name[i-1] != '_' && i+1 < len(name) && isLowerOrDigit(name[i+1])
		if afterWord || endsAcronym {
			b.WriteByte('_')
		}
		b.WriteByte(c - 'A' + 'a')
	}
	return b.String()
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
