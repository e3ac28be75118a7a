package schemas

import (
	"iter"
	"reflect"
	"strings"
)

// Terms are the conditions that a sender sets for a piece of work. They stay with it unchanged. The options of a
// send, the options of a join and the [Metadata] of a handoff embed them. So a new term here becomes an argument, is
// stored, can be amended, and has a flag. The tag help is the flag's help.
//
// An option is no term if the mailbox converts it to a time, an id or a number of attempts, or if a [Join] cannot
// have it. The strategy is separate only because of the order of published and stored fields.
type Terms struct {
	NeedsApproval bool   `json:"needs_approval,omitempty" help:"wait until a human approves"`
	NoTakers      string `json:"no_takers,omitempty" jsonschema:"enum=wait,enum=return,enum=generalist,enum=human" help:"action after 15 minutes without a claim: wait, return, generalist or human"`
}

// ChoicesOf returns the words that a field accepts by its tag. It returns nil if the field accepts any word.
func ChoicesOf(f reflect.StructField) (words []string) {
	for rule := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		if word, isChoice := strings.CutPrefix(rule, "enum="); isChoice {
			words = append(words, word)
		}
	}
	return words
}

// Fields yields the fields of a message by their names in JSON, in order. Fields of embedded structs are among them.
func Fields(message reflect.Type) iter.Seq2[string, reflect.StructField] {
	return func(yield func(string, reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(message) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && !yield(name, f) {
				return
			}
		}
	}
}
