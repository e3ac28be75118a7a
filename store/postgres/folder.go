package postgres

import (
	"errors"
	"log/slog"
	"time"

	"handoff/store"
)

// Limits of the rows that wait to be folded.
const (
	foldSize    = 20_000  // folded at once, and while calls come; the more, the more of them cancel each other out
	maxUnfolded = 200_000 // more rows make the writer wait
)

// folder writes the changes in the log to the table of rows, in the background. Only the writer uses it.
type folder struct {
	store     *Store
	pending   []changedKey // since the start of the last fold, by entry
	running   chan error   // result of the running fold; nil: none runs
	folding   []changedKey // the changes of the running fold
	upTo      int64        // the last entry of the last started fold
	uncertain bool         // it is unknown whether the last fold was committed
	tries     uint         // number of failed folds since a successful one
}

// changedKey is a key that an entry changed.
type changedKey struct {
	number int64
	space  store.Space
	key    string
}

func (f *folder) addChanges(number int64, writes []rowWrite) {
	for _, w := range writes {
		f.pending = append(f.pending, changedKey{number, w.space, string(w.Key)})
	}
}

// foldIfManyPending starts a fold if many changes are pending. If too many are pending, it waits for the running fold.
func (f *folder) foldIfManyPending() {
	if !f.uncertain {
		f.store.cache.removeShortLivedCells(f.store.lastFoldable(), f.upTo)
	}
	if len(f.pending) > foldSize {
		f.beginFold()
	}
	if len(f.pending) > maxUnfolded {
		_ = f.awaitFold() // ended has handled the error
	}
}

// beginFold starts a fold of the entries that all open views include, and reports whether a fold runs now. If there are
// many changes, it folds only the oldest ones, so that the next owner has fewer changes to read if this owner dies
// soon.
func (f *folder) beginFold() bool {
	if f.running != nil {
		select {
		case err := <-f.running:
			f.handleFoldResult(err)
		default:
			return true
		}
	}
	upTo, n := f.store.lastFoldable(), 0
	for n < len(f.pending) && f.pending[n].number <= upTo {
		if n >= foldSize && f.pending[n].number > f.pending[n-1].number {
			upTo = f.pending[n-1].number
			break
		}
		n++
	}
	if n == 0 {
		return false
	}
	f.upTo, f.folding, f.pending = upTo, f.pending[:n:n], f.pending[n:]
	f.running = make(chan error, 1)
	go func(sure bool) {
		f.running <- f.store.table.foldEntries(upTo, f.store.cache.netChanges(f.folding, upTo, sure))
	}(!f.uncertain)
	return true
}

// pause returns how long an idle writer waits before the next fold. It is longer after each failure.
func (f *folder) pause() time.Duration { return idle << min(f.tries, 7) }

// awaitFold waits for the running fold, and returns its error.
func (f *folder) awaitFold() (err error) {
	if f.running != nil {
		err = <-f.running
		f.handleFoldResult(err)
	}
	return err
}

// handleFoldResult handles the result of a fold. A failed fold is repeated with the next one.
func (f *folder) handleFoldResult(err error) {
	f.running, f.uncertain = nil, err != nil
	f.tries++
	switch {
	case err == nil:
		f.tries = 0
		f.store.cache.recordFold(f.folding, f.upTo)
	case errors.Is(err, store.ErrFenced):
		f.store.stop(err)
	default:
		if f.tries == 1 {
			f.store.log.Warn("the log is not folded", slog.Any("error", err))
		}
		f.pending = append(f.folding, f.pending...)
	}
	f.folding = nil
}

// foldAll folds all changes. If it fails, for example because another process has become the owner, the next owner
// folds the rest.
func (f *folder) foldAll() error {
	_ = f.awaitFold() // a failed fold is repeated below
	var err error
	for err == nil && f.beginFold() {
		err = f.awaitFold()
	}
	if errors.Is(err, store.ErrFenced) {
		return nil
	}
	return err
}
