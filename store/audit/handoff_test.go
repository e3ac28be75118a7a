package audit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
)

func TestIsHandoffIntact_FindsDamagedRows(t *testing.T) {
	w := newBusyWorld(t)
	for id := schemas.ID(1); id <= 4; id++ {
		require.True(t, w.isIntact(id))
	}
	require.False(t, w.isIntact(77), "there is none")
	for name, damage := range map[string]damage{
		"record":        put(store.Records, number(1), "x"),
		"first event":   put(store.Events, number(1), "{}"),
		"last event":    put(store.Events, number(3), "{"),
		"missing event": remove(store.Events, number(2)),
		"content":       remove(store.Bodies, chunk(1, 3, 0)),
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
	var e schemas.Event
	require.NoError(w.T, json.Unmarshal(w.CopyRows(store.Events)[store.Events][n-1].Value, &e))
	change(&e)
	b, err := json.Marshal(e)
	require.NoError(w.T, err)
	w.WriteRows(put(store.Events, number(n), b))
}
