package open

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"handoff/schemas"
	"handoff/store"
)

// explain turns an error of opening a workspace into one for the caller, with what to do about it.
func explain(c Config, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return schemas.Errorf(schemas.Unavailable, "interrupted while opening workspace %s: %w", c.Name, err)
	case errors.Is(err, store.ErrLocked):
		const said = "another program has the store of workspace %s open and does not share it"
		return schemas.Errorf(schemas.Unavailable, said, c.Name).
			WithHint("It may be a handoff that was stopped (Ctrl-Z) or an older one: end it. " +
				"Or use another workspace with --workspace NAME.")
	case errors.Is(err, store.ErrNewer):
		return schemas.Errorf(schemas.Unavailable, "workspace %s: %w", c.Name, err).
			WithHint("Install the newest handoff. Nothing was changed.")
	case errors.Is(err, store.ErrForeign), errors.Is(err, store.ErrCorrupt):
		return schemas.Errorf(schemas.Internal, "the file of workspace %s: %w", c.Name, err).
			WithHint("Look at %s, or use another workspace with --workspace NAME. Nothing was changed.", c.Dir)
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return schemas.Errorf(schemas.Unavailable, "workspace %s: %w", c.Name, err).
			WithHint("Free space on the disk of %s.", c.Dir)
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return schemas.Errorf(schemas.Unavailable, "workspace %s has no place for its files: %w", c.Name, err).
			WithHint("Make %s writable, or keep state elsewhere with XDG_STATE_HOME.", c.Dir)
	}
	return schemas.Errorf(schemas.Internal, "open workspace %s: %w", c.Name, err).WithHint("Look at %s.", c.Dir)
}
