package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"handoff/store"
	"handoff/store/calls"
	"handoff/tools/platform"
)

const (
	maxBytes   = 4 << 20                // of one commit; its last call may go beyond
	retryEvery = 50 * time.Millisecond  // pause before the database is asked again
	idle       = 250 * time.Millisecond // after which the log is folded
)

// writer is the [calls.Writer] of the store. No other goroutine writes.
type writer struct {
	store   *Store
	overlay store.Overlay
	pending []rowWrite // of the next entry; nil for none
	sent    bool       // the pending entry was sent, and it may have been kept
}

// Begin implements [calls.Writer].
func (w *writer) Begin() {
	w.store.folder.beginFold() // if owners die one after another, no other call would start a fold
}

// Commit implements [calls.Writer].
func (w *writer) Commit() {
	w.commitBatch()
	w.store.folder.foldIfManyPending()
}

// Rest implements [calls.Writer].
func (w *writer) Rest() time.Duration {
	unsettled := errors.Is(w.commitPending(), store.ErrUncertain)
	if w.store.folder.beginFold() || unsettled {
		return w.store.folder.pause()
	}
	return 0
}

// End implements [calls.Writer].
func (w *writer) End() error {
	err := w.store.folder.foldAll()
	w.store.stop(store.ErrClosed)
	return err
}

// commitBatch runs calls of the batch, commits their writes as one entry, and answers the calls. Calls that do not fit
// stay in the batch. If the commit fails, all of its calls fail, even calls that only read, because they may have seen
// lost rows.
func (w *writer) commitBatch() {
	begun, err := 0, calls.ErrExited
	defer func() { w.store.queue.AnswerBatch(begun, err) }()
	if err = w.commitPending(); err != nil {
		begun = len(w.store.queue.Batch)
		return
	}
	draft := w.runCalls(&begun)
	if err = nil; len(draft) > 0 {
		w.pending = draft
		err = w.commitPending()
	}
}

// runCalls runs calls of the batch and returns their writes. Each call sees the writes of the calls before.
func (w *writer) runCalls(begun *int) (draft []rowWrite) {
	together := store.NewOverlay(&commitReader{Store: w.store, ctx: context.Background(), number: w.store.committed})
	for batch := w.store.queue.Batch; *begun < len(batch) && together.Size() < maxBytes; {
		c := batch[*begun]
		*begun++
		if !c.TryTake() {
			continue
		}
		w.overlay.Reset(together)
		if c.Err = w.overlay.Run(c.Fn); c.Err == nil {
			c.Err = w.overlay.Flush(together)
		}
	}
	for s, row := range together.Writes() {
		draft = append(draft, rowWrite{s, row})
	}
	return draft
}

// explainsRefusal reports whether an error already tells callers why a commit was refused.
func explainsRefusal(err error) bool {
	return errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrReadOnly) ||
		errors.Is(err, store.ErrUnreachable)
}

// commitPending commits the pending entry, and repeats this until the database confirms or refuses the entry. If the
// database does not answer in time, the callers get [store.ErrUncertain]. The next call of commitPending then commits
// the same entry before any other. If the entry is already in the log, the earlier attempt has succeeded.
func (w *writer) commitPending() (err error) {
	if w.pending == nil {
		return nil
	}
	ctx, end := context.WithTimeout(context.Background(), statementTimeout)
	defer end()
	number := w.store.committed + 1
	for err = w.store.table.appendEntry(ctx, number, w.pending); err != nil && !errors.Is(err, store.ErrFenced); {
		if !w.sent && isCertainlyRefused(err) {
			break
		}
		if !w.sent {
			w.store.log.Warn("the database does not answer", slog.Any("error", err))
		}
		w.sent = true
		if !platform.Sleep(ctx, retryEvery) {
			return fmt.Errorf("%w: %w", store.ErrUncertain, err)
		}
		err = w.store.table.appendEntry(ctx, number, w.pending)
	}
	if errors.Is(err, store.ErrFenced) {
		w.store.stop(err)
	}
	switch {
	case err == nil:
		w.store.publish(number, w.pending)
	case w.sent: // a later owner may have folded the entry
		err = fmt.Errorf("%w: %w", store.ErrUncertain, err)
	case !explainsRefusal(err):
		err = fmt.Errorf("%w: %w", store.ErrUnwritten, err)
	}
	w.pending, w.sent = nil, false
	return err
}
