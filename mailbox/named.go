package mailbox

import (
	"fmt"

	"handoff/schemas"
	"handoff/store"
)

// checkReferences refuses a context that refers to a handoff which does not exist: the receiver could not fetch it.
func (o *op) checkReferences(c *schemas.Context) error {
	for i, ref := range orZero(c).References {
		id, here := ref.Handoff()
		if !here {
			continue
		}
		r, err := o.Record(id)
		if err != nil {
			return err
		}
		if r == nil {
			return schemas.Errorf(schemas.NotFound, "there is no handoff %s to refer to", id).
				WithField(fmt.Sprintf("context.references[%d].url", i)).
				WithHint("Name an existing handoff, as context://ho_12. Nothing was sent.")
		}
	}
	return nil
}

// warnOfNames warns of what a handoff names that the mailbox does not know: content that is kept elsewhere, and whoever
// takes the work back. Neither is a reason to refuse it.
func (o *op) warnOfNames(h *schemas.Handoff) (warnings []string, err error) {
	for _, ref := range orZero(h.Context).References {
		if _, here := ref.Handoff(); !here {
			warnings = append(warnings, fmt.Sprintf("context.references: handoff cannot fetch %s, so its receiver has to",
				schemas.Visible(schemas.Clip(ref.URL, 120))))
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
