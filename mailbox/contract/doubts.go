package contract

import (
	"cmp"
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

// Doubts lists statements in a completion that speak against a success: verifications that did not pass. For a command
// with several runs, the last run counts. A completion with doubts is partial at best, see [Outcome].
func Doubts(done schemas.Completion) []string {
	found := statementsOf(done)
	if !done.Conforms {
		found.examineOutput(done.Output)
	}
	doubts := found[true]
	v := schemas.OrZero(done.Verification)
	for _, checked := range []struct {
		name    string
		passing *bool
	}{{"tests do", v.TestsPassing}, {"type checks do", v.TypeCheckPassing}, {"lint does", v.LintPassing}} {
		if checked.passing != nil && !*checked.passing {
			doubts = append(doubts, checked.name+" not pass")
		}
	}
	if v.TestsFailed > 0 {
		doubts = append(doubts, fmt.Sprintf("%d tests failed", v.TestsFailed))
	}
	for i, c := range v.Commands {
		again := func(later schemas.Command) bool { return fold(later.Command) == fold(c.Command) }
		if c.ExitCode != 0 && !slices.ContainsFunc(v.Commands[i+1:], again) {
			doubts = append(doubts, fmt.Sprintf("%q ended with %d", schemas.Visible(schemas.Clip(c.Command, 80)), c.ExitCode))
		}
	}
	return doubts
}

// CheckStrict refuses a completion with doubts if its handoff is strict.
func CheckStrict(e *schemas.Expectations, done schemas.Completion) error {
	doubts := Doubts(done)
	if e == nil || !e.Strict || len(doubts) == 0 {
		return nil
	}
	return schemas.Errorf(schemas.Conflict, "this handoff is strict, and the completion says itself: %s", strings.Join(doubts, "; ")).
		WithHint("Mend it and complete again, ask the sender, or give up.")
}

// CheckContradiction refuses a completion that is not called partial but has a field which says that the work is not
// done: an error, or a false success. Only the holder knows the right one.
func CheckContradiction(in schemas.CompleteIn) error {
	no := statementsOf(schemas.Completion{Result: in.Result, Origin: in.Origin})[false]
	if len(strings.Fields(in.Summary)) < 3 && meansFailure(in.Summary) {
		no = append(no, "summary: "+schemas.Visible(in.Summary))
	}
	if len(no) == 0 || in.Outcome == schemas.Partial {
		return nil
	}
	return schemas.Invalidf("outcome", "the completion says itself that the work is not done: %s", strings.Join(no, "; ")).
		WithHint("Nothing was completed. Put remarks that are no failure of the work into detail.").WithNext(schemas.AdviceForUnfinished(in.HandoffID)...)
}

// verificationWords matches words in names of fields about a verification. A failure in such a field makes a result
// partial. A failure in a field about the work itself contradicts a completion, see [CheckContradiction].
const verificationWords = `(?:all|unit|integration|e2e|regression|tests?|testing|lint(?:er|ing)?|types?|typecheck|builds?|compil(?:e|ation)|` +
	`ci|checks?|validations?|verifications?|pipeline|suites?|jobs?|gates?|quality)`

// A sign is a kind of field in which messages report the success of work. It has the names of the field, as
// [schemas.Word] writes them, and a function that reports whether a value, as JSON without quotation marks, means a
// failure. A name with any other word in it is no sign: "errors" reports a failure, "errors_fixed" does not.
type sign struct {
	names *regexp.Regexp
	no    func(value string) bool
}

// signForms holds the kinds of signs (the first whose names match decides), the names of fields whose value is a word
// for an end, and the names of other objects that examine descends into.
var signForms = sync.OnceValue(func() (f struct {
	signs                 []sign
	ends, checked, within *regexp.Regexp
},
) {
	value := regexp.MustCompile
	names := func(s string) *regexp.Regexp {
		return value("^(?:(?:is|has|was|num|n|total|" + verificationWords + ")_)*(?:" + s + ")$")
	}
	none, no := value(`(?i)^(?:[][{},]|"[^"]*":|"?(?:0(?:\.0)?|no|none|false|null|nil|n/a)?"?)*$`), value(`(?i)^(?:false|no|0)$`)
	f.signs = []sign{
		{names(`rc|exit|(?:exit|return)_?(?:code|status)`), value(`^-?0*[1-9][0-9]*$`).MatchString},
		{
			names(`(?:fail|failed|failings?|failures?|errors?|errored|broken|crashed|timed_out|aborted|cancell?ed|blocked|blockers?|` +
				`partial|incomplete|invalid|unsuccessful|unresolved|remaining)(?:_(?:count|cases|message|` + verificationWords + `))*|` +
				`(?:requires|needs)_(?:human|attention|review|approval|input|clarification|intervention)(?:_[a-z]+)*|` +
				`(?:human|attention|review|approval|input|intervention)(?:_[a-z]+)*_(?:required|needed)`),
			func(value string) bool { return !none.MatchString(value) },
		},
		{names(`status|state|outcome|conclusion|verdict|acceptance|success|successful|succeeded|ok|completed?|done|finished|approved|accepted|` +
			`go|decision|recommendation|resolution|grade|subtype|(?:stop|finish)_reason`), func(value string) bool {
			return no.MatchString(value) || meansFailure(value)
		}},
		{names(`pass|passe[ds]|passing|green|` + verificationWords + `|results?|reports?|summary`), func(value string) bool {
			return value != "0" && no.MatchString(value) || meansFailure(value)
		}},
	}
	f.ends = names(`status|state|outcome|conclusion|verdict|acceptance`)
	f.checked = value(`(?:^|_)(?:` + verificationWords + `|rc|exit.*|return.*)(?:_|$)`)
	f.within = value(`^(?:|output|envelope|metadata|meta|metrics|details?|runs?|response|data|status|stats|commands|results?|reports?|summary|` +
		`junit|(?:sub)?(?:tasks|steps))$`)
	return f
})

// failureWords matches words for unfinished work, and counts of failures, as in "3 failed, 9 passed".
var failureWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:red|ko|(?:gate_|tests?_|checks?_|build_|some_)?fail(?:s|ed|ing|ures?)?|errors?|errored|broken|crashed|` +
		`blocked|stuck|aborted|reject(?:ed)?|den(?:y|ied)|unresolved|do_not_.*|f|(?:error_)?max_[a-z]+|length|skipped|pending|paused|waiting|deferred|escalated|expired|timeout|timed_out|` +
		`cancell?ed|undone|unsuccessful|unknown|invalid|todo|wip|in_progress|no_?go|needs_[a-z]+|changes_requested|request_changes|` +
		`not_(?:done|ok|okay|complete|finished|good|run|working|successful|[a-z]+(?:ed|ing)))$|` +
		`(?:^|_|\W)[1-9][0-9]*_(?:tests?_|checks?_)?(?:fail(?:ed|ing|s|ures?)?|errors?|broken)(?:$|[^a-z_]|_(?:of|out|and|in|tests?|checks?)(?:_|$))`)
})

// meansFailure reports whether a text is a word for unfinished work, or counts failures.
func meansFailure(text string) bool {
	return schemas.Ending(text) == schemas.Partial || failureWords().MatchString(schemas.Word(text))
}

// passedFewer reports whether fewer passed than there are in all, without the skipped ones.
func passedFewer(passed, total, skipped any) bool {
	n := func(v any) float64 { f, _ := strconv.ParseFloat(fmt.Sprint(v), 64); return f }
	return passed != nil && n(total) > n(passed)+n(skipped)
}

// isShort reports whether a text is short enough to be a word for an end, and not a sentence.
func isShort(text string) bool { return text != "" && len(strings.Fields(text)) <= 3 }

// statements holds the statements of a completion against itself: about a verification (true), and about the work
// (false).
type statements map[bool][]string

func statementsOf(done schemas.Completion) statements {
	s := statements{}
	if extra := schemas.OrZero(done.Origin).Extra; len(extra) > 0 { // compile the forms only if there are fields
		s.examine("", extra, false)
	}
	if len(done.Results) > 0 {
		s.examine("results", done.Results, false)
	}
	for _, name := range slices.Sorted(maps.Keys(done.Data)) {
		s.examine("data."+name, done.Data[name], false)
	}
	return s
}

// examineOutput examines an output without a schema. Its statements about the work make the result only partial: an
// output is a finding, and may be about something else.
func (s statements) examineOutput(output json.RawMessage) {
	var v any
	if json.Unmarshal(output, &v) == nil {
		found := statements{}
		found.examine("output", v, false)
		s[true] = append(s[true], slices.Concat(found[true], found[false])...)
	}
}

// examine reads the value at a path and looks for a failure. verified says that it is part of a verification.
func (s statements) examine(at string, v any, verified bool) {
	f := fieldOf(at, v, verified)
	switch {
	case f.refutes():
		s[f.verified] = append(s[f.verified], at+": "+schemas.Visible(schemas.Clip(f.text, 80)))
	case f.verified || signForms().within.MatchString(f.name):
		s.examineEntries(at, f.value, f.verified)
	}
}

// examineEntries examines each entry of an object or a list.
func (s statements) examineEntries(at string, v any, verified bool) {
	switch v := v.(type) {
	case map[string]any:
		if verified = verified || v["total"] != nil; verified && passedFewer(v["passed"], cmp.Or(v["total"], v["tests"]), v["skipped"]) {
			s[true] = append(s[true], at+": not all passed")
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s.examine(strings.TrimPrefix(at+"."+key, "."), v[key], verified)
		}
	case []any:
		for i, e := range v {
			s.examine(at+"["+strconv.Itoa(i)+"]", e, verified)
		}
	}
}

// A field is a value of a completion with the facts that decide whether it speaks against a success.
type field struct {
	at, name string // its path, and the last word of the path
	value    any    // decoded, if it is JSON in a text
	text     string // the value as JSON without quotation marks, if its name is a sign
	isText   bool   // the value is a text
	sign     *sign  // nil if its name is no sign
	verified bool   // it is about a verification
}

func fieldOf(at string, v any, verified bool) field {
	f := field{at: at, value: v}
	f.text, f.isText = v.(string)
	if strings.HasPrefix(f.text, "{") || strings.HasPrefix(f.text, "[") {
		_ = json.Unmarshal([]byte(f.text), &f.value) // from programs; text that is not JSON stays
	}
	f.name, _, _ = strings.Cut(schemas.Word(at[strings.LastIndexByte(at, '.')+1:]), "[")
	f.verified = verified || signForms().checked.MatchString(f.name)
	i := slices.IndexFunc(signForms().signs, func(sign sign) bool { return sign.names.MatchString(f.name) })
	if i < 0 {
		return f
	}
	f.sign = &signForms().signs[i]
	if b, err := schemas.Encode(f.value); err == nil {
		f.text = strings.Trim(string(b), `"`)
	}
	return f
}

// refutes reports whether a field says that the work is not done, or that a verification failed. Within a verification
// any text may say so, and also a share, as 3/4.
func (f field) refutes() bool {
	if f.sign != nil && f.sign.no(f.text) || f.endsBadly() {
		return true
	}
	of, all, share := strings.Cut(f.text, "/")
	return f.verified && (share && passedFewer(of, all, nil) || f.isText && meansFailure(f.text))
}

// endsBadly reports whether a field names an end other than success. In fields with free names a status may be about
// anything, so they do not count.
func (f field) endsBadly() bool {
	part, _, below := strings.Cut(f.at, ".")
	if below && slices.Contains([]string{"results", "data", "output"}, part) || !f.isText || !isShort(f.text) {
		return false
	}
	return signForms().ends.MatchString(f.name) && schemas.Ending(f.text) != schemas.Success
}
