package schemas

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

// endWords has the words for the end of a piece of work, in the form that [NormaliseWord] returns, each behind the
// outcome that it means. A completion whose status is none of these words completes nothing.
//
//go:embed ending.txt
var endWords string

// OutcomeOfWord reads a word about the end of work, from any protocol. It returns success for a word that means done,
// and partial for a word that means partly done. For any other word it returns "", so that an unknown word never
// completes work.
func OutcomeOfWord(text string) Outcome {
	word := NormaliseWord(text)
	for row := range strings.Lines(endWords) {
		if outcome, words, _ := strings.Cut(row, ": "); slices.Contains(strings.Fields(words), word) {
			return Outcome(outcome)
		}
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
