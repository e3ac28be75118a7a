package storetest

import (
	"bytes"
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
)

// Noon returns the time of tests of stores.
func Noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// MinutesAfterNoon returns the time n minutes after noon.
func MinutesAfterNoon(n int) store.Time {
	return store.TimeOf(Noon().Add(time.Duration(n) * time.Minute))
}

// OpenBolt opens a file.
func OpenBolt(t testing.TB, path string) store.Backend {
	t.Helper()
	b, err := bolt.Open(context.Background(), bolt.Config{Path: path})
	require.NoError(t, err)
	return b
}

// RunOnEachBackend runs a test of the typed layer on two backends: in memory, where every function runs twice, and in a
// file.
func RunOnEachBackend(t *testing.T, test func(t *testing.T, b store.Backend)) {
	t.Run("memory, every function twice", func(t *testing.T) { test(t, RunUpdatesTwice(memory.New())) })
	t.Run("bolt", func(t *testing.T) { test(t, OpenBolt(t, filepath.Join(t.TempDir(), "handoff.db"))) })
}

// World is a store in a test, with the rows below it. Its methods fail the test on an error.
type World struct {
	*store.Store
	T    testing.TB
	Rows store.Backend
}

// NewWorld puts a store over rows, and closes it after the test.
func NewWorld(t testing.TB, rows store.Backend) *World {
	w := &World{Store: store.New(rows), T: t, Rows: rows}
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

// Read runs fn on a view.
func (w *World) Read(fn func(v *store.View) error) {
	w.T.Helper()
	require.NoError(w.T, w.View(context.Background(), fn))
}

// Write runs fn in a transaction.
func (w *World) Write(fn func(tx *store.Tx) error) {
	w.T.Helper()
	require.NoError(w.T, w.Update(context.Background(), fn))
}

// WriteRows writes rows without the typed layer, so that tests can damage a store.
func (w *World) WriteRows(fn func(store.Writer) error) {
	w.T.Helper()
	require.NoError(w.T, w.Rows.Update(context.Background(), fn))
}

// CopyRows copies every row of some spaces.
func (w *World) CopyRows(spaces ...store.Space) map[store.Space][]store.Row {
	w.T.Helper()
	rows := map[store.Space][]store.Row{}
	require.NoError(w.T, w.Rows.View(context.Background(), func(r store.Reader) error {
		for _, s := range spaces {
			for row, err := range r.Scan(store.Range{Space: s}) {
				if err != nil {
					return err
				}
				rows[s] = append(rows[s], store.Row{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
			}
		}
		return nil
	}))
	return rows
}

// AllSpaces lists the spaces.
func AllSpaces() (all []store.Space) {
	for s := range store.Spaces {
		all = append(all, s)
	}
	return all
}

// NewSentRecord returns a record as it is right after a send.
func NewSentRecord(id schemas.ID) *store.Record {
	return &store.Record{
		ID: id, Workflow: "wf_login", From: "architect", To: "auto-code", Box: "auto-code", Title: "Fix the login",
		Priority: schemas.Normal, Status: schemas.Pending, Created: MinutesAfterNoon(int(id)), Depth: 1, MaxAttempts: 3, //nolint:gosec // ids of tests are small
		Digest: "of what was sent",
	}
}

// WriteRecord writes a record with an event. The event has the content, unless the content is empty.
func WriteRecord(tx *store.Tx, was, now *store.Record, action, content string) error {
	e := schemas.Event{At: Noon(), Handoff: now.ID, Agent: now.From, Via: schemas.ViaStdio, Action: action, To: now.Status}
	c := store.Content{Bytes: []byte(content)}
	if content != "" {
		c.Salt = []byte("salt of " + action)
	}
	_, err := tx.WriteChange(was, now, e, c)
	return errors.Join(err, tx.PutWorkflow(now.Workflow, store.Workflow{Owner: now.From}))
}

// Change writes a record with an event, and returns the record as it was written. For a new record it first takes all
// ids up to the id of the record.
func (w *World) Change(was, now *store.Record, action, content string) *store.Record {
	w.T.Helper()
	kept := now.Clone()
	w.Write(func(tx *store.Tx) error {
		for id := schemas.ID(0); was == nil && id < now.ID; {
			var err error
			if id, err = tx.NewID(); err != nil {
				return err
			}
		}
		return WriteRecord(tx, was, &kept, action, content)
	})
	return &kept
}

// Send writes n new records, each with content, and returns the last.
func (w *World) Send(n int) (last *store.Record) {
	w.T.Helper()
	for range n {
		w.Write(func(tx *store.Tx) error {
			id, err := tx.NewID()
			if err != nil {
				return err
			}
			last = NewSentRecord(id)
			return WriteRecord(tx, nil, last, "send", `{"task":"of `+id.String()+`"}`)
		})
	}
	return last
}

// Claim claims a record that was sent.
func (w *World) Claim(r *store.Record) *store.Record {
	now := r.Clone()
	now.Status, now.Holder, now.Box, now.Token = schemas.Accepted, "auto-code", "", "ct_1"
	now.Lease, now.Wakes = MinutesAfterNoon(100), MinutesAfterNoon(100)
	return w.Change(r, &now, "claim", "")
}

// Complete completes a record that was claimed.
func (w *World) Complete(r *store.Record) *store.Record {
	now := r.Clone()
	now.Status, now.Outcome, now.Lease, now.Wakes, now.Ended = schemas.Completed, schemas.Success, 0, 0, MinutesAfterNoon(50)
	return w.Change(r, &now, "complete", `{"summary":"done"}`)
}

// Notify adds notices of messages.
func (w *World) Notify(to schemas.Agent, n int) {
	w.Write(func(tx *store.Tx) (err error) {
		for i := 0; err == nil && i < n; i++ {
			_, err = tx.AddNotice(schemas.Notice{To: to, From: "architect", Kind: "message", At: Noon()})
		}
		return err
	})
}

// RequireSound asserts that the checks find no fault, and returns their result.
func (w *World) RequireSound() schemas.CheckOut {
	w.T.Helper()
	out, err := audit.ExamineStore(context.Background(), w.Store, nil)
	require.NoError(w.T, err)
	require.Empty(w.T, out.Faults)
	return out
}
