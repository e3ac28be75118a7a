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

// Doubts names what a completion says of itself that speaks against a success: what was verified and did not pass. Of
// a command that was run several times the last run counts. With a doubt it is partial at best, see [Outcome].
func Doubts(done schemas.Completion) []string {
	said := saidBy(done)
	if !done.Conforms {
		said.lookAtOutput(done.Output)
	}
	doubts := said[true]
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

// Strictly refuses a completion of a strict handoff that has doubts.
func Strictly(e *schemas.Expectations, done schemas.Completion) error {
	doubts := Doubts(done)
	if e == nil || !e.Strict || len(doubts) == 0 {
		return nil
	}
	return schemas.Errorf(schemas.Conflict, "this handoff is strict, and the completion says itself: %s", strings.Join(doubts, "; ")).
		WithHint("Mend it and complete again, ask the sender, or give up.")
}

// Contradiction refuses a completion that is not called partial, and in which a field says that the work is not done:
// an error, or a success that is none. Only its holder knows what is meant.
func Contradiction(in schemas.CompleteIn) error {
	no := saidBy(schemas.Completion{Result: in.Result, Origin: in.Origin})[false]
	if len(strings.Fields(in.Summary)) < 3 && isWrong(in.Summary) {
		no = append(no, "summary: "+schemas.Visible(in.Summary))
	}
	if len(no) == 0 || in.Outcome == schemas.Partial {
		return nil
	}
	return schemas.Invalidf("outcome", "the completion says itself that the work is not done: %s", strings.Join(no, "; ")).
		WithHint("Nothing was completed. What is no failure of the work belongs into detail.").WithNext(schemas.AdviceForUnfinished(in.HandoffID)...)
}

// checked are words in the names of fields that say how a verification went. Such a field makes a result partial. One
// that is about the work itself contradicts a completion, see [Contradiction].
const checked = `(?:all|unit|integration|e2e|regression|tests?|testing|lint(?:er|ing)?|types?|typecheck|builds?|compil(?:e|ation)|` +
	`ci|checks?|validations?|verifications?|pipeline|suites?|jobs?|gates?|quality)`

// A sign is a kind of field by which messages say how work went: its names, as [schemas.Word] writes them, and whether
// a value, as JSON without quotation marks, says that it did not go well. A name with any other word in it is no sign:
// "errors" says that something is wrong, "errors_fixed" does not.
type sign struct {
	names *regexp.Regexp
	no    func(value string) bool
}

// forms are the kinds of signs, of which the first that fits a name decides, the names of fields whose value is a word for
// an end, and the names of other objects that are looked into.
var forms = sync.OnceValue(func() (f struct {
	signs                 []sign
	ends, checked, within *regexp.Regexp
},
) {
	value := regexp.MustCompile
	names := func(s string) *regexp.Regexp {
		return value("^(?:(?:is|has|was|num|n|total|" + checked + ")_)*(?:" + s + ")$")
	}
	none, no := value(`(?i)^(?:[][{},]|"[^"]*":|"?(?:0(?:\.0)?|no|none|false|null|nil|n/a)?"?)*$`), value(`(?i)^(?:false|no|0)$`)
	f.signs = []sign{
		{names(`rc|exit|(?:exit|return)_?(?:code|status)`), value(`^-?0*[1-9][0-9]*$`).MatchString},
		{
			names(`(?:fail|failed|failings?|failures?|errors?|errored|broken|crashed|timed_out|aborted|cancell?ed|blocked|blockers?|` +
				`partial|incomplete|invalid|unsuccessful|unresolved|remaining)(?:_(?:count|cases|message|` + checked + `))*|` +
				`(?:requires|needs)_(?:human|attention|review|approval|input|clarification|intervention)(?:_[a-z]+)*|` +
				`(?:human|attention|review|approval|input|intervention)(?:_[a-z]+)*_(?:required|needed)`),
			func(value string) bool { return !none.MatchString(value) },
		},
		{names(`status|state|outcome|conclusion|verdict|acceptance|success|successful|succeeded|ok|completed?|done|finished|approved|accepted|` +
			`go|decision|recommendation|resolution|grade|subtype|(?:stop|finish)_reason`), func(value string) bool {
			return no.MatchString(value) || isWrong(value)
		}},
		{names(`pass|passe[ds]|passing|green|` + checked + `|results?|reports?|summary`), func(value string) bool {
			return value != "0" && no.MatchString(value) || isWrong(value)
		}},
	}
	f.ends = names(`status|state|outcome|conclusion|verdict|acceptance`)
	f.checked = value(`(?:^|_)(?:` + checked + `|rc|exit.*|return.*)(?:_|$)`)
	f.within = value(`^(?:|output|envelope|metadata|meta|metrics|details?|runs?|response|data|status|stats|commands|results?|reports?|summary|` +
		`junit|(?:sub)?(?:tasks|steps))$`)
	return f
})

// wrong are the words for what is not done, and counts of failures, as in "3 failed, 9 passed".
var wrong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:red|ko|(?:gate_|tests?_|checks?_|build_|some_)?fail(?:s|ed|ing|ures?)?|errors?|errored|broken|crashed|` +
		`blocked|stuck|aborted|reject(?:ed)?|den(?:y|ied)|unresolved|do_not_.*|f|(?:error_)?max_[a-z]+|length|skipped|pending|paused|waiting|deferred|escalated|expired|timeout|timed_out|` +
		`cancell?ed|undone|unsuccessful|unknown|invalid|todo|wip|in_progress|no_?go|needs_[a-z]+|changes_requested|request_changes|` +
		`not_(?:done|ok|okay|complete|finished|good|run|working|successful|[a-z]+(?:ed|ing)))$|` +
		`(?:^|_|\W)[1-9][0-9]*_(?:tests?_|checks?_)?(?:fail(?:ed|ing|s|ures?)?|errors?|broken)(?:$|[^a-z_]|_(?:of|out|and|in|tests?|checks?)(?:_|$))`)
})

// isWrong tells whether a text is a word for what is not done, or counts failures.
func isWrong(text string) bool {
	return schemas.Ending(text) == schemas.Partial || wrong().MatchString(schemas.Word(text))
}

// fewer tells whether fewer passed than there are in all, apart from those that were skipped.
func fewer(passed, total, skipped any) bool {
	n := func(v any) float64 { f, _ := strconv.ParseFloat(fmt.Sprint(v), 64); return f }
	return passed != nil && n(total) > n(passed)+n(skipped)
}

// mayEnd tells whether a text is short enough to be a word for an end, and no sentence.
func mayEnd(text string) bool { return text != "" && len(strings.Fields(text)) <= 3 }

// said is what the free fields of a completion say against it: of what was verified (true), and of the work itself.
type said map[bool][]string

func saidBy(done schemas.Completion) said {
	s := said{}
	if extra := schemas.OrZero(done.Origin).Extra; len(extra) > 0 { // the forms are compiled only where there is something
		s.look("", extra, false)
	}
	if len(done.Results) > 0 {
		s.look("results", done.Results, false)
	}
	for _, name := range slices.Sorted(maps.Keys(done.Data)) {
		s.look("data."+name, done.Data[name], false)
	}
	return s
}

// lookAtOutput looks at an output for which the sender gave no schema. What it says of the work makes the result partial:
// an output is what was found, and may be about something else.
func (s said) lookAtOutput(output json.RawMessage) {
	var v any
	if json.Unmarshal(output, &v) == nil {
		found := said{}
		found.look("output", v, false)
		s[true] = append(s[true], slices.Concat(found[true], found[false])...)
	}
}

// look goes through the value at a path, which may be a part of what was verified.
func (s said) look(at string, v any, verified bool) {
	f := fieldOf(at, v, verified)
	switch {
	case f.refutes():
		s[f.verified] = append(s[f.verified], at+": "+schemas.Visible(schemas.Clip(f.text, 80)))
	case f.verified || forms().within.MatchString(f.name):
		s.lookInto(at, f.value, f.verified)
	}
}

// lookInto looks at each entry of an object or a list.
func (s said) lookInto(at string, v any, verified bool) {
	switch v := v.(type) {
	case map[string]any:
		if verified = verified || v["total"] != nil; verified && fewer(v["passed"], cmp.Or(v["total"], v["tests"]), v["skipped"]) {
			s[true] = append(s[true], at+": not all passed")
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s.look(strings.TrimPrefix(at+"."+key, "."), v[key], verified)
		}
	case []any:
		for i, e := range v {
			s.look(at+"["+strconv.Itoa(i)+"]", e, verified)
		}
	}
}

// A field is a value of a completion with what tells whether it speaks against a success.
type field struct {
	at, name string // its path, and the last word of that
	value    any    // JSON that came as text is decoded
	text     string // the value as JSON without quotation marks, where its name is that of a sign
	isText   bool   // it came as text
	sign     *sign  // nil where its name is that of none
	verified bool   // it is about what was verified
}

func fieldOf(at string, v any, verified bool) field {
	f := field{at: at, value: v}
	f.text, f.isText = v.(string)
	if strings.HasPrefix(f.text, "{") || strings.HasPrefix(f.text, "[") {
		_ = json.Unmarshal([]byte(f.text), &f.value) // for programs; what is no JSON stays
	}
	f.name, _, _ = strings.Cut(schemas.Word(at[strings.LastIndexByte(at, '.')+1:]), "[")
	f.verified = verified || forms().checked.MatchString(f.name)
	i := slices.IndexFunc(forms().signs, func(sign sign) bool { return sign.names.MatchString(f.name) })
	if i < 0 {
		return f
	}
	f.sign = &forms().signs[i]
	if b, err := schemas.Encode(f.value); err == nil {
		f.text = strings.Trim(string(b), `"`)
	}
	return f
}

// refutes tells whether a field says that the work is not done, or was not verified. Within what was verified any text
// may say so, and so may a share, as 3/4.
func (f field) refutes() bool {
	if f.sign != nil && f.sign.no(f.text) || f.endsBadly() {
		return true
	}
	of, all, share := strings.Cut(f.text, "/")
	return f.verified && (share && fewer(of, all, nil) || f.isText && isWrong(f.text))
}

// endsBadly tells whether a field names an end other than success. In fields that the holder names freely a status may
// be that of anything.
func (f field) endsBadly() bool {
	part, _, below := strings.Cut(f.at, ".")
	if below && slices.Contains([]string{"results", "data", "output"}, part) || !f.isText || !mayEnd(f.text) {
		return false
	}
	return forms().ends.MatchString(f.name) && schemas.Ending(f.text) != schemas.Success
}
