package open

import (
	"context"
	"errors"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

// Mend mends a store that the caller has alone, after a copy of it to a new file. Where nothing is wrong that can be
// mended, it makes no copy and saved is empty.
func Mend(ctx context.Context, rows store.Backend, copyTo string) (done audit.MendResult, saved string, err error) {
	s := store.New(rows)
	found, err := audit.Examine(ctx, s, reading.Words)
	if err != nil || found.Mendable == 0 {
		return audit.MendResult{Before: found, After: found}, "", err
	}
	if err := copyRows(ctx, rows, copyTo); err != nil {
		return done, "", schemas.Errorf(schemas.Unavailable, "copy the store to %s: %w", copyTo, err).WithHint("Nothing was changed.")
	}
	done, err = audit.Mend(ctx, rows, reading.Words)
	if errors.Is(err, store.ErrCorrupt) {
		err = schemas.Errorf(schemas.Internal, "nothing was mended: %w", err).
			WithHint("Rows are not written to damaged pages. Put the last backup in its place; a copy is in %s.", copyTo)
	}
	return done, copyTo, err
}
