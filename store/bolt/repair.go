package bolt

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// A commit writes pages and syncs them, and then writes a meta page that leads to them and syncs that. If the first
// sync fails, the file is unchanged. If the second one fails, the result is unknown: the system shows the new meta
// page, but may have given up writing it to the disk, so a power cut reverts it. Repeating the sync succeeds without
// writing, so it proves nothing. Another commit is a proof: it writes another meta page over the same pages. So after a
// failed commit the writer closes the file, opens it again, reads the id of the last transaction, and commits an empty
// one if it is the one in doubt. Then the outcome of the calls of that transaction is known, and no call has to be
// repeated.

// resolveFailure returns the outcome of the calls of a failed transaction: nil if the file has the transaction for
// good, [store.ErrUnwritten] if it has not, and [store.ErrUncertain] while this is unknown. A full disk, damage, and a
// failure before the commit are returned unchanged. A transaction that could not begin because an earlier one is in
// doubt has written nothing, whether or not that one was kept.
func (w *writer) resolveFailure(failed error, earlier bool) error {
	inDoubt := w.doubt != 0 && !earlier
	kept := w.reopenAfterFailure() && !earlier
	switch {
	case inDoubt && w.broken:
		return fmt.Errorf("%w: %w", store.ErrUncertain, failed)
	case kept:
		return nil
	case !inDoubt, errors.Is(failed, store.ErrFull), errors.Is(failed, store.ErrReadOnly), errors.Is(failed, store.ErrCorrupt):
		return failed
	}
	return fmt.Errorf("%w: %w", store.ErrUnwritten, failed)
}

// reopenAfterFailure opens the file again after a write failed, and reports whether the file has the transaction in
// doubt. It is called after each failure and before each transaction, and tries until it succeeds. Meanwhile callers
// get its error, and views too, because the rows that they would see may be lost. It leaves a damaged file alone,
// because each attempt would use up address space for mapping the file.
func (w *writer) reopenAfterFailure() (kept bool) {
	if !w.broken || errors.Is(w.store.dbErr, store.ErrCorrupt) {
		return false
	}
	err := w.store.reopen(func(db *bbolt.DB) (err error) {
		kept, err = w.confirmDoubtful(db)
		return err
	})
	if err == nil {
		w.broken, w.doubt = false, 0
		w.store.config.Logger.Warn("the store was opened again after a write failed")
	}
	return kept && err == nil
}

// confirmDoubtful reports whether the transaction in doubt is in the reopened file, and if so makes it durable.
func (w *writer) confirmDoubtful(db *bbolt.DB) (kept bool, err error) {
	if w.doubt == 0 {
		return false, nil
	}
	tx, err := db.Begin(true)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }()                           // does nothing once committed
	if last := tx.ID() - 1; last != w.doubt && last != w.doubt+1 { // the latter is of an earlier attempt to confirm
		return false, nil
	}
	if err := w.commit(tx, false); err != nil {
		return true, fmt.Errorf("%w: %w", store.ErrUncertain, err)
	}
	return true, nil
}
