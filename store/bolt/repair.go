package bolt

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"handoff/store"
)

// A commit writes pages and syncs them. Then it writes a meta page, which leads to the new pages, and syncs that page.
// If the first sync fails, the file is unchanged. If the second sync fails, nobody knows whether the meta page is on
// the disk, and repeating the sync proves nothing. Another commit is a proof, because it writes another meta page.
//
// So after a failed commit the writer opens the file again and reads the id of the last transaction. If the file has
// the transaction in doubt, the writer commits an empty transaction. Then the outcome of the calls is known.

// resolveFailure returns the outcome of a failed transaction for its calls. It is nil if the file contains the
// transaction after all, [store.ErrUnwritten] if the file does not contain it, and [store.ErrUncertain] while this is
// unknown. It returns the error of a full disk, of damage or of a failure before the commit unchanged.
//
// Earlier is true if an earlier transaction is still in doubt, so that this transaction could not begin and wrote
// nothing.
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

// reopenAfterFailure opens the file again after a write failed, and reports whether the file contains the transaction
// in doubt. The writer calls it after each failure and before each transaction, until it succeeds. Until then, calls
// and views get its error, because the rows may be lost. The exception is a damaged file: the writer does not open it
// again, because each attempt would use up address space.
func (w *writer) reopenAfterFailure() (kept bool) {
	if !w.broken || errors.Is(w.store.dbErr, store.ErrCorrupt) {
		return false
	}
	err := w.store.reopen(func(db *bbolt.DB) (err error) {
		kept, err = w.confirmTransactionInDoubt(db)
		return err
	})
	if err == nil {
		w.broken, w.doubt = false, 0
		w.store.config.Logger.Warn("the store was opened again after a write failed")
	}
	return kept && err == nil
}

// confirmTransactionInDoubt reports whether the reopened file contains the transaction in doubt. If the file does,
// confirmTransactionInDoubt makes the transaction durable.
func (w *writer) confirmTransactionInDoubt(db *bbolt.DB) (kept bool, err error) {
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
