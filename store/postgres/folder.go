package postgres

import (
	"errors"
	"log/slog"
	"time"

	"handoff/store"
)

// How many rows may wait to be folded.
const (
	foldSize    = 20_000  // are folded at once, and while calls come; the more, the more of them cancel each other out
	maxUnfolded = 200_000 // hold up the writer
)

// A folder takes the log into the table of rows, in the background. Only the writer uses it.
type folder struct {
	store     *Store
	pending   []change   // since the last fold that began, by entry
	running   chan error // of the fold that goes on; nil: none does
	folding   []change   // by that one
	upTo      int64      // the last entry of the last fold that began
	uncertain bool       // whether the last fold took place
	tries     uint       // that failed since one that did not
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

// keepUp folds while calls come, and waits where too much is owed.
func (f *folder) keepUp() {
	if !f.uncertain {
		f.store.cache.dropShortLived(f.store.foldable(), f.upTo)
	}
	if len(f.pending) > foldSize {
		f.begin()
	}
	if len(f.pending) > maxUnfolded {
		_ = f.await() // it is told to the log
	}
}

// begin folds what no view stands before, unless a fold goes on, and reports whether one goes on then. Of much it takes
// the beginning only: so an owner that dies early leaves less to the next one in any case.
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

// pause is how long a writer without calls waits for the next fold: the longer, the more of them failed.
func (f *folder) pause() time.Duration { return idle << min(f.tries, 7) }

// await waits for the fold that goes on, and gives its error.
func (f *folder) await() (err error) {
	if f.running != nil {
		err = <-f.running
		f.ended(err)
	}
	return err
}

// ended notes what became of a fold. One that failed is done again with the next.
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

// finish folds all. What is left in the log after an error is folded by the next owner, who may be there already.
func (f *folder) finish() error {
	_ = f.await() // what it left is folded now
	var err error
	for err == nil && f.begin() {
		err = f.await()
	}
	if errors.Is(err, store.ErrFenced) {
		return nil
	}
	return err
}
