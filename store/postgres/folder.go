package postgres

import (
	"errors"
	"log/slog"
	"time"

	"handoff/store"
)

// How many rows may wait to be folded.
const (
	several = 20_000  // are folded at once, and while calls come; the more, the more of them cancel each other out
	tooMany = 200_000 // hold up the writer
)

// A folder takes the log into the table of rows, in the background. Only the writer uses it.
type folder struct {
	store *Store
	owed  []change   // since the last fold that began, by entry
	under chan error // of the fold that goes on; nil: none does
	taken []change   // by that one
	upTo  int64      // the last entry of the last fold that began
	doubt bool       // whether the last fold took place
	tries uint       // that failed since one that did not
}

// A change is a key that an entry changed.
type change struct {
	number int64
	space  store.Space
	key    string
}

func (f *folder) owes(number int64, writes []write) {
	for _, w := range writes {
		f.owed = append(f.owed, change{number, w.space, string(w.Key)})
	}
}

// keepUp folds while calls come, and waits where too much is owed.
func (f *folder) keepUp() {
	if !f.doubt {
		f.store.cache.bury(f.store.foldable(), f.upTo)
	}
	if len(f.owed) > several {
		f.begin()
	}
	if len(f.owed) > tooMany {
		_ = f.await() // it is told to the log
	}
}

// begin folds what no view stands before, unless a fold goes on, and reports whether one goes on then. Of much it takes
// the beginning only: so an owner that dies early leaves less to the next one in any case.
func (f *folder) begin() bool {
	if f.under != nil {
		select {
		case err := <-f.under:
			f.ended(err)
		default:
			return true
		}
	}
	upTo, n := f.store.foldable(), 0
	for n < len(f.owed) && f.owed[n].number <= upTo {
		if n >= several && f.owed[n].number > f.owed[n-1].number {
			upTo = f.owed[n-1].number
			break
		}
		n++
	}
	if n == 0 {
		return false
	}
	f.upTo, f.taken, f.owed = upTo, f.owed[:n:n], f.owed[n:]
	f.under = make(chan error, 1)
	go func(sure bool) { f.under <- f.store.table.fold(upTo, f.store.cache.net(f.taken, upTo, sure)) }(!f.doubt)
	return true
}

// rest is how long a writer without calls waits for the next fold: the longer, the more of them failed.
func (f *folder) rest() time.Duration { return idle << min(f.tries, 7) }

// await waits for the fold that goes on, and gives its error.
func (f *folder) await() (err error) {
	if f.under != nil {
		err = <-f.under
		f.ended(err)
	}
	return err
}

// ended notes what became of a fold. One that failed is done again with the next.
func (f *folder) ended(err error) {
	f.under, f.doubt = nil, err != nil
	f.tries++
	switch {
	case err == nil:
		f.tries = 0
		f.store.cache.folded(f.taken, f.upTo)
	case errors.Is(err, store.ErrFenced):
		f.store.lose(err)
	default:
		if f.tries == 1 {
			f.store.log.Warn("the log is not folded", slog.Any("error", err))
		}
		f.owed = append(f.taken, f.owed...)
	}
	f.taken = nil
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
