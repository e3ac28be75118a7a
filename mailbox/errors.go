package mailbox

import (
	"context"
	"errors"
	"io/fs"

	"handoff/schemas"
	"handoff/store"
)

// The errors by which a function given to [Service.update] undoes everything and tells the method around it why. No
// caller of a method sees them.
var (
	// errNotCompared means that a handoff asked for something and nobody has compared yet.
	errNotCompared = errors.New("what was asked for is to be compared first")

	// errLookFurther means that a transaction passed over as many as it may.
	errLookFurther = errors.New("what is wanted lies further back in the mailbox")
)

// errDryRun undoes a send and carries what it would have answered.
type errDryRun struct{ out schemas.SendOut }

func (errDryRun) Error() string { return "dry run" }

func isDryRun(err error) bool {
	_, ok := errors.AsType[errDryRun](err)
	return ok
}

// coded turns the errors of the store into errors for callers, with the way out.
func (s *Service) coded(err error) error {
	var coded *schemas.Error
	switch {
	case err == nil, errors.As(err, &coded), errors.Is(err, errNotCompared), errors.Is(err, errLookFurther), isDryRun(err):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return schemas.Errorf(schemas.Unavailable, "the call was cut off before it took effect").
			WithHint("Nothing was done. Call again.").Because(err)
	case errors.Is(err, store.ErrFull):
		return schemas.Errorf(schemas.Unavailable, "the disk is full: %w", err).
			WithHint("Free space and call again. Nothing acknowledged was lost.")
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, fs.ErrPermission):
		return schemas.Errorf(schemas.Unavailable, "the store cannot be written: %w", err)
	case errors.Is(err, store.ErrClosed):
		return schemas.Errorf(schemas.Unavailable, "the server is shutting down: %w", err)
	case errors.Is(err, store.ErrCorrupt):
		return schemas.Errorf(schemas.Unavailable, "%w", err)
	}
	return schemas.InternalError(err)
}
