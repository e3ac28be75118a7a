package operation

import (
	"errors"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// PersonNeededError returns the error for an action that only a person may do. The error names the handoff, so that the
// client can ask a person about the handoff.
func PersonNeededError(r *store.Record, what string) error {
	return schemas.PersonNeededf("%s (%s), from %s to %s, is %s by a person alone", r.ID, strings.Join(strings.Fields(r.Title), " "), r.From, r.To, what).
		WithHandoff(r.ID, r.Status, 0)
}

// ConflictError returns the error for an action that the state of a handoff does not allow. If another handoff
// continues the work, the error names that handoff.
func ConflictError(r *store.Record, format string, args ...any) *schemas.Error {
	return schemas.Errorf(schemas.Conflict, format, args...).WithHandoff(r.ID, r.Status, r.Successor)
}

// UndoError is the error with which a function that runs in [Engine.Update] undoes the operation on purpose. The method
// that called Update gets the reason.
type UndoError string

func (u UndoError) Error() string { return string(u) }

// ErrorWithCode is [store.CodedError], except that it returns an [UndoError] unchanged, because the calling method
// looks for that type.
func ErrorWithCode(err error) error {
	if _, undone := errors.AsType[UndoError](err); undone {
		return err
	}
	return store.CodedError(err)
}
