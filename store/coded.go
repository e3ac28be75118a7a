package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"handoff/schemas"
)

// CodedError turns an error of the store into an error with a code and a hint for callers. An error that has a code is
// returned unchanged. The code is [schemas.Unavailable] for the end of a context, a full or failed disk, an unreachable
// database, and a read-only or closed store. [DamagedError] is for a damaged store. Any other error is a fault of this
// program: its details go to the log and not to the caller.
func CodedError(err error) error {
	var coded *schemas.Error
	if errors.As(err, &coded) && coded.Code == schemas.Internal && errors.Unwrap(coded) != nil {
		err, coded = errors.Unwrap(coded), nil // an error of the store that was given the name of a field
	}
	switch {
	case err == nil, errors.As(err, &coded):
		return err
	case errors.Is(err, ErrUncertain): // first: a timeout may have caused it
		return schemas.Errorf(schemas.Unavailable, "%w", err).
			WithHint("Nothing acknowledged was lost. Look whether the call took effect before you make it again.").WithRetryAfter(time.Second)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return schemas.Errorf(schemas.Unavailable, "the call was cut off before it took effect").
			WithHint("Nothing was done. Call again.").WithCause(err)
	case errors.Is(err, ErrFull):
		return schemas.Errorf(schemas.Unavailable, "the disk is full: %w", err).
			WithHint("Free space and call again. Nothing acknowledged was lost.")
	case errors.Is(err, ErrUnreachable):
		return schemas.Errorf(schemas.Unavailable, "%w", ErrUnreachable).WithCause(err).
			WithHint("Call again when it is there. Nothing acknowledged was lost.").WithRetryAfter(time.Second)
	case errors.Is(err, ErrUnwritten):
		return schemas.Errorf(schemas.Unavailable, "%w", err).WithHint("Call again. Nothing acknowledged was lost.")
	case errors.Is(err, ErrReadOnly), errors.Is(err, fs.ErrPermission):
		return schemas.Errorf(schemas.Unavailable, "nothing was changed: %w", err).
			WithHint("Look at the permissions of the file and its directory, or connect to the primary of the database.")
	case errors.Is(err, ErrFenced):
		return schemas.Errorf(schemas.Unavailable, "the call was not done: %w", err).WithHint("Call again.").WithRetryAfter(time.Second)
	case errors.Is(err, ErrClosed):
		return schemas.Errorf(schemas.Unavailable, "the server is shutting down: %w", err)
	case errors.Is(err, ErrCorrupt):
		return DamagedError(err)
	}
	return schemas.InternalError(err)
}

// DamageRemedy is the way out of a damaged store: the same for every command and every protocol.
const DamageRemedy = "handoff restore FILE --replace puts a backup in its place and keeps this one. " +
	"Without a backup, handoff export FILE --salvage saves what can be read. docs/operations.md has the steps."

// DamagedError returns the error for a damaged store. A repeat of the call does not help.
func DamagedError(err error) *schemas.Error {
	return schemas.Errorf(schemas.Internal, "%w", err).WithHint(DamageRemedy)
}

// IsDamaged reports whether an error came from a damaged store, in this process or in the owner of the store.
func IsDamaged(err error) bool {
	return errors.Is(err, ErrCorrupt) || err != nil && strings.HasPrefix(schemas.AsError(err).Hint, DamageRemedy)
}

// ReadSnapshot returns the result of fn on a snapshot. [CodedError] gives its errors a code.
func ReadSnapshot[Out any](ctx context.Context, s *Store, fn func(*View) (Out, error)) (out Out, err error) {
	err = s.View(ctx, func(v *View) (err error) {
		out, err = fn(v)
		return err
	})
	return out, CodedError(err)
}
