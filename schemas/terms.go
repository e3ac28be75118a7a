package schemas

import (
	"iter"
	"reflect"
	"strings"
)

// Terms are the conditions that a sender sets for a piece of work, and that stay with it as they were said. The options of
// a send, those of a join and the [Metadata] of a handoff embed them. So a term that is added here is an argument, is
// stored, can be amended, and has a flag, whose help is the tag help.
//
// An option is no term if the mailbox reads it into something else, as a time, an id or a number of attempts, or if what
// joins the parts of a send cannot have it. Only the order of what is published and stored keeps the strategy apart.
type Terms struct {
	NeedsApproval bool   `json:"needs_approval,omitempty" help:"wait until a human approves"`
	NoTakers      string `json:"no_takers,omitempty" jsonschema:"enum=wait,enum=return,enum=generalist,enum=human" help:"who gets what nobody claims within 15 minutes: wait, return, generalist or human"`
}

// ChoicesOf are the words that a field takes, as its tag says, none where it takes any.
func ChoicesOf(f reflect.StructField) (words []string) {
	for rule := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		if word, isChoice := strings.CutPrefix(rule, "enum="); isChoice {
			words = append(words, word)
		}
	}
	return words
}

// Fields are the fields of a message by their names in JSON, those of what it embeds among them, in their order.
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
