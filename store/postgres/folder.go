package postgres

import (
	"errors"
	"log/slog"

	"handoff/store"
)

// How many rows may wait to be folded.
const (
	several = 20_000  // are folded while calls come; the more at once, the more of them cancel each other out
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

// begin folds what no view stands before, unless a fold goes on.
func (f *folder) begin() {
	if f.under != nil {
		select {
		case err := <-f.under:
			f.ended(err)
		default:
			return
		}
	}
	upTo, n := f.store.foldable(), 0
	for n < len(f.owed) && f.owed[n].number <= upTo {
		n++
	}
	if n == 0 {
		return
	}
	f.upTo, f.taken, f.owed = upTo, f.owed[:n:n], f.owed[n:]
	f.under = make(chan error, 1)
	go func(sure bool) { f.under <- f.store.table.fold(upTo, f.store.cache.net(f.taken, upTo, sure)) }(!f.doubt)
}

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
	switch {
	case err == nil:
		f.store.cache.folded(f.taken, f.upTo)
	case errors.Is(err, store.ErrFenced):
		f.store.lose(err)
	default:
		f.store.log.Warn("the log was not folded", slog.Any("error", err))
		f.owed = append(f.taken, f.owed...)
	}
	f.taken = nil
}

// finish folds all. What is left in the log after an error is folded by the next owner, who may be there already.
func (f *folder) finish() error {
	_ = f.await() // what it left is folded now
	f.begin()
	if err := f.await(); !errors.Is(err, store.ErrFenced) {
		return err
	}
	return nil
}
