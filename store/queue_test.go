package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/storetest"
)

func collect(t testing.TB, seq iter.Seq2[schemas.ID, error]) (ids []schemas.ID) {
	t.Helper()
	for id, err := range seq {
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// addPending stores a record that has been pending in a box since a time.
func (w *world) addPending(id schemas.ID, box schemas.Address, p schemas.Priority, since time.Duration) {
	w.T.Helper()
	r := storetest.NewSentRecord(id)
	r.Box, r.To, r.Priority, r.Created = box, box, p, store.TimeOf(storetest.Noon().Add(since))
	w.Change(nil, r, "send", "")
}

func (w *world) queue(boxes ...schemas.Address) (ids []schemas.ID) {
	w.T.Helper()
	w.Read(func(v *store.View) error {
		ids = collect(w.T, v.ClaimableHandoffs(boxes...))
		return nil
	})
	return ids
}

func TestClaimableHandoffs_OrderByPriorityAndAge(t *testing.T) {
	w := newMemoryWorld(t)
	w.addPending(1, "a", schemas.Low, 0)
	w.addPending(2, "a", schemas.Critical, 24*time.Hour+time.Millisecond)
	w.addPending(3, "a", schemas.Normal, time.Hour-time.Millisecond)
	w.addPending(4, "a", schemas.High, 4*time.Hour)
	w.addPending(5, "a", schemas.Critical, 0)
	require.Equal(t, []schemas.ID{5, 3, 1, 4, 2}, w.queue("a"))
}

// A handoff of low priority is next after it waited for a day, even if many critical ones come later.
func TestClaimableHandoffs_PutLowPriorityFirstAfterOneDay(t *testing.T) {
	w := newMemoryWorld(t)
	w.addPending(1, "a", schemas.Low, 0)
	for id := schemas.ID(2); id < 50; id++ {
		w.addPending(id, "a", schemas.Critical, 24*time.Hour+time.Duration(id)*time.Second)
	}
	require.Equal(t, schemas.ID(1), w.queue("a")[0])
}

func TestClaimableHandoffs_OrderEqualHandoffsByID(t *testing.T) {
	w := newMemoryWorld(t)
	for _, id := range []schemas.ID{9, 300, 2, 256, 1, 255} {
		w.addPending(id, schemas.Address([]string{"a", "b"}[id%2]), schemas.Normal, 0)
	}
	require.Equal(t, []schemas.ID{1, 2, 9, 255, 256, 300}, w.queue("b", "a"))
}

func TestClaimableHandoffs_SeparateMailboxesWithSamePrefix(t *testing.T) {
	w := newMemoryWorld(t)
	w.addPending(1, "a", schemas.Normal, 0)
	w.addPending(2, "a.b", schemas.Normal, 0)
	w.addPending(3, "a-b", schemas.Normal, 0)
	require.Equal(t, []schemas.ID{1}, w.queue("a"))
	require.Equal(t, []schemas.ID{2}, w.queue("a.b"))
}

func TestMailboxesWithWork_SelectByPrefix(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		for id, box := range []schemas.Address{"a", "a", "a-2", "ab", "b", "capability:a"} {
			w.addPending(schemas.ID(id+1), box, schemas.Normal, 0)
		}
		for beginning, want := range map[string][]schemas.Address{
			"":    {"a", "a-2", "ab", "b", "capability:a"},
			"a":   {"a", "a-2", "ab"},
			"a-":  {"a-2"},
			"a-3": nil,
		} {
			w.Read(func(v *store.View) error {
				var boxes []schemas.Address
				for box, err := range v.MailboxesWithWork(beginning) {
					require.NoError(t, err)
					boxes = append(boxes, box)
				}
				require.Equal(t, want, boxes)
				for box, err := range v.MailboxesWithWork(beginning) {
					require.NoError(t, err)
					require.Equal(t, want[0], box)
					break
				}
				return nil
			})
		}
	})
}

func TestBlockingHandoffs_YieldEachOnce(t *testing.T) {
	w := newMemoryWorld(t)
	for id, after := range [][]schemas.ID{1: {300, 7}, 2: {7}, 3: {7, 256}} {
		if id > 0 {
			r := storetest.NewSentRecord(schemas.ID(id))
			r.After = after
			w.Change(nil, r, "send", "")
		}
	}
	w.addPending(4, "a", schemas.Normal, 0)
	w.Read(func(v *store.View) error {
		require.Equal(t, []schemas.ID{7, 256, 300}, collect(t, v.BlockingHandoffs()))
		for b, err := range v.NonEmptyMailboxes() {
			require.Equal(t, store.MailboxCounters{Address: "a", Counters: store.Counters{Pending: 1}}, b)
			require.NoError(t, err)
		}
		return nil
	})
}

// A clock just after 1970, as on a machine without a battery, causes no overflow.
func TestClaimableHandoffs_OrderByPriorityNear1970(t *testing.T) {
	w := newMemoryWorld(t)
	for i, p := range []schemas.Priority{schemas.Low, schemas.Critical} {
		r := storetest.NewSentRecord(schemas.ID(i + 1))
		r.Priority, r.Created = p, store.TimeOf(time.UnixMilli(1000))
		w.Change(nil, r, "send", "")
	}
	require.Equal(t, []schemas.ID{2, 1}, w.queue("auto-code"))
}

// Claims during the ranging over a queue do not disturb it.
func TestClaimableHandoffs_AllowClaimsWhileRanging(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		w.Send(5)
		var claimed []schemas.ID
		w.Write(func(tx *store.Tx) error {
			claimed = nil
			for id, err := range tx.ClaimableHandoffs("auto-code", "role:coder") {
				if err != nil {
					return err
				}
				was, err := tx.Record(id)
				if err != nil {
					return err
				}
				now := was.Clone()
				now.Status, now.Holder = schemas.Accepted, "auto-code"
				if err := storetest.WriteRecord(tx, was, &now, "claim", ""); err != nil {
					return err
				}
				claimed = append(claimed, id)
			}
			return nil
		})
		require.Equal(t, []schemas.ID{1, 2, 3, 4, 5}, claimed)
		require.Empty(t, w.queue("auto-code"))
		w.RequireSound()
	})
}

// scanCounter is a backend that counts its open scans.
type scanCounter struct {
	store.Backend
	scans int
	fails error // yielded in place of the second row
}

func (o *scanCounter) View(ctx context.Context, fn func(store.Reader) error) error {
	return o.Backend.View(ctx, func(r store.Reader) error { return fn(countingReader{r, o}) })
}

type countingReader struct {
	store.Reader
	of *scanCounter
}

func (s countingReader) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		s.of.scans++
		defer func() { s.of.scans-- }()
		n := 0
		for row, err := range s.Reader.Scan(r) {
			if n++; n == 2 && s.of.fails != nil {
				yield(store.Row{}, s.of.fails)
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func TestClaimableHandoffs_CloseScansWhenRangingStops(t *testing.T) {
	o := &scanCounter{Backend: memory.New()}
	w := newWorldOver(t, o)
	for id := range schemas.ID(6) {
		w.addPending(id+1, schemas.Address([]string{"a", "b", "c"}[id%3]), schemas.Normal, 0)
	}
	for stop := range 7 {
		w.Read(func(v *store.View) error {
			n := 0
			for _, err := range v.ClaimableHandoffs("a", "b", "c", "empty") {
				if n == stop || err != nil {
					break
				}
				n++
				require.Equal(t, 4, o.scans+emptiedBoxes(n))
			}
			require.Zero(t, o.scans, "after %d", stop)
			return nil
		})
	}
	panics := func() { w.Read(func(v *store.View) error { leave(v); return nil }) }
	require.Panics(t, panics)
	require.Zero(t, o.scans)

	o.fails = errors.New("broken")
	err := w.View(context.Background(), func(v *store.View) error {
		for _, err := range v.ClaimableHandoffs("a", "b") {
			if err != nil {
				return err
			}
		}
		return nil
	})
	require.ErrorIs(t, err, o.fails)
	require.Zero(t, o.scans)
}

// emptiedBoxes returns how many of the four boxes have no handoff left after n handoffs were taken. One box was empty
// from the start. The last three handoffs empty the other boxes one by one.
func emptiedBoxes(n int) int { return 1 + max(0, n-4) }

func leave(v *store.View) {
	for id, err := range v.ClaimableHandoffs("a", "b") {
		panic(fmt.Sprint("left at ", id, err))
	}
}

func TestNextDueTime_IsZeroIfNoHandoffHasDueTime(t *testing.T) {
	w := newMemoryWorld(t)
	w.Send(1)
	w.Read(func(v *store.View) error {
		next, err := v.NextDueTime()
		require.True(t, next.IsZero())
		return err
	})
}
