package mailbox

import (
	"handoff/schemas"
)

// commitNote is [op.commit] with the note that came with an action, to which the record points from then on. Without
// a note nothing is kept besides.
func (o *op) commitNote(h happening, said schemas.UpdateIn) (err error) {
	if said.Note == "" {
		return o.commit(h)
	}
	if h.now.Note, err = o.nextEvent(); err != nil {
		return err
	}
	content, err := o.said(said)
	if err != nil {
		return err
	}
	return o.commitSaying(h, content)
}

// inChanges says that the field at fault is one of changes.
func inChanges(err error) error {
	e := schemas.AsError(err)
	return e.WithField("changes." + e.Field)
}
