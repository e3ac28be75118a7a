package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/storetest"
)

// The digest of salt and content together does not say where the salt ends.
func TestVerifyRegistry_FindsByteMovedFromSaltToContent(t *testing.T) {
	w := newBusyWorld(t)
	salt := w.CopyRows(store.Salts)[store.Salts][0].Value
	content := w.CopyRows(store.Bodies)[store.Bodies][0].Value
	last := len(salt) - 1
	w.WriteRows(put(store.Bodies, chunk(1, 1, 0), slices.Concat(salt[last:], content)))
	w.WriteRows(put(store.Salts, number(1), salt[:last]))
	require.Equal(t, []string{"the content of event 1 of ho_1 was changed"}, w.audit().Problems)
}

// A record that was put back to an earlier state fits the event that it names.
func TestVerifyRegistry_FindsRecordPutBackToEarlierState(t *testing.T) {
	w := newMemoryWorld(t)
	r := w.Send(1)
	old := w.CopyRows(store.Records)[store.Records][0]
	w.Claim(r)
	w.WriteRows(put(store.Records, string(old.Key), old.Value))
	require.Equal(t, []string{"the record of ho_1 is as event 1 left it, and event 2 came after"}, w.audit().Problems)
	w.Read(func(v *store.View) error {
		intact, err := audit.IsHandoffIntact(v, r.ID)
		require.True(t, intact, "Verify says that it cannot tell")
		return err
	})
}

// A second beginning of the same handoff hides its earlier events.
func TestVerifyRegistry_FindsSecondFirstEventOfHandoff(t *testing.T) {
	w := newMemoryWorld(t)
	r := w.Send(1)
	w.Change(nil, r, "send", "once more")
	require.Equal(t, []string{"event 2 does not follow event 1 of ho_1"}, w.audit().Problems)
}

// Redacted content is no fault if an event tells of it. Other content in its place is one.
func TestVerifyRegistry_AcceptsRedactedContent(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		r := w.Send(2)
		redact := func(content string) {
			require.NoError(t, w.Update(t.Context(), func(tx *store.Tx) error {
				e, err := tx.Event(1)
				require.NoError(t, err)
				sum, err := tx.RedactContent(*e, []byte(content))
				require.NoError(t, err)
				b, err := json.Marshal(schemas.Redaction{Events: map[uint64]string{1: sum}})
				require.NoError(t, err)
				was, err := tx.Record(1)
				require.NoError(t, err)
				now := was.Clone()
				return storetest.WriteRecord(tx, was, &now, schemas.Redacted, string(b))
			}))
		}
		w.Claim(r)
		redact(strings.Repeat("less ", 1000))
		redact("less")
		redact("nothing")
		w.RequireSound()
		w.Read(func(v *store.View) error {
			content, err := v.RawContent(1, 1)
			require.Equal(t, "nothing", string(content))
			require.NoError(t, err)
			intact, err := audit.IsHandoffIntact(v, 1)
			require.True(t, intact)
			return err
		})
		const gone = "the content of event 1 was changed, and no redaction tells of it"
		w.WriteRows(put(store.Bodies, chunk(1, 1, 0), "less")) // content of an earlier redaction
		require.Equal(t, []string{gone}, w.audit().Problems)
		w.WriteRows(remove(store.Salts, number(2)))
		require.Len(t, w.audit().Problems, 2, "erased, and nobody said so")
	})
}

// The documentation of VerifyRegistry names this limit: it finds no fault if all rows were changed consistently. But
// the root of the tree differs then.
func TestVerifyRegistry_RootChangesIfStoreIsPutBack(t *testing.T) {
	w := newMemoryWorld(t)
	r := w.Send(1)
	before := w.audit()
	saved := w.CopyRows(storetest.AllSpaces()...)
	w.Claim(r)
	after := w.audit()
	w.restore(saved)
	require.True(t, w.audit().OK)
	require.Equal(t, before.Root, w.audit().Root)
	require.NotEqual(t, after.Root, w.audit().Root)
}

// The audit names the first gap, even of many missing events, and still compares the later events.
func TestVerifyRegistry_NamesFirstMissingEvent(t *testing.T) {
	w := newMemoryWorld(t)
	w.Send(2500)
	all := []damage{put(store.Salts, number(2400), "changed")}
	for n := uint64(5); n <= 2300; n++ {
		all = append(all, remove(store.Events, number(n)))
	}
	w.WriteRows(inTurn(all...))
	out := w.audit()
	require.Equal(t, []string{"event 5 is missing", "the content of event 2400 of ho_2400 was changed"}, out.Problems[:2])
	require.Len(t, out.Problems, 20)
	require.Equal(t, uint64(204), out.Events)
	require.Equal(t, uint64(2500), out.Handoffs)
}

// Work goes on while a store is audited.
func TestVerifyRegistry_FindsNoFaultDuringChanges(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		w.Send(10)
		worked := make(chan error, 1)
		go func() {
			var err error
			for range 150 {
				if err != nil {
					break
				}
				err = w.Update(context.Background(), func(tx *store.Tx) error {
					id, err := tx.NewID()
					if err != nil {
						return err
					}
					was, err := tx.Record(1 + id%10)
					if err != nil {
						return err
					}
					now := was.Clone()
					now.Percent++
					return errors.Join(storetest.WriteRecord(tx, nil, storetest.NewSentRecord(id), "send", "more"), storetest.WriteRecord(tx, was, &now, "progress", ""))
				})
			}
			worked <- err
		}()
		for {
			select {
			case err := <-worked:
				require.NoError(t, err)
				w.RequireSound()
				return
			default:
				w.RequireSound()
			}
		}
	})
}

func TestVerifyRegistry_StopsWhenContextIsCancelled(t *testing.T) {
	w := newBusyWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := audit.VerifyRegistry(ctx, w.Store)
	require.ErrorIs(t, err, context.Canceled)
	_, err = audit.CheckRows(ctx, w.Store)
	require.ErrorIs(t, err, context.Canceled)
}
