package bolt

import (
	"cmp"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"

	"handoff/store"
	"handoff/store/calls"
)

const maxBytes = 4 << 20 // written by one transaction; its last request may go beyond

// writer is the [calls.Writer] of the file. No other goroutine writes to the file, or uses these fields.
type writer struct {
	store    *Store
	overlay  store.Overlay
	unsynced bool // the list of free pages in the file is out of date
	broken   bool // a write failed: the state of the file is unknown until it is opened again
	doubt    int  // the transaction whose commit failed, until it is known whether the file has it; 0 for none

	commitTx func(*bbolt.Tx) error // [bbolt.Tx.Commit], except in tests
}

// Begin implements [calls.Writer].
func (*writer) Begin() { debug.SetPanicOnFault(true) }

// Commit implements [calls.Writer].
func (w *writer) Commit() {
	w.reopenAfterFailure()
	w.runTransaction()
	w.reopenAfterFailure()
}

// Rest implements [calls.Writer]. The next commit makes the list of free pages out of date again, so one Rest is enough.
func (w *writer) Rest() time.Duration {
	w.writeFreeList()
	return 0
}

// End implements [calls.Writer]. It writes the list of free pages and closes the file.
func (w *writer) End() error {
	w.reopenAfterFailure()
	w.writeFreeList()
	return w.store.closeFile()
}

// runTransaction runs calls of the batch in one transaction, commits the transaction, and answers the calls. Calls that
// do not fit stay in the batch. If the commit fails, all of its calls fail, even calls that only read, because they may
// have seen lost rows.
func (w *writer) runTransaction() {
	begun, err := 0, calls.ErrExited
	defer func() { w.store.queue.AnswerBatch(begun, err) }()
	earlier := w.doubt != 0 // of calls that were answered
	err = w.tryTransaction(&begun)
	if err != nil {
		err = w.resolveFailure(err, earlier)
	}
}

func (w *writer) tryTransaction(begun *int) error {
	tx, err := w.store.beginTx(true)
	if err != nil {
		*begun, w.broken = len(w.store.queue.Batch), true
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing once committed
	err = w.runCalls(tx, begun)
	w.broken = err != nil
	return err
}

// runCalls runs calls of the batch in tx and counts them in begun. It commits if a call wrote rows or needs a sync.
func (w *writer) runCalls(tx *bbolt.Tx, begun *int) error {
	rows, size, sync := newRows(tx), 0, false
	for batch := w.store.queue.Batch; *begun < len(batch) && size < maxBytes; {
		r := batch[*begun]
		*begun++
		if !r.TryTake() {
			continue
		}
		w.overlay.Reset(rows)
		rows.damage = nil
		if r.Err = w.overlay.Run(r.Fn); r.Err == nil {
			r.Err = rows.damage // nothing is written because of an incomplete reading
		}
		if r.Err != nil {
			continue
		}
		if err := w.overlay.Flush(rows); err != nil {
			return err
		}
		size += w.overlay.Size()
		sync = sync || r.Sync && w.unsynced
	}
	if size == 0 && !sync {
		return nil
	}
	return w.commit(tx, sync)
}

// maxSyncedFreePages is the largest number of free pages whose list is written with every commit. Such a list fits into
// one page. A longer list would make each commit slower.
const maxSyncedFreePages = 500

// commit makes tx durable. It also writes the list of free pages if sync is true or if the list is short. If commit
// fails, it is unknown whether the file contains tx.
func (w *writer) commit(tx *bbolt.Tx, sync bool) (err error) {
	defer recoverAsDamage(&err)
	db := tx.DB()
	if free := db.Stats(); free.FreePageN+free.PendingPageN <= maxSyncedFreePages {
		sync = true
	}
	db.NoFreelistSync = !sync
	defer func() { db.NoFreelistSync = true }()
	w.unsynced, w.doubt = true, cmp.Or(w.doubt, tx.ID())
	if err := w.commitTx(tx); err != nil {
		return fmt.Errorf("commit: %w", toStoreError(err))
	}
	w.unsynced, w.doubt = !sync, 0
	return nil
}

// writeFreeList writes the list of free pages if it is out of date.
func (w *writer) writeFreeList() {
	if !w.unsynced {
		return
	}
	r := calls.New(func(store.Writer) error { return nil })
	r.Sync = true
	w.store.queue.Batch = append(w.store.queue.Batch, r)
	w.runTransaction()
	if err := r.Wait(); err != nil {
		w.store.config.Logger.Warn("the list of free pages was not written", slog.Any("error", err))
	}
	w.reopenAfterFailure()
}
