package travel

import (
	"bytes"
	"context"
	"errors"

	"handoff/store"
)

// ErrUnfinished means that a copy into the store was not finished: rows are missing.
var ErrUnfinished = errors.New("the copy into it was not finished")

// MovedError is the error for a store whose rows were copied to another store, To. The other store is used in its
// place.
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

// CheckUsable returns an error if a store must not be used: [ErrUnfinished] if rows are missing, a [*MovedError] if the
// store was moved. Callers check this before they use a store.
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

// RemoveCopyMark makes a moved or unfinished store usable again. A moved store does not have the later changes of its
// copy.
func RemoveCopyMark(ctx context.Context, b store.Backend) error {
	return b.Update(ctx, func(w store.Writer) error { return w.Delete(store.Sys, []byte(copyKey)) })
}

// spacesOfWork lists the spaces that get rows only when agents or people use the store.
var spacesOfWork = []store.Space{store.Records, store.Events, store.Notices, store.Tokens}

// HasWork reports whether a store has ever had a handoff, an event, a notice or a token.
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
