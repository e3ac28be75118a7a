package store_test

import (
	"errors"
	"testing"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/storetest"
)

// world is a store in a test, with helpers for the tests of this package.
type world struct{ *storetest.World }

func over(t testing.TB, b store.Backend) *world { return &world{storetest.NewWorld(t, b)} }

func inMemory(t testing.TB) *world { return over(t, memory.New()) }

func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	storetest.RunOnEachBackend(t, func(t *testing.T, b store.Backend) { test(t, over(t, b)) })
}

// errUndo makes a transaction undo its changes.
var errUndo = errors.New("undo")

// record returns the record as it is stored.
func (w *world) record(id schemas.ID) (r *store.Record) {
	w.T.Helper()
	w.Read(func(v *store.View) (err error) {
		r, err = v.Record(id)
		return err
	})
	return r
}
