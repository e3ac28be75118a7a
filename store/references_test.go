package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// longer is content of several rows.
var longer = []byte(strings.Repeat("what others refer to\n", 200))

func TestPutReference_StoresSameContentOnce(t *testing.T) {
	runOnEachBackend(t, func(t *testing.T, w *world) {
		for range 2 {
			w.Write(func(tx *store.Tx) error { return tx.PutReference(longer) })
		}
		require.Len(t, w.CopyRows(store.References)[store.References], 3)
		found := map[string][]byte{
			store.ReferenceDigest(longer): longer, strings.ToUpper(store.ReferenceDigest(longer)): nil, store.ReferenceDigest(longer)[7:]: nil,
			store.ReferenceDigest(nil): nil, "sha256:12": nil, "": nil,
		}
		for digest, want := range found {
			w.Read(func(v *store.View) error {
				got, err := v.Reference(digest)
				require.Equal(t, want, got)
				return err
			})
		}
		for digest := range found {
			w.Write(func(tx *store.Tx) error { return tx.DeleteReference(digest) })
		}
		require.Empty(t, w.CopyRows(store.References)[store.References])
	})
}
