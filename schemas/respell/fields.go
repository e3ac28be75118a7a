package respell

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"handoff/schemas"
)

//go:embed fields.txt
var fieldsText string

// fieldRows has the columns of fields.txt, which explains them.
var fieldRows = sync.OnceValue(func() [][]string { return schemas.TableRows(fieldsText, 3) })

// FieldAdvice says what to do instead of giving a tool a field that it does not have, for an error: the place of the
// value, or the call that does what the field asks for. The parameter id names the handoff for calls that need one, and
// may be [schemas.Blank]. It returns "" and nil for a name without a meaning.
func FieldAdvice(tool, name, id string) (hint string, next []schemas.Advice) {
	row := findFieldRow(tool, schemas.SnakeCase(name))
	if all := FieldPaths(tool, name); row == nil && len(all) > 0 {
		row = []string{"", "", strings.Join(all[:min(len(all), 4)], " or ")}
	}
	for _, word := range wordsOf(name) {
		if row == nil {
			row = findFieldRow(tool, "~"+word)
		}
	}
	if row == nil {
		return "", nil
	}
	for call := range slices.Chunk(row[3:], 2) {
		next = append(next, Standing{ID: id}.fill(schemas.ReadAdvice(call[0], call[1])))
	}
	if hint = row[2]; unicode.IsLower(rune(hint[0])) {
		hint = "Give it as " + hint + "."
	}
	return hint, next
}

// itemNumbers matches the number of an item in a path.
var itemNumbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]`) })

// MeantPlace returns the place that the writer of an unknown field of a message likely meant: the field of a similar
// name, of several the one in the same object, or else the place that [FieldAdvice] names. It returns "" if there is
// none, and for a field of another protocol.
func MeantPlace(tool, path string) string {
	t, outer, plain := tableOfTool(tool), firstNameOf(path), itemNumbers().ReplaceAllString(path, "[]")
	if t == nil || outer == "source" || outer == "envelope" || t.fields.fieldAt(strings.ReplaceAll(plain, "[]", "")) != nil {
		return ""
	}
	end := strings.LastIndexByte(plain, '.') + 1
	meant := mistypedName(plain[end:], slices.Sorted(maps.Keys(t.paths)))
	if slices.Contains(t.paths[meant], plain[:end]+meant) {
		return plain[:end] + meant
	} else if meant != "" {
		return t.paths[meant][0]
	}
	hint, _ := FieldAdvice(tool, plain[end:], "")
	if place, named := strings.CutPrefix(hint, "Give it as "); named {
		return strings.TrimSuffix(place, ".")
	}
	return ""
}

// SaysNothing reports whether a field of a message, by its path in origin.extra, says nothing about the work: a header
// of an envelope, or a field of another protocol that handoff knows and only keeps, such as the kind of a message of
// kernl.
func SaysNothing(tool, path string) bool {
	t := tableOfTool(tool)
	header, inEnvelope := strings.CutPrefix(path, "envelope.")
	kept := func(r aliasRow) bool { return r.from == path && r.to == "" }
	return inEnvelope && envelopeHeaders()[header] != nil || t != nil && slices.ContainsFunc(t.rows, kept)
}

// findFieldRow returns the first row of fields.txt for a word, or nil.
func findFieldRow(tool, word string) []string {
	for _, row := range fieldRows() {
		if row[0] == tool && slices.Contains(strings.Fields(row[1]), word) {
			return row
		}
	}
	return nil
}
