package mailbox

import (
	"handoff/schemas"
	"handoff/store"
)

// saidNote makes content of an action that came with a note, and points the record to it. Without a note there is
// nothing to keep.
func (o *op) saidNote(now *store.Record, said schemas.UpdateIn) (content store.Content, err error) {
	if said.Note == "" {
		return content, nil
	}
	if now.Note, err = o.nextEvent(); err != nil {
		return content, err
	}
	return o.said(said)
}

// inChanges says that the field at fault is one of changes.
func inChanges(err error) error {
	e := schemas.AsError(err)
	return e.WithField("changes." + e.Field)
}
