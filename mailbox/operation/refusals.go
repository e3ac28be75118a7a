package operation

import (
	"errors"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// PersonNeeded refuses what only a person may do with a handoff, and says what it is about: this is what a person is
// asked.
func PersonNeeded(r *store.Record, what string) error {
	return schemas.PersonNeeded("%s (%s), from %s to %s, is %s by a person alone", r.ID, strings.Join(strings.Fields(r.Title), " "), r.From, r.To, what).
		About(r.ID, r.Status, 0)
}

// Conflict refuses what the state of a handoff does not allow, and names what took its place.
func Conflict(r *store.Record, format string, args ...any) *schemas.Error {
	return schemas.Errorf(schemas.Conflict, format, args...).About(r.ID, r.Status, r.Successor)
}

// Undo is an error by which an operation undoes itself and tells the method around it why.
type Undo string

func (u Undo) Error() string { return string(u) }

// Coded is [store.Coded], but passes on what is an [Undo]: the method around the transaction looks for it.
func Coded(err error) error {
	if _, undone := errors.AsType[Undo](err); undone {
		return err
	}
	return store.Coded(err)
}
