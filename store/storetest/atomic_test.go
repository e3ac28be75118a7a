package storetest_test

import (
	"cmp"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// errUndo is the error of functions whose writes are to be undone.
var errUndo = errors.New("undo")

// writeToBeUndone adds, overwrites and deletes rows, and takes a number. The caller's Update must undo all of this.
func writeToBeUndone(w store.Writer) error {
	_, err := w.Next(store.Records)
	return errors.Join(err, putAll(w, store.Records, "spoilt", "a", "c"), deleteAll(w, store.Records, "b"))
}

func testFailure(t *testing.T, b store.Backend) {
	put(t, b, store.Records, "a", "1")
	put(t, b, store.Records, "b", "2")
	err := b.Update(t.Context(), func(w store.Writer) error { return cmp.Or(writeToBeUndone(w), errUndo) })
	require.Equal(t, errUndo, err, "the error of the function comes back unchanged")
	require.Equal(t, []string{"a=1", "b=2"}, all(t, b, store.Records))

	err = b.View(t.Context(), func(store.Reader) error { return errUndo })
	require.Equal(t, errUndo, err)
}

func testPanic(t *testing.T, b store.Backend) {
	put(t, b, store.Records, "a", "1")
	put(t, b, store.Records, "b", "2")
	err := b.Update(t.Context(), func(w store.Writer) error {
		if err := writeToBeUndone(w); err != nil {
			return err
		}
		panic("secret")
	})
	var caught *store.Panic
	require.ErrorAs(t, err, &caught)
	require.Equal(t, "secret", caught.Value)
	require.Contains(t, string(caught.Stack), "testPanic")
	require.NotContains(t, err.Error(), "secret")
	require.Equal(t, []string{"a=1", "b=2"}, all(t, b, store.Records))

	require.PanicsWithValue(t, "mine", func() {
		_ = b.View(t.Context(), func(store.Reader) error { panic("mine") })
	})
	put(t, b, store.Records, "c", "3")
	require.Equal(t, []string{"a=1", "b=2", "c=3"}, all(t, b, store.Records))
}

// testSnapshot writes while a View is open: the View still sees its first state.
func testSnapshot(t *testing.T, b store.Backend) {
	update(t, b, func(w store.Writer) error { return putAll(w, store.Records, "1", "a", "b") })
	var before, during []string
	require.NoError(t, b.View(t.Context(), func(r store.Reader) (err error) {
		before, err = collect(r, store.Range{Space: store.Records})
		written := make(chan error)
		go func() {
			written <- b.Update(t.Context(), func(w store.Writer) error {
				return cmp.Or(putAll(w, store.Records, "2", "a", "c"), deleteAll(w, store.Records, "b"))
			})
		}()
		if err := cmp.Or(err, <-written); err != nil {
			return err
		}
		during, err = collect(r, store.Range{Space: store.Records})
		return err
	}))
	require.Equal(t, []string{"a=1", "b=1"}, before)
	require.Equal(t, before, during)
	require.Equal(t, []string{"a=2", "c=2"}, all(t, b, store.Records))
}

func testNext(t *testing.T, b store.Backend) {
	first := next(t, b, store.Records)
	require.Positive(t, first)
	require.Greater(t, next(t, b, store.Records), first)
	require.Positive(t, next(t, b, store.Events), "each space counts for itself")

	var pair [2]uint64
	update(t, b, func(w store.Writer) error {
		var errs [2]error
		for i := range pair {
			pair[i], errs[i] = w.Next(store.Records)
		}
		return errors.Join(errs[:]...)
	})
	require.Greater(t, pair[1], pair[0])
	require.Greater(t, next(t, b, store.Records), pair[1])
}
