package mailbox

import (
	"reflect"
	"slices"

	"handoff/schemas"
)

// heeded are the arguments that each action uses besides the note and the proof of a claim. Checkpoint is that of the
// changes, which are the rest of these.
var heeded = map[schemas.Action][]string{
	schemas.ActProgress: {"percent", "checkpoint"},
	schemas.ActAsk:      {"questions", "conditions", "checkpoint"},
	schemas.ActAnswer:   {"changes"},
	schemas.ActRelease:  {"to", "checkpoint"},
	schemas.ActAmend:    {"to", "changes"},
	schemas.ActReturn:   {"to", "changes"},
	schemas.ActRetry:    {"to", "changes"},
}

// instead says where an argument is used.
var instead = map[string]string{
	"percent":    "Report it with progress.",
	"questions":  "Ask with the action ask.",
	"conditions": "Ask with the action ask.",
	"to":         "release, amend, return and retry have a new recipient. A question goes to who answers for the work; ask others with a message.",
	"checkpoint": "progress, ask and release keep a checkpoint.",
	"changes":    "amend changes a handoff, return and retry the new one, and answer what is asked for: its sender may, the owner of the workflow, and a person.",
}

// unheeded refuses an argument that the action of a call would not use: a caller believes what is accepted.
func unheeded(in schemas.UpdateIn) error {
	changes := schemas.OrZero(in.Changes)
	checkpoint := changes.Checkpoint
	changes.Checkpoint = nil
	for _, given := range []struct {
		argument, field string
		is              bool
	}{
		{"percent", "percent", in.Percent != 0},
		{"questions", "questions", len(in.Questions) > 0},
		{"conditions", "conditions", in.Conditions != nil},
		{"to", "to", in.To != ""},
		{"checkpoint", "changes.checkpoint", checkpoint != nil},
		{"changes", "changes", !reflect.ValueOf(changes).IsZero()},
	} {
		if given.is && !slices.Contains(heeded[in.Action], given.argument) {
			return schemas.Invalidf(given.field, "%s has no use for it", in.Action).
				WithHint("%s Nothing was changed.", instead[given.argument])
		}
	}
	return nil
}
