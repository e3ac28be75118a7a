package schemas

import (
	"iter"
	"reflect"
	"strings"
)

// Terms are conditions that a sender sets for a handoff and that the mailbox stores unchanged. [SendOptions],
// [JoinOptions] and the [Metadata] of a handoff embed this struct. So each field is an argument of a send, is stored,
// can be amended, and is a flag of the command line. The tag help is the help of the flag.
//
// Two kinds of options cannot be fields here: an option that the mailbox converts before it stores it, such as a time
// or an id, and an option that a [Join] may not have.
type Terms struct {
	NeedsApproval bool   `json:"needs_approval,omitempty" help:"wait until a human approves"`
	NoTakers      string `json:"no_takers,omitempty" jsonschema:"enum=wait,enum=return,enum=generalist,enum=human" help:"action after some minutes without a claim: wait, return, generalist or human"`

	NoTakersAfter int `json:"no_takers_after,omitempty" jsonschema:"minimum=1,maximum=100000" help:"minutes without a claim before that action, which is wait if none is given (default 15)"`

	// An agent without any of these skills is no member of the pool
	Requires []string `json:"requires,omitempty" jsonschema:"maxItems=32" jsonschema_extras:"x-form=skills\\, one of which is needed" help:"skill that a member of the pool needs, or another of these (repeatable)"`
}

// Fields yields the fields of a message type with their JSON names, in order. It includes the fields of embedded
// structs.
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
