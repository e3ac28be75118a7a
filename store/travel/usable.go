package travel

import (
	"bytes"
	"context"
	"errors"

	"handoff/store"
)

// ErrUnfinished means that a copy into the store did not come to its end: rows are missing.
var ErrUnfinished = errors.New("the copy into it was not finished")

// Moved means that the rows of a store were copied, and are changed elsewhere since then.
type Moved struct{ To string }

// Error implements error.
func (m *Moved) Error() string { return "it was copied to " + m.To }

// Keys of [store.Sys] that belong to a store, and not to what it keeps. The numbers of [store.Writer.Next] are copied,
// because each driver has them from [store.Overlay.Next].
const (
	formatKey = "format"
	copyKey   = "copy" // where the rows were copied to; empty until a copy into the store is finished
)

func isLocal(s store.Space, key []byte) bool {
	return s == store.Sys && (string(key) == formatKey || string(key) == copyKey)
}

// Usable tells whether a store has all its rows, and nobody changes them elsewhere: the error is [ErrUnfinished] or a
// [*Moved]. Whoever opens a store to use it asks first.
func Usable(ctx context.Context, b store.Backend) error {
	var mark []byte
	err := b.View(ctx, func(r store.Reader) error {
		found, err := r.Get(store.Sys, []byte(copyKey))
		mark = bytes.Clone(found)
		return err
	})
	switch {
	case err != nil || mark == nil:
		return err
	case len(mark) == 0:
		return ErrUnfinished
	}
	return &Moved{string(mark)}
}

// Reopen makes a store usable again that was copied. What became of the copy since then is not in it.
func Reopen(ctx context.Context, b store.Backend) error {
	return b.Update(ctx, func(w store.Writer) error { return w.Delete(store.Sys, []byte(copyKey)) })
}

// spacesOfWork are the spaces that have rows where somebody did more than to look: others can be written again.
var spacesOfWork = []store.Space{store.Records, store.Events, store.Notices, store.Tokens}

// HasWork tells whether something was ever sent in a store, or a token made.
func HasWork(ctx context.Context, b store.Backend) (bool, error) {
	for _, s := range spacesOfWork {
		if rows, err := nextBatch(ctx, b, s, nil); err != nil || len(rows) > 0 {
			return true, err
		}
	}
	return false, nil
}

func setCopyMark(ctx context.Context, b store.Backend, place string) error {
	return b.Update(ctx, func(w store.Writer) error { return w.Put(store.Sys, []byte(copyKey), []byte(place)) })
}
