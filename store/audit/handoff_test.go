package audit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/storetest"
)

func TestIsHandoffIntact_FindsDamagedRows(t *testing.T) {
	w := newBusyWorld(t)
	for id := schemas.ID(1); id <= 4; id++ {
		require.True(t, w.isIntact(id))
	}
	require.False(t, w.isIntact(77), "there is none")
	for name, damage := range map[string]func(store.Writer) error{
		"record": func(rows store.Writer) error {
			return rows.Put(store.Records, storetest.NumbersKey(uint64(1)), []byte("x"))
		},
		"first event": func(rows store.Writer) error {
			return rows.Put(store.Events, storetest.NumbersKey(uint64(1)), []byte("{}"))
		},
		"last event": func(rows store.Writer) error {
			return rows.Put(store.Events, storetest.NumbersKey(uint64(3)), []byte("{"))
		},
		"missing event": func(rows store.Writer) error { return rows.Delete(store.Events, storetest.NumbersKey(uint64(2))) },
		"content": func(rows store.Writer) error {
			return rows.Delete(store.Bodies, append(storetest.NumbersKey(uint64(1), 3), 0, 0))
		},
	} {
		w.whileBroken(damage, func(broken *world) {
			require.False(t, broken.isIntact(1), name)
			require.True(t, broken.isIntact(2), name)
		})
	}
}

// Events that name themselves or later events as their predecessors must not make a reader loop.
func TestIsHandoffIntact_RefusesCircularEventLinks(t *testing.T) {
	for _, before := range []uint64{2, 3, 9} {
		w := newMemoryWorld(t)
		r := w.Claim(w.Send(1))
		w.rewriteEvent(2, func(e *schemas.Event) { e.Before = before })
		w.Read(func(v *store.View) error {
			_, err := v.EventsOf(r, 1<<30)
			require.ErrorIs(t, err, store.ErrCorrupt)
			intact, err := audit.IsHandoffIntact(v, r.ID)
			require.False(t, intact)
			return err
		})
		require.NotEmpty(t, w.audit().Problems)
	}
}

func (w *world) rewriteEvent(n uint64, change func(*schemas.Event)) {
	w.T.Helper()
	w.WriteRows(func(rows store.Writer) error {
		b, err := rows.Get(store.Events, storetest.NumbersKey(n))
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
		return rows.Put(store.Events, storetest.NumbersKey(n), b)
	})
}
