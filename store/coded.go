package store

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"handoff/schemas"
)

// CodedError turns an error of the store into one for callers, with a hint. Errors that have a code already are returned as
// they are. These become [schemas.Unavailable]: the end of a context, a disk that is full or fails, a database that
// cannot be reached, and a store that is read-only, closed or damaged. Any other error is a fault of this program; its
// details go to the log and not to the caller.
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
		return schemas.Errorf(schemas.Unavailable, "%w", err)
	}
	return schemas.InternalError(err)
}

// ReadSnapshot returns the result of fn on a snapshot. Its errors have a code, see [CodedError].
func ReadSnapshot[Out any](ctx context.Context, s *Store, fn func(*View) (Out, error)) (out Out, err error) {
	err = s.View(ctx, func(v *View) (err error) {
		out, err = fn(v)
		return err
	})
	return out, CodedError(err)
}
