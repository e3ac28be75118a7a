package contract

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"handoff/schemas"
)

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

// signs are the kinds, of which the first that fits a name decides. Within are other names of objects that are looked into.
var signs = sync.OnceValue(func() (f struct {
	all             []sign
	checked, within *regexp.Regexp
}) {
	names := func(s string) *regexp.Regexp {
		return regexp.MustCompile("^(?:(?:is|has|was|num|n|total|" + checked + ")_)*(?:" + s + ")$")
	}
	some := func(value string) bool { return !meanings().none.MatchString(value) }
	f.all = []sign{
		{names(`rc|(?:exit|return)_?(?:code|status)`), meanings().exit.MatchString},
		{names(`(?:fail|failed|failings?|failures?|errors?|errored|broken|crashed|timed_out|aborted|cancell?ed|blocked|blockers?|` +
			`partial|incomplete|invalid|unsuccessful)(?:_(?:count|cases|message|` + checked + `))*`), some},
		{names(`(?:requires|needs)_(?:human|attention|review|approval|input|clarification|intervention)(?:_[a-z]+)*|` +
			`(?:human|attention|review|approval|input|intervention)(?:_[a-z]+)*_(?:required|needed)`), some},
		{names(`status|state|outcome|conclusion|verdict|acceptance`), func(value string) bool {
			return !strings.ContainsAny(value, "{[") && some(value) && schemas.Ending(value) != schemas.Success || meanings().no.MatchString(value)
		}},
		{names(`success|successful|succeeded|ok|valid|completed?|done|finished|approved|accepted`), func(value string) bool {
			return meanings().no.MatchString(value) || isWrong(value)
		}},
		{names(`pass|passe[ds]|passing|green|` + checked + `|results?|reports?|summary`), func(value string) bool {
			return value != "0" && meanings().no.MatchString(value) || isWrong(value)
		}},
	}
	f.checked = regexp.MustCompile(`(?:^|_)(?:` + checked + `|rc|exit.*|return.*)(?:_|$)`)
	f.within = regexp.MustCompile(`^(?:|envelope|metadata|meta|details?|runs?|response|data|status|stats|commands|results?|reports?|summary)$`)
	return f
})

// meanings are of the values that decide.
var meanings = sync.OnceValue(func() (f struct{ none, no, exit, word, count *regexp.Regexp }) {
	f.none = regexp.MustCompile(`(?i)^(?:[][{},]|"[^"]*":|"?(?:0(?:\.0)?|no|none|false|null|nil|n/a)?"?)*$`)
	f.no = regexp.MustCompile(`(?i)^(?:false|no|0)$`)
	f.exit = regexp.MustCompile(`^-?0*[1-9][0-9]*$`)
	f.word = regexp.MustCompile(`^(?:red|ko|(?:gate_|tests?_|checks?_|build_|some_)?fail(?:s|ed|ing|ures?)?|errors?|errored|broken|crashed|blocked|stuck|` +
		`aborted|rejected|denied|skipped|pending|paused|waiting|deferred|escalated|expired|timeout|timed_out|cancell?ed|undone|` +
		`unsuccessful|unknown|invalid|todo|wip|in_progress|no_?go|needs_[a-z]+|changes_requested|request_changes|` +
		`not_(?:done|ok|okay|complete|finished|good|run|working|successful|[a-z]+(?:ed|ing)))$`)
	f.count = regexp.MustCompile(`(?i)\b[1-9][0-9]* (?:tests? |checks? )?(?:fail|error|broken)`)
	return f
})

// isWrong tells whether a text is a word for what is not done, or counts failures.
func isWrong(text string) bool {
	word := schemas.Word(text)
	return schemas.Ending(word) == schemas.Partial || meanings().word.MatchString(word) || meanings().count.MatchString(text)
}

// said is what the free fields of a completion say against it: of what was verified, and of the work itself.
type said struct{ checks, work []string }

func saidBy(done schemas.Completion) (s said) {
	s.look("", schemas.OrZero(done.Origin).Extra, false)
	s.look("results", done.Results, false)
	for _, name := range slices.Sorted(maps.Keys(done.Data)) {
		s.look("data."+name, done.Data[name], false)
	}
	return s
}

// look goes through the value at a path. Within what was verified every text counts.
func (s *said) look(at string, v any, verified bool) {
	text, isText := v.(string)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		_ = json.Unmarshal([]byte(text), &v) // for programs; what is no JSON stays
	}
	name, _, _ := strings.Cut(schemas.Word(at[strings.LastIndexByte(at, '.')+1:]), "[")
	verified = verified || signs().checked.MatchString(name)
	i := slices.IndexFunc(signs().all, func(sign sign) bool { return sign.names.MatchString(name) })
	if b, err := schemas.Encode(v); i >= 0 && err == nil {
		text = strings.Trim(string(b), `"`)
	}
	switch no := i >= 0 && signs().all[i].no(text) || verified && isText && isWrong(text); {
	case no && verified:
		s.checks = append(s.checks, at+": "+schemas.Visible(schemas.Clip(text, 80)))
		return
	case no:
		s.work = append(s.work, at+": "+schemas.Visible(schemas.Clip(text, 80)))
		return
	case !verified && !signs().within.MatchString(name):
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s.look(strings.TrimPrefix(at+"."+key, "."), v[key], verified)
		}
	case []any:
		for i, e := range v {
			s.look(at+"["+strconv.Itoa(i)+"]", e, verified)
		}
	}
}
