package store_test

import (
	"errors"
	"os"
	"testing"

	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// world is a store in a test, with helpers for the tests of this package.
type world struct{ *storetest.World }

func newWorldOver(t testing.TB, b store.Backend) *world { return &world{storetest.NewWorld(t, b)} }

func newMemoryWorld(t testing.TB) *world { return newWorldOver(t, memory.New()) }

func runOnEachBackend(t *testing.T, test func(t *testing.T, w *world)) {
	storetest.RunOnEachBackend(t, func(t *testing.T, b store.Backend) { test(t, newWorldOver(t, b)) })
}

// errUndo makes a transaction undo its changes.
var errUndo = errors.New("undo")

// readRecord returns the record as it is stored.
func (w *world) readRecord(id schemas.ID) (r *store.Record) {
	w.T.Helper()
	w.Read(func(v *store.View) (err error) {
		r, err = v.Record(id)
		return err
	})
	return r
}
