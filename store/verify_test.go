package store_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

func TestVerifyFindsEachKindOfDamage(t *testing.T) {
	w := busy(t)
	verify := func(w *world, id schemas.ID) (intact bool) {
		w.view(func(v *store.View) (err error) {
			intact, err = audit.Handoff(v, id)
			return err
		})
		return intact
	}
	for _, id := range w.known() {
		require.True(t, verify(w, id))
	}
	require.False(t, verify(w, 77), "there is none")
	for name, damage := range map[string]func(store.Writer) error{
		"record":        func(rows store.Writer) error { return rows.Put(store.Records, key(uint64(1)), []byte("x")) },
		"first event":   func(rows store.Writer) error { return rows.Put(store.Events, key(uint64(1)), []byte("{}")) },
		"last event":    func(rows store.Writer) error { return rows.Put(store.Events, key(uint64(3)), []byte("{")) },
		"missing event": func(rows store.Writer) error { return rows.Delete(store.Events, key(uint64(2))) },
		"content":       func(rows store.Writer) error { return rows.Delete(store.Bodies, append(key(uint64(1), 3), 0, 0)) },
	} {
		w.whileBroken(damage, func(broken *world) {
			require.False(t, verify(broken, 1), name)
			require.True(t, verify(broken, 2), name)
		})
	}
}

// Events that name themselves or later ones as the ones before must not send a reader in circles.
func TestEventsInACircleAreDamage(t *testing.T) {
	for _, before := range []uint64{2, 3, 9} {
		w := inMemory(t)
		r := w.claim(w.send(1))
		w.rewriteEvent(2, func(e *schemas.Event) { e.Before = before })
		w.view(func(v *store.View) error {
			_, err := v.EventsOf(r, 1<<30)
			require.ErrorIs(t, err, store.ErrCorrupt)
			intact, err := audit.Handoff(v, r.ID)
			require.False(t, intact)
			return err
		})
		require.NotEmpty(t, w.audit().Problems)
	}
}

func (w *world) rewriteEvent(n uint64, change func(*schemas.Event)) {
	w.t.Helper()
	w.raw(func(rows store.Writer) error {
		b, err := rows.Get(store.Events, key(n))
		if err != nil {
			return err
		}
		var e schemas.Event
		if err := json.Unmarshal(b, &e); err != nil {
			return err
		}
		change(&e)
		if b, err = json.Marshal(e); err != nil {
			return err
		}
		return rows.Put(store.Events, key(n), b)
	})
}
