package mailbox

import (
	"errors"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// personNeeded refuses what only a person may do with a handoff, and says what it is about: this is what a person is
// asked.
func personNeeded(r *store.Record, what string) error {
	return schemas.PersonNeeded("%s (%s), from %s to %s, is %s by a person alone", r.ID, strings.Join(strings.Fields(r.Title), " "), r.From, r.To, what).
		About(r.ID, r.Status, 0)
}

// conflict refuses what the state of a handoff does not allow, and names what took its place.
func conflict(r *store.Record, format string, args ...any) *schemas.Error {
	return schemas.Errorf(schemas.Conflict, format, args...).About(r.ID, r.Status, r.Successor)
}

// undo is an error by which an operation undoes itself and tells the method around it why.
type undo string

func (u undo) Error() string { return string(u) }
func (undo) undoes()         {}

// coded is [store.Coded], but passes on what is an [undo]: the method around the transaction looks for it.
func coded(err error) error {
	if _, is := errors.AsType[interface {
		error
		undoes()
	}](err); is {
		return err
	}
	return store.Coded(err)
}
