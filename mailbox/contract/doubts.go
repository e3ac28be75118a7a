package contract

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"handoff/schemas"
)

// Doubts lists statements in a completion that speak against a success, for example a test run that failed. If a
// command was run several times, its last run counts. A completion with doubts never has the outcome success, see
// [CompletionOutcome].
func Doubts(done schemas.Completion) []string {
	found := collectStatements(done)
	if !done.Conforms {
		found.examineOutput(done.Output)
	}
	doubts := found[true]
	v := schemas.ValueOrZero(done.Verification)
	for _, checked := range []struct {
		name    string
		passing *bool
	}{{"tests do", v.TestsPassing}, {"type checks do", v.TypeCheckPassing}, {"lint does", v.LintPassing}} {
		if checked.passing != nil && !*checked.passing {
			doubts = append(doubts, checked.name+" not pass")
		}
	}
	if v.TestsFailed > 0 {
		doubts = append(doubts, schemas.CountNoun(v.TestsFailed, "test")+" failed")
	}
	for i, c := range v.Commands {
		again := func(later schemas.Command) bool { return foldText(later.Command) == foldText(c.Command) }
		if c.ExitCode != 0 && !slices.ContainsFunc(v.Commands[i+1:], again) {
			doubts = append(doubts, fmt.Sprintf("%q ended with %d", schemas.EscapeHidden(schemas.Clip(c.Command, 80)), c.ExitCode))
		}
	}
	return doubts
}

// CheckStrictCompletion refuses a completion with doubts if its handoff is strict.
func CheckStrictCompletion(e *schemas.Expectations, done schemas.Completion) error {
	doubts := Doubts(done)
	if e == nil || !e.Strict || len(doubts) == 0 {
		return nil
	}
	return schemas.Errorf(schemas.Conflict, "this handoff is strict, and the completion says itself: %s", strings.Join(doubts, "; ")).
		WithHint("Mend it and complete again, ask the sender, or give up.")
}

// CheckContradiction refuses a completion that says in one field that the work is not done, for example by success:
// false, unless the holder calls the outcome partial. The server does not choose between the two statements, because
// only the holder knows which statement is right.
func CheckContradiction(in schemas.CompleteIn) error {
	no := collectStatements(schemas.Completion{Result: in.Result, Origin: in.Origin})[false]
	if len(strings.Fields(in.Summary)) < 3 && meansFailure(in.Summary) {
		no = append(no, "summary: "+schemas.EscapeHidden(in.Summary))
	}
	if len(no) == 0 || in.Outcome == schemas.Partial {
		return nil
	}
	return schemas.Invalidf("outcome", "the completion says itself that the work is not done: %s", strings.Join(no, "; ")).
		WithHint("Nothing was completed. Put remarks that are no failure of the work into detail.").WithNext(schemas.AdviceForUnfinished(in.HandoffID)...)
}

// patternsText has the patterns of status fields and of words for a failure. It explains itself. If a field about a
// verification reports a failure, the outcome becomes partial. If a field about the work itself reports a failure, the
// completion is refused, see [CheckContradiction].
//
//go:embed doubts.txt
var patternsText string

var patterns = sync.OnceValue(func() map[string]*regexp.Regexp {
	texts, all := map[string]string{}, map[string]*regexp.Regexp{}
	for line := range strings.Lines(patternsText) {
		if name, text, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			for other, within := range texts {
				text = strings.ReplaceAll(text, "{"+other+"}", within)
			}
			texts[name] += text
		}
	}
	for name, text := range texts {
		all[name] = regexp.MustCompile(text)
	}
	return all
})

func matches(pattern, text string) bool { return patterns()[pattern].MatchString(text) }

// A statusFieldKind is a kind of field in which agents report whether work succeeded, such as exit_code. The pattern
// `names` matches the names of such fields. The function `no` reports whether a value (JSON, without quotation marks)
// means a failure.
type statusFieldKind struct {
	names string
	no    func(value string) bool
}

// statusFields are the kinds of status fields. If several kinds match a name, the first kind decides.
var statusFields = []statusFieldKind{
	{"exit", func(value string) bool { return matches("exit-no", value) }},
	{"bad", func(value string) bool { return !matches("none", value) }},
	{"state", func(value string) bool { return matches("no", value) || meansFailure(value) }},
	{"passed", func(value string) bool { return value != "0" && matches("no", value) || meansFailure(value) }},
}

// meansFailure reports whether a text is a word for unfinished work, or contains a count of failures above zero.
func meansFailure(text string) bool {
	return schemas.OutcomeOfWord(text) == schemas.Partial || matches("failure", schemas.NormaliseWord(text))
}

// hasUnpassedTests reports whether the number of passed tests is less than the total without the skipped tests.
func hasUnpassedTests(passed, total, skipped any) bool {
	n := func(v any) float64 { f, _ := strconv.ParseFloat(fmt.Sprint(v), 64); return f }
	return passed != nil && n(total) > n(passed)+n(skipped)
}

// isShortText reports whether a text has one to three words. A short text may name the end of the work ("timed out"); a
// longer text is a sentence.
func isShortText(text string) bool { return text != "" && len(strings.Fields(text)) <= 3 }

// negativeStatements holds the statements in a completion that speak against its success. The key true has the
// statements about a verification. The key false has the statements about the work itself.
type negativeStatements map[bool][]string

func collectStatements(done schemas.Completion) negativeStatements {
	s := negativeStatements{}
	if extra := schemas.ValueOrZero(done.Origin).Extra; len(extra) > 0 { // compile the forms only if there are fields
		s.examineValue("", extra, false)
	}
	if len(done.Results) > 0 {
		s.examineValue("results", done.Results, false)
	}
	for _, name := range slices.Sorted(maps.Keys(done.Data)) {
		s.examineValue("data."+name, done.Data[name], false)
	}
	return s
}

// examineOutput examines an output that has no schema. All failures in the output count as failed verifications, which
// make the outcome partial and do not refuse the completion. The reason is that an output may report a failure of
// something else than this work.
func (s negativeStatements) examineOutput(output json.RawMessage) {
	var v any
	if json.Unmarshal(output, &v) == nil {
		found := negativeStatements{}
		found.examineValue("output", v, false)
		s[true] = append(s[true], slices.Concat(found[true], found[false])...)
	}
}

// examineValue looks for reports of a failure in the value v at the path at of the completion. The argument verified
// says whether v is part of a verification.
func (s negativeStatements) examineValue(at string, v any, verified bool) {
	f := newReportedField(at, v, verified)
	switch {
	case f.reportsFailure():
		s[f.verified] = append(s[f.verified], at+": "+schemas.EscapeHidden(schemas.Clip(f.text, 80)))
	case f.verified || matches("within", f.name):
		s.examineEntries(at, f.value, f.verified)
	}
}

// examineEntries examines each entry of an object or a list.
func (s negativeStatements) examineEntries(at string, v any, verified bool) {
	switch v := v.(type) {
	case map[string]any:
		if verified = verified || v["total"] != nil; verified && hasUnpassedTests(v["passed"], cmp.Or(v["total"], v["tests"]), v["skipped"]) {
			s[true] = append(s[true], at+": not all passed")
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s.examineValue(strings.TrimPrefix(at+"."+key, "."), v[key], verified)
		}
	case []any:
		for i, e := range v {
			s.examineValue(at+"["+strconv.Itoa(i)+"]", e, verified)
		}
	}
}

// A reportedField is a value in a completion, with its path and with the facts from which
// [reportedField.reportsFailure] decides whether the value speaks against a success.
type reportedField struct {
	at, name string           // its path, and the last word of the path
	value    any              // decoded, if it is JSON in a text
	text     string           // the value as JSON without quotation marks, if its name is a sign
	isText   bool             // the value is a text
	sign     *statusFieldKind // nil if its name is no sign
	verified bool             // it is about a verification
}

func newReportedField(at string, v any, verified bool) reportedField {
	f := reportedField{at: at, value: v}
	f.text, f.isText = v.(string)
	if strings.HasPrefix(f.text, "{") || strings.HasPrefix(f.text, "[") {
		_ = json.Unmarshal([]byte(f.text), &f.value) // from programs; text that is not JSON stays
	}
	f.name, _, _ = strings.Cut(schemas.NormaliseWord(at[strings.LastIndexByte(at, '.')+1:]), "[")
	f.verified = verified || matches("checked", f.name)
	i := slices.IndexFunc(statusFields, func(kind statusFieldKind) bool { return matches(kind.names, f.name) })
	if i < 0 {
		return f
	}
	f.sign = &statusFields[i]
	if b, err := schemas.Encode(f.value); err == nil {
		f.text = strings.Trim(string(b), `"`)
	}
	return f
}

// reportsFailure reports whether a field says that the work is not done, or that a verification failed. A field outside
// of a verification counts only if it is a status field, such as status or exit_code. Within a verification, any text
// with a word for a failure counts, and also a share such as 3/4.
func (f reportedField) reportsFailure() bool {
	if f.sign != nil && f.sign.no(f.text) || f.namesUnsuccessfulEnd() {
		return true
	}
	of, all, share := strings.Cut(f.text, "/")
	return f.verified && (share && hasUnpassedTests(of, all, nil) || f.isText && meansFailure(f.text))
}

// namesUnsuccessfulEnd reports whether a field such as status names an end of the work that is no success. Fields below
// results, data and output do not count, because agents choose the names of these fields freely.
func (f reportedField) namesUnsuccessfulEnd() bool {
	part, _, below := strings.Cut(f.at, ".")
	if below && slices.Contains([]string{"results", "data", "output"}, part) || !f.isText || !isShortText(f.text) {
		return false
	}
	return matches("ends", f.name) && schemas.OutcomeOfWord(f.text) != schemas.Success
}
