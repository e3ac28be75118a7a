package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/storetest"
)

func hashOf(parts ...[]byte) string {
	h := sha256.Sum256(bytes.Join(parts, nil))
	return base64.RawURLEncoding.EncodeToString(h[:])
}

func TestWriteChange_LinksEventToPreviousEvent(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		first := w.Send(1)
		other := w.Send(1)
		w.Write(func(tx *store.Tx) error { // an event about no record
			_, err := tx.WriteChange(nil, nil, schemas.Event{Action: "message"}, store.Content{Bytes: []byte("hello")})
			return err
		})
		claimed := w.Claim(first)
		w.Claim(other)
		done := w.Complete(claimed)

		rows := w.CopyRows(store.Events, store.Records)
		events := make([]schemas.Event, len(rows[store.Events]))
		for i, row := range rows[store.Events] {
			require.Equal(t, store.EncodeNumber(uint64(i+1)), row.Key, "numbers have no gaps")
			require.NoError(t, json.Unmarshal(row.Value, &events[i]))
			require.Equal(t, uint64(i+1), events[i].N)
		}
		require.Len(t, events, 6)
		for i, before := range []int{0, 0, 0, 1, 2, 4} {
			require.Equal(t, uint64(before), events[i].Before)
			if before != 0 {
				require.Equal(t, hashOf(rows[store.Events][before-1].Value), events[i].Prev)
				require.Equal(t, events[before-1].Handoff, events[i].Handoff)
			}
		}
		require.Equal(t, uint64(6), done.Event)
		require.Equal(t, hashOf(rows[store.Records][0].Value), events[5].State)
		require.Equal(t, hashOf([]byte("salt of complete"), []byte(`{"summary":"done"}`)), events[5].Said)
		require.Equal(t, len(`{"summary":"done"}`), events[5].Bytes)
		require.Empty(t, events[3].Said, "nothing was said with a claim")
		require.Empty(t, events[2].State, "a message changes no record")

		w.Read(func(v *store.View) error {
			last, err := v.EventsOf(done, 2)
			require.Equal(t, []schemas.Event{events[5], events[3]}, last)
			return err
		})
		w.RequireSound()
	})
}

// An event with the id or number of another would break the registry.
func TestWriteChange_SetsEventNumber(t *testing.T) {
	w := newMemoryWorld(t)
	r := storetest.NewSentRecord(1)
	w.Write(func(tx *store.Tx) error {
		n, err := tx.WriteChange(nil, r, schemas.Event{N: 77, Handoff: 9, Action: "send"}, store.Content{})
		if n != 1 {
			return fmt.Errorf("event %d", n)
		}
		return err
	})
	require.Equal(t, uint64(1), r.Event)
	out, err := audit.VerifyRegistry(t.Context(), w.Store)
	require.NoError(t, err)
	require.Empty(t, out.Problems)
}

func TestContent_OfAnySizeIsReadAsWritten(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		id := schemas.ID(0)
		for _, size := range []int{0, 1, 1999, 2000, 2001, 4000, 64 << 10, 256 << 10} {
			id++
			content := make([]byte, size)
			for i := range content {
				content[i] = byte(i * 7 / 3)
			}
			r := w.Change(nil, storetest.NewSentRecord(id), "send", string(content))
			w.Read(func(v *store.View) error {
				said, err := v.RawContent(id, r.Event)
				require.True(t, bytes.Equal(content, said), "%d bytes", size)
				require.Equal(t, size == 0, said == nil)
				return err
			})
		}
		require.Len(t, w.CopyRows(store.Bodies)[store.Bodies], 1+1+1+2+2+33+132)
		w.RequireSound()
	})
}

func TestWriteChange_RefusesTooLargeContent(t *testing.T) {
	w := newMemoryWorld(t)
	err := w.Update(context.Background(), func(tx *store.Tx) error {
		_, err := tx.WriteChange(nil, storetest.NewSentRecord(1), schemas.Event{}, store.Content{Bytes: make([]byte, 2000<<16+1)})
		return err
	})
	var coded *schemas.Error
	require.ErrorAs(t, err, &coded)
	require.Equal(t, schemas.Limit, coded.Code)
	for s, rows := range w.CopyRows(storetest.AllSpaces()...) {
		require.Empty(t, rows, s)
	}
}

func TestDecodeContent_DecodesIntoGivenValue(t *testing.T) {
	w := newMemoryWorld(t)
	r := w.Send(1)
	w.Read(func(v *store.View) error {
		h := schemas.Handoff{Task: "as it was"}
		require.NoError(t, v.DecodeContent(r.ID, 0, &h))
		require.Equal(t, "as it was", h.Task)
		require.NoError(t, v.DecodeContent(r.ID, r.Event, &h))
		require.Equal(t, "of ho_1", h.Task)
		require.ErrorContains(t, v.DecodeContent(r.ID, 99, &h), "content of event 99")
		return nil
	})
}

// If a function fails after a change, the change is undone, and the next change takes its number.
func TestWriteChange_IsUndoneWithFailedTransaction(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		r := w.Send(1)
		before := w.CopyRows(storetest.AllSpaces()...)
		err := w.Update(context.Background(), func(tx *store.Tx) error {
			now := r.Clone()
			now.Title = "another"
			return errors.Join(storetest.WriteRecord(tx, r, &now, "amend", "x"), errUndo)
		})
		require.ErrorIs(t, err, errUndo)
		require.Equal(t, before, w.CopyRows(storetest.AllSpaces()...))
		require.Equal(t, uint64(2), w.Claim(r).Event)
		w.RequireSound()
	})
}

func TestWriteChange_FailsIfLastEventIsMissing(t *testing.T) {
	w := newMemoryWorld(t)
	r := w.Send(1)
	w.WriteRows(func(rows store.Writer) error { return rows.Delete(store.Events, store.EncodeNumber(r.Event)) })
	now := r.Clone()
	err := w.Update(context.Background(), func(tx *store.Tx) error { return storetest.WriteRecord(tx, r, &now, "claim", "") })
	require.ErrorIs(t, err, store.ErrCorrupt)
}

func TestEventsAfter_YieldsNothingAfterLastEvent(t *testing.T) {
	w := newMemoryWorld(t)
	w.Send(2)
	const last = ^uint64(0)
	w.Read(func(v *store.View) error {
		require.Empty(t, collect(t, v.OldestFirst(store.IndexOfAllHandoffs(), schemas.ID(last))))
		for e, err := range v.EventsAfter(last) {
			t.Error("an event after the last number", e, err)
		}
		for e, err := range v.EventsAfter(1) {
			require.NoError(t, err)
			require.Equal(t, uint64(2), e.N)
		}
		return nil
	})
}
