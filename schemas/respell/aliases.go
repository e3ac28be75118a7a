package respell

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// An aliasRow says which argument a field of a foreign message becomes, and how to read its value. It is a row of
// aliases.txt, for one field.
type aliasRow struct {
	from string     // path in the message; the same as to if only the value is converted
	to   string     // path of our argument; "" if the value goes to the overflow path of its table
	read conversion // how to read the value, and how to resolve a conflict with a value at to
}

//go:embed aliases.txt
var aliasesText string

// aliasesByGroup has the rows of aliases.txt, which explains them. It panics if a row names no conversion.
var aliasesByGroup = sync.OnceValue(func() map[string][]aliasRow {
	groups := map[string][]aliasRow{}
	for _, c := range schemas.TableRows(aliasesText, 4) {
		words := strings.Fields(c[3])
		says := func(word string) bool { return slices.Contains(words, word) }
		name := words[len(words)-1]
		read, found := conversions[name]
		if !found && wordsBySection()[name] == nil {
			panic("respell: there is no conversion " + name)
		} else if !found {
			read.convert = translateWord(name, says("known"))
		}
		read.isHint, read.yieldsToForeign, read.yieldsAlways = says("hint"), says("side"), says("yielding")
		if at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "else=") }); at >= 0 {
			read.elsewhere = strings.TrimPrefix(words[at], "else=")
		}
		for from := range strings.FieldsSeq(c[1]) {
			groups[c[0]] = append(groups[c[0]], aliasRow{from, strings.Trim(c[2], "-"), read})
		}
	}
	return groups
})

// aliasesOf returns the rows of groups, which are separated by spaces, in this order.
func aliasesOf(groups string) (rows []aliasRow) {
	for group := range strings.FieldsSeq(groups) {
		rows = append(rows, aliasesByGroup()[group]...)
	}
	return rows
}

// termAliases returns the rows for the fields of [schemas.Terms] in our own stored handoffs.
func termAliases() (rows []aliasRow) {
	for name := range schemas.Fields(reflect.TypeFor[schemas.Terms]()) {
		rows = append(rows, aliasRow{"metadata." + name, "options." + name, conversion{}})
	}
	return rows
}

// sendAliases returns the rows for a message to send. The fields about progress may be at the top, or in an object.
func sendAliases() []aliasRow {
	rows := slices.Concat(aliasesOf("header placement"), termAliases(), aliasesOf("assignment context"))
	for _, object := range []string{"handoff_instructions.", "agent_context.", "context.", ""} {
		for _, row := range aliasesOf("progress") {
			row.from = object + row.from
			rows = append(rows, row)
		}
	}
	return append(rows, aliasesOf("role estimate")...)
}
