package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/storetest"
)

// addRecords stores n new records in one transaction, without events.
func (w *world) addRecords(n int, with func(*store.Record)) {
	w.T.Helper()
	w.Write(func(tx *store.Tx) error {
		for range n {
			id, err := tx.NewID()
			if err != nil {
				return err
			}
			r := storetest.NewSentRecord(id)
			with(r)
			if err := storetest.WriteRecord(tx, nil, r, "sent", ""); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestCountStates_CountsEachState(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		w.addRecords(1000, func(*store.Record) {})
		w.addRecords(1501, func(r *store.Record) { r.Status = schemas.Completed })
		w.addRecords(2, func(r *store.Record) { r.Status = schemas.Cancelled })
		counts, err := w.CountStates(t.Context(), schemas.Pending, schemas.Failed, schemas.Completed, schemas.Cancelled)
		require.NoError(t, err)
		require.Equal(t, map[schemas.Status]int{schemas.Pending: 1000, schemas.Failed: 0, schemas.Completed: 1501, schemas.Cancelled: 2}, counts)
	})
}

func TestNonEmptyMailboxes_ReturnCounters(t *testing.T) {
	w := newMemoryWorld(t)
	w.Send(2)
	w.Claim(w.readRecord(1))
	w.addRecords(3, func(r *store.Record) { r.To, r.Box, r.SentWith = "role:testing", "role:testing", "ci" })
	have := map[schemas.Address]store.Counters{}
	w.Read(func(v *store.View) error {
		for b, err := range v.NonEmptyMailboxes() {
			require.NoError(t, err)
			have[b.Address] = b.Counters
		}
		return nil
	})
	require.Equal(t, map[schemas.Address]store.Counters{"auto-code": {Pending: 1, Held: 1}, "role:testing": {Pending: 3}}, have)
}

// An urgent handoff comes first in a mailbox, even if it is young.
func TestOldestPending_FindsHandoffBehindUrgentOne(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		oldest := func() (at time.Time) {
			w.Read(func(v *store.View) (err error) {
				at, err = v.OldestPending("auto-code")
				return err
			})
			return at
		}
		require.Zero(t, oldest())

		w.Send(1)
		w.Claim(w.readRecord(1)) // it was sent first, and is not pending
		w.addRecords(1, func(r *store.Record) { r.Priority = schemas.Low })
		w.addRecords(1200, func(r *store.Record) { r.Priority, r.Created = schemas.Critical, storetest.MinutesAfterNoon(60) })
		w.addRecords(1, func(r *store.Record) { r.Created = storetest.MinutesAfterNoon(26 * 60) })
		w.addRecords(1, func(r *store.Record) { r.To, r.Box, r.Created = "other", "other", storetest.MinutesAfterNoon(-60) })
		require.Equal(t, storetest.Noon().Add(2*time.Minute), oldest(), "of ho_2")
	})
}
