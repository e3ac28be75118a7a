package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/storetest"
)

func TestSeenNumbers_ForgetLowestNumberWhenFull(t *testing.T) {
	var s store.SeenNumbers
	for n := uint64(5000); n > 0; n-- {
		s.Add(n)
	}
	require.Len(t, s.Of, 1000)
	for n := range uint64(5001) {
		require.True(t, s.Has(n), n)
		require.False(t, s.Add(n), n)
	}
	require.False(t, s.Has(5001))
	require.True(t, s.Add(5001))
	require.Len(t, s.Of, 1000)
}

func TestDeleteOldDeliveries_DeletesOldRows(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		for i := range 100 {
			session, now := fmt.Sprintf("s%03d", i), storetest.MinutesAfterNoon(i)
			w.Write(func(tx *store.Tx) error {
				if err := tx.PutDeliveredItems("qa", session, store.DeliveredItems{At: now, InARow: 1}); err != nil {
					return err
				}
				return tx.DeleteOldDeliveries(storetest.MinutesAfterNoon(i-10).Time(), "qa", session, 16)
			})
		}
		require.LessOrEqual(t, len(w.CopyRows(store.Deliveries)[store.Deliveries]), 11)
		w.Read(func(v *store.View) error {
			told, err := v.DeliveredItems("qa", "s099")
			require.NoError(t, err)
			require.Equal(t, 1, told.InARow)
			told, err = v.DeliveredItems("qa", "s000")
			require.Zero(t, told)
			return err
		})
	})
}
