package audit_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/storetest"
)

// FuzzAudit damages rows and reads everything. Nothing panics or goes on for ever, and the audit finds every change of
// the registry.
func FuzzAudit(f *testing.F) {
	f.Add([]byte{byte(store.Events), 0, 0, 5, 'x'})
	f.Add([]byte{byte(store.Events), 1, 1, 9, 0, byte(store.Sys), 0, 0, 7, 0xff})
	f.Add([]byte{byte(store.Records), 0, 2, 3, 0, byte(store.Tree), 3, 3, 0, 0})
	f.Add([]byte{byte(store.Bodies), 0, 4, 1, 0, byte(store.Salts), 0, 5, 0, 0})
	f.Add([]byte{byte(store.Mailboxes), 0, 1, 3, 0, byte(store.BySender), 0, 1, 3, 0, byte(store.Wakes), 0, 5, 0, 0})
	f.Add([]byte{byte(store.Notices), '0', '0', '7', '0'}) // a notice that is unread and cannot be read
	f.Add([]byte("X00\x05\x0500"))                         // a record that a newer version wrote
	w := newBusyWorld(f)
	f.Fuzz(func(t *testing.T, steps []byte) {
		w := w.withTest(t)
		before := w.CopyRows(storetest.AllSpaces()...)
		defer w.restore(before)
		for damage := range slices.Chunk(steps[:min(len(steps), 40)], 5) {
			if len(damage) == 5 {
				w.damage(before, damage)
			}
		}
		w.readEverything()
		found := w.audit().Problems
		damaged := w.CopyRows(storetest.AllSpaces()...)
		words := func(_ *store.View, r *store.Record) (store.WordList, error) { return wordsOf(r), nil }
		if _, err := audit.MendRows(t.Context(), w.Rows, words); err != nil {
			require.ErrorContains(t, err, "written by a newer version")
			require.Equal(t, damaged, w.CopyRows(storetest.AllSpaces()...))
			return
		}
		require.Zero(t, w.mend().Rows)
		if after := w.CopyRows(verifyRegistry...); len(steps) == 5 && len(found) == 0 { // several may erase content with its salt
			for _, s := range verifyRegistry {
				require.Equal(t, before[s], after[s])
			}
		}
	})
}

// damage does one thing to one row: how gives its space, its place there, the action, the position, and the byte.
func (w *world) damage(rows map[store.Space][]store.Row, how []byte) {
	space := store.Space(how[0]) % store.Spaces
	there := rows[space]
	if len(there) == 0 {
		return
	}
	row := there[int(how[1])%len(there)]
	at := int(how[3]) % (len(row.Value) + 1)
	w.WriteRows(func(rows store.Writer) error {
		switch how[2] % 6 {
		case 0: // another byte
			value := append(bytes.Clone(row.Value), 0)
			value[at] ^= how[4] | 1
			return rows.Put(space, row.Key, value[:max(len(row.Value), at)])
		case 1: // cut off
			return rows.Put(space, row.Key, row.Value[:at])
		case 2: // doubled
			return rows.Put(space, row.Key, slices.Concat(row.Value[:at], row.Value))
		case 3: // gone
			return rows.Delete(space, row.Key)
		case 4: // the value of another row
			return rows.Put(space, row.Key, there[int(how[4])%len(there)].Value)
		default: // nothing left
			return rows.Put(space, row.Key, nil)
		}
	})
}

// readEverything calls every reading method. Errors are fine, since the rows are damaged.
func (w *world) readEverything() {
	ctx := context.Background()
	_, err := audit.CheckRows(ctx, w.Store)
	require.NoError(w.T, err, "what is wrong is reported")
	_ = w.View(ctx, func(v *store.View) error {
		for id := range schemas.ID(7) {
			_, err := audit.IsHandoffIntact(v, id)
			require.NoError(w.T, err, "what is wrong is reported")
			r, err := v.Record(id)
			if err == nil && r != nil {
				_, _ = v.EventsOf(r, 1<<30)
			}
			_ = v.DecodeContent(id, 1, &schemas.Handoff{})
			_, _ = v.HasWords(id, []string{"fix"})
		}
		for _, i := range []store.HandoffIndex{store.IndexOfAllHandoffs(), store.IndexByRecipient("auto-code"), store.IndexByParent(1), store.IndexByHolder("auto-code")} {
			drain(v.OldestFirst(i, 0))
			drain(v.NewestFirst(i, 9))
		}
		drain(v.ClaimableHandoffs("auto-code", "architect"))
		drain(v.DueHandoffs(storetest.Noon()))
		_, _ = v.NextDueTime()
		_, _ = v.Counters("auto-code")
		_, _ = v.EventCount()
		drain(v.EventsAfter(0))
		drain(v.SentHandoffs("architect"))
		drain(v.Notices("architect", 0))
		drain(v.Agents())
		drain(v.HandoffsWithOrigin("HO-1"))
		_, _ = v.Receipt(store.KeyReceiptKey("a", "b"))
		return nil
	})
	_ = w.Update(ctx, func(tx *store.Tx) error { // another send, in any state of the store
		_ = storetest.WriteRecord(tx, nil, storetest.NewSentRecord(99), "send", "more")
		_ = tx.MarkNoticesRead("architect", 1, 2)
		_ = tx.DeleteOldReceipts(storetest.Noon(), 9)
		return errUndo
	})
}

func drain[T any](seq func(yield func(T, error) bool)) {
	for _, err := range seq {
		if err != nil {
			return
		}
	}
}
