package audit_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/memory"
	"handoff/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// world is a store in a test, which is audited, damaged and mended.
type world struct{ *storetest.World }

func newWorldOver(t testing.TB, b store.Backend) *world { return &world{storetest.NewWorld(t, b)} }

func newMemoryWorld(t testing.TB) *world { return newWorldOver(t, memory.New()) }

func runOnEachBackend(t *testing.T, test func(t *testing.T, w *world)) {
	storetest.RunOnEachBackend(t, func(t *testing.T, b store.Backend) { test(t, newWorldOver(t, b)) })
}

// newBusyWorld returns a store with some handoffs in it: one ended, one held, some pending, and a message.
func newBusyWorld(t testing.TB) *world {
	w := newMemoryWorld(t)
	w.Complete(w.Claim(w.Send(1)))
	w.Claim(w.Send(1))
	w.Change(nil, storetest.NewSentRecord(w.Send(1).ID+1), "send", strings.Repeat("one of many ", 400))
	w.Write(func(tx *store.Tx) error {
		_, err := tx.WriteChange(nil, nil, schemas.Event{Action: "message"}, store.Content{Bytes: []byte("hello"), Salt: []byte("salt")})
		return err
	})
	w.Write(func(tx *store.Tx) error {
		return tx.PutReference([]byte(strings.Repeat("what others refer to\n", 200)))
	})
	w.Notify("architect", 2)
	w.RequireSound()
	return w
}

func (w *world) check() []string {
	w.T.Helper()
	problems, err := audit.CheckRows(context.Background(), w.Store)
	require.NoError(w.T, err)
	return problems
}

func (w *world) audit() schemas.AuditOut {
	w.T.Helper()
	out, err := audit.VerifyRegistry(context.Background(), w.Store)
	require.NoError(w.T, err)
	require.Equal(w.T, len(out.Problems) == 0, out.OK)
	return out
}

// isIntact returns the result of [audit.IsHandoffIntact].
func (w *world) isIntact(id schemas.ID) (intact bool) {
	w.T.Helper()
	w.Read(func(v *store.View) (err error) {
		intact, err = audit.IsHandoffIntact(v, id)
		return err
	})
	return intact
}

// errUndo makes a transaction undo its changes.
var errUndo = errors.New("undo")

// withTest opens the rows of w in another store, for another test.
func (w *world) withTest(t testing.TB) *world {
	return &world{&storetest.World{Store: store.New(w.Rows), T: t, Rows: w.Rows}}
}

// whileBroken runs a test on rows that were damaged, and repairs them. The test gets a store of its own.
func (w *world) whileBroken(damage damage, test func(broken *world)) {
	w.T.Helper()
	saved := w.CopyRows(storetest.AllSpaces()...)
	w.WriteRows(damage)
	test(w.withTest(w.T))
	w.restore(saved)
}

// restore puts all rows back.
func (w *world) restore(saved map[store.Space][]store.Row) {
	w.T.Helper()
	now := w.CopyRows(storetest.AllSpaces()...)
	var all []damage
	for s := range store.Spaces {
		for _, row := range now[s] {
			all = append(all, remove(s, string(row.Key)))
		}
		for _, row := range saved[s] {
			all = append(all, put(s, string(row.Key), row.Value))
		}
	}
	w.WriteRows(inTurn(all...))
}
