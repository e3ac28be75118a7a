package open

import (
	"context"
	"errors"
	"fmt"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/travel"
)

// Mend copies a store to the new file copyTo, and then mends the store. If the store has no mendable faults, Mend makes
// no copy. No other process may have the store open.
func Mend(ctx context.Context, rows store.Backend, copyTo string) (done audit.MendResult, err error) {
	s := store.New(rows)
	found, err := audit.ExamineStore(ctx, s, reading.SearchWords)
	if err != nil || found.Mendable == 0 {
		return audit.MendResult{Before: found, After: found}, err
	}
	if err := copyRows(ctx, travel.Copy{From: rows}, copyTo); err != nil {
		return done, schemas.Errorf(schemas.Unavailable, "copy the store to %s: %w", copyTo, err).WithHint("Nothing was changed.")
	}
	done, err = audit.MendRows(ctx, rows, reading.SearchWords)
	done.Backup = copyTo
	if errors.Is(err, store.ErrCorrupt) { // rows are not written to damaged pages
		err = store.DamagedError(fmt.Errorf("nothing was mended: %w", err))
	}
	return done, err
}
