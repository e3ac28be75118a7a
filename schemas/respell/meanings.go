package respell

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// A meaning is one thing that a caller may want: a row of meanings.txt, which explains the columns.
type meaning struct {
	command string
	words   []string
	advice  schemas.Advice // empty if only the command line does it
}

//go:embed meanings.txt
var meaningsText string

// meanings lists all meanings, in the order of the file.
var meanings = sync.OnceValue(func() (all []meaning) {
	for _, c := range readRows(meaningsText, 2) {
		c = append(c, "", "")
		all = append(all, meaning{command: c[0], words: strings.Fields(c[1]), advice: readAdvice(c[2], c[3])})
	}
	return all
})

// readRows returns the columns of each row of an embedded table. It skips comments, and lines with fewer columns.
func readRows(text string, fewest int) (rows [][]string) {
	for line := range strings.Lines(text) {
		if columns := strings.Split(strings.TrimSpace(line), " | "); line[0] != '#' && len(columns) >= fewest {
			rows = append(rows, columns)
		}
	}
	return rows
}

// readAdvice returns the advice of two columns: what a call does, and the call.
func readAdvice(say, call string) (a schemas.Advice) {
	tool, args, _ := strings.Cut(call, " ")
	a.Say, a.Tool, a.Args = say, tool, []byte(args)
	return a
}

// withHandoff returns advice with the id of a handoff in the place of [schemas.Blank].
func withHandoff(a schemas.Advice, id string) schemas.Advice {
	given, _ := schemas.Encode(map[string]string{"handoff_id": id}) // a text can always be encoded
	a.Args = bytes.ReplaceAll(a.Args, []byte(`"handoff_id":"`+schemas.Blank+`"`), bytes.Trim(given, "{}"))
	return a
}

// MeantCommands returns the commands of the command line that do what a word or a flag such as --due says. The first
// ones are the likeliest.
func MeantCommands(word string) (commands []string) {
	for _, m := range meaningsOf(word) {
		commands = append(commands, m.command)
	}
	return schemas.Unique(commands)
}

// MeantCalls returns advice to call what does the work that a name says, such as delete_handoff, createTask or
// reply. The name need not be known. The parameter id names the handoff for calls that need one, and may be
// [schemas.Blank].
func MeantCalls(name, id string) (next []schemas.Advice) {
	for _, m := range meaningsOf(name) {
		a := withHandoff(m.advice, id)
		same := func(have schemas.Advice) bool {
			return have.Request() == a.Request() && (a.Tool != "" || have.Say == a.Say)
		}
		if a.Say != "" && !slices.ContainsFunc(next, same) {
			next = append(next, a)
		}
	}
	return next
}

// meaningsOf returns the meanings of a name. Verbs decide; if the name has no verb that is known, nouns decide, and
// then the verbs that only look.
func meaningsOf(name string) (found []meaning) {
	words := wordsOf(name)
	words = append(words, strings.Join(words, "_"), name)
	for _, mark := range []string{"", "=", "?"} {
		for _, m := range meanings() {
			if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(m.words, mark+word) }) {
				found = append(found, m)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// wordsOf splits a name such as task.create, createTask or create-task into its words, in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(snakeCase(name)), func(r rune) bool { return !unicode.IsLetter(r) })
}

// IsTypingError reports whether a name is a mistyped known name: it has the same words, in the same order, each at most
// mistyped. A word that has a meaning of its own is not mistyped, so delete is never taken for complete.
func IsTypingError(name, known string) bool {
	return slices.EqualFunc(wordsOf(name), wordsOf(known), func(word, meant string) bool {
		return word == meant || len(meaningsOf(word)) == 0 && len(closest.LikelyNames(word, []string{meant})) > 0
	})
}
