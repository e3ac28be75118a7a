package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/bolt"
	"handoff/store/memory"
	"handoff/store/storetest"
)

// noon is when tests happen.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// minute is a point in time so many minutes after noon.
func minute(n int) store.Time { return store.At(noon.Add(time.Duration(n) * time.Minute)) }

func openBolt(t testing.TB, path string) store.Backend {
	t.Helper()
	b, err := bolt.Open(context.Background(), bolt.Config{Path: path})
	require.NoError(t, err)
	return b
}

// backends are what the typed layer is tested on.
var backends = []struct {
	name string
	open func(testing.TB) store.Backend
}{
	{"memory, every function twice", func(testing.TB) store.Backend { return storetest.Twice(memory.New()) }},
	{"bolt", func(t testing.TB) store.Backend { return openBolt(t, filepath.Join(t.TempDir(), "handoff.db")) }},
}

// onEach runs a test on each backend.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) { test(t, over(t, b.open(t))) })
	}
}

// world is a store in a test, with the rows below it.
type world struct {
	*store.Store
	t    testing.TB
	rows store.Backend
}

func over(t testing.TB, b store.Backend) *world {
	w := &world{Store: store.New(b), t: t, rows: b}
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

func inMemory(t testing.TB) *world { return over(t, memory.New()) }

// view and update give the error back to the goroutine of the test.
func (w *world) view(fn func(v *store.View) error) {
	w.t.Helper()
	require.NoError(w.t, w.View(context.Background(), fn))
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.t.Helper()
	require.NoError(w.t, w.Update(context.Background(), fn))
}

// raw writes rows as nobody should.
func (w *world) raw(fn func(store.Writer) error) {
	w.t.Helper()
	require.NoError(w.t, w.rows.Update(context.Background(), fn))
}

// sent is a record as it is right after a send.
func sent(id schemas.ID) *store.Record {
	return &store.Record{
		ID: id, Workflow: "wf_login", From: "architect", To: "auto-code", Box: "auto-code", Title: "Fix the login",
		Priority: schemas.Normal, Status: schemas.Pending, Created: minute(int(id)), Depth: 1, MaxAttempts: 3,
		Digest: "of what was sent",
	}
}

// change keeps a record, saying something, and gives it back as it was kept.
func (w *world) change(was, now *store.Record, action string, content string) *store.Record {
	w.t.Helper()
	kept := now.Clone()
	w.update(func(tx *store.Tx) error {
		for id := schemas.ID(0); was == nil && id < now.ID; { // as whoever sends takes its id
			var err error
			if id, err = tx.NewID(); err != nil {
				return err
			}
		}
		return keep(tx, was, &kept, action, content)
	})
	return &kept
}

func keep(tx *store.Tx, was, now *store.Record, action string, content string) error {
	e := schemas.Event{At: noon, Handoff: now.ID, Agent: now.From, Via: schemas.ViaStdio, Action: action, To: now.Status}
	said := store.Content{Bytes: []byte(content)}
	if content != "" {
		said.Salt = []byte("salt of " + action)
	}
	_, err := tx.Change(was, now, e, said)
	return errors.Join(err, tx.PutWorkflow(now.Workflow, store.Workflow{Owner: now.From}))
}

// send keeps n new records, each with content, and gives the last.
func (w *world) send(n int) (last *store.Record) {
	w.t.Helper()
	for range n {
		w.update(func(tx *store.Tx) error {
			id, err := tx.NewID()
			if err != nil {
				return err
			}
			last = sent(id)
			return keep(tx, nil, last, "send", `{"task":"of `+id.String()+`"}`)
		})
	}
	return last
}

// claim and complete go on with a record.
func (w *world) claim(r *store.Record) *store.Record {
	w.t.Helper()
	now := r.Clone()
	now.Status, now.Holder, now.Box, now.Token = schemas.Accepted, "auto-code", "", "ct_1"
	now.Lease, now.Wakes = minute(100), minute(100)
	return w.change(r, &now, "claim", "")
}

func (w *world) complete(r *store.Record) *store.Record {
	w.t.Helper()
	now := r.Clone()
	now.Status, now.Outcome, now.Lease, now.Wakes, now.Ended = schemas.Completed, schemas.Success, 0, 0, minute(50)
	return w.change(r, &now, "complete", `{"summary":"done"}`)
}

// record gives the record as it is stored.
func (w *world) record(id schemas.ID) (r *store.Record) {
	w.t.Helper()
	w.view(func(v *store.View) (err error) {
		r, err = v.Record(id)
		return err
	})
	return r
}

func (w *world) check() audit.Problems {
	w.t.Helper()
	problems, err := audit.Check(context.Background(), w.Store)
	require.NoError(w.t, err)
	return problems
}

func (w *world) audit() schemas.AuditOut {
	w.t.Helper()
	out, err := audit.Registry(context.Background(), w.Store)
	require.NoError(w.t, err)
	require.Equal(w.t, len(out.Problems) == 0, out.OK)
	return out
}

// sound asserts that nothing is wrong.
func (w *world) sound() {
	w.t.Helper()
	require.Empty(w.t, w.check())
	require.Empty(w.t, w.audit().Problems)
}
