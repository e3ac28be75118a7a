package contract

import (
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

// checked are words in the names of fields that say how a verification went. Such a field makes a result partial. One
// that is about the work itself contradicts a completion, see [Contradiction].
const checked = `(?:all|unit|integration|e2e|regression|tests?|testing|lint(?:er|ing)?|types?|typecheck|builds?|compil(?:e|ation)|` +
	`ci|checks?|validations?|verifications?|pipeline|suites?|jobs?|gates?|quality)`

// A sign is a kind of field by which messages say how work went.
type sign struct {
	name *regexp.Regexp   // as [schemas.Word] writes it
	no   func(v any) bool // tells whether the value says that it did not go well
}

// forms are the signs, of which the first that fits a name decides, the names of objects that are looked into. A name with any other word in it is no sign: "errors" says that something is wrong, "errors_fixed" does not.
var forms = sync.OnceValue(func() (f struct {
	signs           []sign
	checked, within *regexp.Regexp
}) {
	name := func(s string) *regexp.Regexp {
		return regexp.MustCompile("^(?:(?:is|has|was|num|n|total|" + checked + ")_)*(?:" + s + ")$")
	}
	f.signs = []sign{
		{name(`rc|(?:exit|return)_?(?:code|status)`), func(v any) bool { return isNumber(v) && saysSome(v) }},
		{name(`(?:fail|failed|failings?|failures?|errors?|errored|broken|crashed|timed_out|aborted|cancell?ed|blocked|blockers?|` +
			`partial|incomplete|invalid|unsuccessful)(?:_(?:count|cases|message|` + checked + `))*`), saysSome},
		{name(`(?:requires|needs)_(?:human|attention|review|approval|input|clarification|intervention)(?:_[a-z]+)*|` +
			`(?:human|attention|review|approval|input|intervention)(?:_[a-z]+)*_(?:required|needed)`), saysSome},
		{name(`pass|passe[ds]|passing|success|successful|succeeded|ok|green|valid|completed?|done|finished|approved|accepted`), saysNo},
		{name(`status|state|outcome|conclusion|verdict|acceptance`), func(v any) bool {
			return text(v) != "" && schemas.Ending(text(v)) != schemas.Success
		}},
		{name(checked + `|results?|reports?|summary`), func(v any) bool { return !isNumber(v) && saysNo(v) }},
	}
	f.checked = regexp.MustCompile(`(?:^|_)(?:` + checked + `|rc|exit.*|return.*)(?:_|$)`)
	f.within = regexp.MustCompile(`^(?:envelope|metadata|meta|details?|runs?|response|data|status|stats|commands|results?|reports?|summary)$`)
	return f
})

// text is a value as it is written, "" for none, a list and an object.
func text(v any) string {
	switch v.(type) {
	case nil, []any, map[string]any:
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(v))
}

func isNumber(v any) bool {
	_, err := strconv.ParseFloat(text(v), 64)
	return err == nil
}

// saysSome tells whether there is any of what should not be.
func saysSome(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, saysSome)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), saysSome)
	}
	return !slices.Contains([]string{"", "0", "0.0", "no", "none", "false", "null", "nil", "n/a"}, strings.ToLower(text(v)))
}

// failures are the words and the counts that mean a failure wherever they stand.
var failures = sync.OnceValue(func() (f struct{ word, count *regexp.Regexp }) {
	f.word = regexp.MustCompile(`^(?:red|ko|(?:[a-z]+_)?fail(?:s|ed|ing|ure)?|errors?|errored|broken|crashed|blocked|stuck|` +
		`aborted|rejected|denied|skipped|pending|paused|waiting|deferred|escalated|expired|timeout|timed_out|cancell?ed|undone|` +
		`unsuccessful|unknown|invalid|todo|wip|in_progress|no_?go|needs_[a-z]+|changes_requested|request_changes|` +
		`not_(?:done|ok|okay|complete|finished|good|run|working|successful|[a-z]+(?:ed|ing)))$`)
	f.count = regexp.MustCompile(`(?i)\b[1-9][0-9]* (?:tests? |checks? )?(?:fail|error|broken)`)
	return f
})

// saysWrong tells whether a text names a failure, or counts some.
func saysWrong(v any) bool {
	word := schemas.Word(text(v))
	return schemas.Ending(word) == schemas.Partial || failures().word.MatchString(word) || failures().count.MatchString(text(v))
}

// saysNo is [saysWrong], or a plain no.
func saysNo(v any) bool {
	return slices.Contains([]string{"false", "no", "0"}, strings.ToLower(text(v))) || saysWrong(v)
}

// said is what the free fields of a completion say against it: of what was verified, and of the work itself.
type said struct{ checks, work []string }

// look goes through a value at a path. Within what was verified every text counts.
func (s *said) look(at string, v any, verified bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s.field(strings.TrimPrefix(at+"."+key, "."), schemas.Word(key), v[key], verified)
		}
	case []any:
		for i, e := range v {
			s.look(at+"["+strconv.Itoa(i)+"]", e, verified)
		}
	case string:
		if verified && saysWrong(v) {
			s.checks = append(s.checks, against(at, v))
		}
	}
}

func (s *said) field(at, name string, v any, verified bool) {
	if t, ok := v.(string); ok && strings.ContainsAny(t[:min(len(t), 1)], "{[") {
		_ = json.Unmarshal([]byte(t), &v) // a text for programs; what is no JSON stays
	}
	verified = verified || forms().checked.MatchString(name)
	i := slices.IndexFunc(forms().signs, func(sign sign) bool { return sign.name.MatchString(name) })
	switch {
	case i >= 0 && forms().signs[i].no(v) && verified:
		s.checks = append(s.checks, against(at, v))
	case i >= 0 && forms().signs[i].no(v):
		s.work = append(s.work, against(at, v))
	case verified || forms().within.MatchString(name):
		s.look(at, v, verified)
	}
}

func against(at string, v any) string {
	b, _ := json.Marshal(v) // it was JSON
	return schemas.Visible(fmt.Sprintf("%s: %s", at, schemas.Clip(string(b), 80)))
}

// saidBy looks through the fields of a completion that have no meaning of ours.
func saidBy(done schemas.Completion) (s said) {
	s.look("", schemas.OrZero(done.Origin).Extra, false)
	s.look("results", done.Results, false)
	for _, name := range slices.Sorted(maps.Keys(done.Data)) {
		s.field("data."+name, schemas.Word(name), done.Data[name], false)
	}
	return s
}
