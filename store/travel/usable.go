package travel

import (
	"bytes"
	"context"
	"errors"

	"handoff/store"
)

// ErrUnfinished means that a copy into the store was not finished: rows are missing.
var ErrUnfinished = errors.New("the copy into it was not finished")

// MovedError is the error of a store whose rows were copied to another store, To, which is used in its place since
// then.
type MovedError struct{ To string }

// Error implements error.
func (m *MovedError) Error() string { return "it was copied to " + m.To }

// Keys of [store.Sys] that belong to one store and are not copied. The numbers of [store.Writer.Next] are copied,
// because each driver has them from [store.Overlay.Next].
const (
	formatKey = "format"
	copyKey   = "copy" // the target of a copy of these rows; empty while a copy into the store is unfinished
)

func isLocalKey(s store.Space, key []byte) bool {
	return s == store.Sys && (string(key) == formatKey || string(key) == copyKey)
}

// CheckUsable reports whether a store has all its rows and was not moved: the error is [ErrUnfinished] or a [*Moved].
// Callers check it before they use a store.
func CheckUsable(ctx context.Context, b store.Backend) error {
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
	return &MovedError{string(mark)}
}

// RemoveCopyMark makes a copied store usable again. It does not have later changes of the copy.
func RemoveCopyMark(ctx context.Context, b store.Backend) error {
	return b.Update(ctx, func(w store.Writer) error { return w.Delete(store.Sys, []byte(copyKey)) })
}

// spacesOfWork lists the spaces that get rows only when a store is used for work; other rows can be written again.
var spacesOfWork = []store.Space{store.Records, store.Events, store.Notices, store.Tokens}

// HasWork reports whether a handoff or a message was ever sent in a store, or a token made.
func HasWork(ctx context.Context, b store.Backend) (bool, error) {
	for _, s := range spacesOfWork {
		if rows, err := readNextBatch(ctx, b, s, nil); err != nil || len(rows) > 0 {
			return true, err
		}
	}
	return false, nil
}

func setCopyMark(ctx context.Context, b store.Backend, place string) error {
	return b.Update(ctx, func(w store.Writer) error { return w.Put(store.Sys, []byte(copyKey), []byte(place)) })
}
