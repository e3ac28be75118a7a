package respell

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"handoff/schemas"
)

// A fieldMeaning is what callers mean by some fields that a tool does not have: a row of fields.txt, which explains the
// columns.
type fieldMeaning struct {
	tool   string
	words  []string
	hint   string
	advice []schemas.Advice
}

//go:embed fields.txt
var fieldsText string

// fieldMeanings lists the rows, in the order of the file.
var fieldMeanings = sync.OnceValue(func() (all []fieldMeaning) {
	for _, c := range readRows(fieldsText, 3) {
		m := fieldMeaning{tool: c[0], words: strings.Fields(c[1]), hint: c[2]}
		for i := 3; i+1 < len(c); i += 2 {
			m.advice = append(m.advice, readAdvice(c[i], c[i+1]))
		}
		all = append(all, m)
	}
	return all
})

// FieldAdvice says what to do instead of giving a tool a field that it does not have, for an error: the place of the
// value, or the call that does what the field asks for. The parameter id names the handoff for calls that need one, and
// may be [schemas.Blank]. It returns "" and nil for a name without a meaning.
func FieldAdvice(tool, name, id string) (hint string, next []schemas.Advice) {
	row := findFieldMeaning(tool, snakeCase(name))
	if all := FieldPaths(tool, name); row == nil && len(all) > 0 {
		return "Give it as " + strings.Join(all[:min(len(all), 4)], " or ") + ".", nil
	}
	for _, word := range wordsOf(name) {
		if row == nil {
			row = findFieldMeaning(tool, "~"+word)
		}
	}
	switch {
	case row == nil:
		return "", nil
	case unicode.IsLower(rune(row.hint[0])):
		hint = "Give it as " + row.hint + "."
	default:
		hint = row.hint
	}
	return hint, schemas.Map(row.advice, func(a schemas.Advice) schemas.Advice { return withHandoff(a, id) })
}

func findFieldMeaning(tool, word string) *fieldMeaning {
	all := fieldMeanings()
	at := slices.IndexFunc(all, func(m fieldMeaning) bool { return m.tool == tool && slices.Contains(m.words, word) })
	if at < 0 {
		return nil
	}
	return &all[at]
}
