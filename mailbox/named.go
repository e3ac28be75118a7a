package mailbox

import (
	"fmt"

	"handoff/mailbox/content"
	"handoff/schemas"
	"handoff/store"
)

// warnOfNames warns of what a handoff names that the mailbox does not know: content that is kept elsewhere, files
// that are not there, and whoever takes the work back. None is a reason to refuse it.
//
// It runs at a send, after the handoff was created, in the same transaction. Texts of the caller are cut to 120 bytes
// and made visible, since the warning goes into the context of a model.
func (o *op) warnOfNames(h *schemas.Handoff) (warnings []string, err error) {
	for _, ref := range orZero(h.Context).References {
		if _, here := content.PlaceOf(ref.URL, 0); !ref.Kept() && !here {
			warnings = append(warnings, fmt.Sprintf("context.references: handoff cannot fetch %s, so its receiver has to; "+
				"a file of the project goes along as path, a part of another handoff as context://ho_12/detail",
				schemas.Visible(schemas.Clip(ref.URL, 120))))
		}
	}
	for _, f := range orZero(h.Context).Files {
		if f.Missing {
			warnings = append(warnings, fmt.Sprintf("context.files: %s is not there", schemas.Visible(schemas.Clip(f.Path, 120))))
		}
	}
	unknown, err := o.unknownAgent(orZero(h.Rollback).OnFailure)
	if unknown != "" {
		warnings = append(warnings, "rollback.on_failure: "+unknown)
	}
	return warnings, err
}

// unknownAgent says that nobody has a name, "" for one that somebody has. The text is that of MisconfiguredError in the
// kernl handoffs design.
//
// Somebody has a name who acts over an open connection, who has a row, or whose mailbox holds something. It is a
// warning and no error: an agent may come under this name before anything goes back to it.
func (o *op) unknownAgent(name schemas.Agent) (string, error) {
	if name == "" || name == schemas.Human || name == schemas.System || name == o.by.Agent || o.here.Acting(name) {
		return "", nil
	}
	a, err := o.Agent(name)
	if a != nil || err != nil {
		return "", err
	}
	m, err := o.Mailbox(schemas.Address(name))
	if m != (store.Mailbox{}) || err != nil {
		return "", err
	}
	return fmt.Sprintf("Agent not found: %s", name), nil
}
