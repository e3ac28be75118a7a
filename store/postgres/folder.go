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

// folder folds the log into the table of rows, in the background. Only the writer uses it.
type folder struct {
	store     *Store
	pending   []change   // since the start of the last fold, by entry
	running   chan error // result of the running fold; nil: none runs
	folding   []change   // the changes of the running fold
	upTo      int64      // the last entry of the last started fold
	uncertain bool       // it is unknown whether the last fold was committed
	tries     uint       // number of failed folds since a successful one
}

// A change is a key that an entry changed.
type change struct {
	number int64
	space  store.Space
	key    string
}

func (f *folder) add(number int64, writes []write) {
	for _, w := range writes {
		f.pending = append(f.pending, change{number, w.space, string(w.Key)})
	}
}

// foldPending starts folds while calls come, and waits if too many rows are pending.
func (f *folder) foldPending() {
	if !f.uncertain {
		f.store.cache.dropShortLived(f.store.foldable(), f.upTo)
	}
	if len(f.pending) > foldSize {
		f.begin()
	}
	if len(f.pending) > maxUnfolded {
		_ = f.await() // ended has handled the error
	}
}

// begin folds the entries that all open views include, unless a fold runs, and reports whether one runs now. If there
// are many changes, it folds only the oldest ones: then even an owner that dies soon after leaves fewer changes to the
// next owner.
func (f *folder) begin() bool {
	if f.running != nil {
		select {
		case err := <-f.running:
			f.ended(err)
		default:
			return true
		}
	}
	upTo, n := f.store.foldable(), 0
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
		f.running <- f.store.table.fold(upTo, f.store.cache.netChanges(f.folding, upTo, sure))
	}(!f.uncertain)
	return true
}

// pause returns how long a writer without calls waits for the next fold: longer after each failure.
func (f *folder) pause() time.Duration { return idle << min(f.tries, 7) }

// await waits for the running fold, and returns its error.
func (f *folder) await() (err error) {
	if f.running != nil {
		err = <-f.running
		f.ended(err)
	}
	return err
}

// ended handles the result of a fold. A failed fold is repeated with the next one.
func (f *folder) ended(err error) {
	f.running, f.uncertain = nil, err != nil
	f.tries++
	switch {
	case err == nil:
		f.tries = 0
		f.store.cache.folded(f.folding, f.upTo)
	case errors.Is(err, store.ErrFenced):
		f.store.end(err)
	default:
		if f.tries == 1 {
			f.store.log.Warn("the log is not folded", slog.Any("error", err))
		}
		f.pending = append(f.folding, f.pending...)
	}
	f.folding = nil
}

// finish folds all changes. After an error, for example because another owner has taken over, the next owner folds the
// rest.
func (f *folder) finish() error {
	_ = f.await() // a failed fold is repeated below
	var err error
	for err == nil && f.begin() {
		err = f.await()
	}
	if errors.Is(err, store.ErrFenced) {
		return nil
	}
	return err
}
