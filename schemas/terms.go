package schemas

import (
	"iter"
	"reflect"
	"strings"
)

// Terms are the conditions that a sender sets for work of any kind, and that stay with the handoff as they were said. The
// options of a send, those of what joins its parts, and the [Metadata] of a handoff embed them, so a term that is added
// here has an argument, a place in what is stored, an amendment and a flag. The tag help is the help of the flag.
//
// An option that the mailbox reads into something else, such as a time or the attempts that are left, is no term.
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
