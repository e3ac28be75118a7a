package mailboxtest

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
)

// Damage spoils the record of a handoff on disk until the test ends.
func Damage(t testing.TB, b store.Backend, id schemas.ID) {
	Spoil(t, b, store.Records, binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// Spoil overwrites a row until the test ends.
func Spoil(t testing.TB, b store.Backend, space store.Space, key []byte) {
	var was []byte
	write := func(row []byte) {
		require.NoError(t, b.Update(context.Background(), func(w store.Writer) error {
			v, err := w.Get(space, key)
			was = append([]byte{}, v...)
			if err != nil {
				return err
			}
			return w.Put(space, key, row)
		}))
	}
	write([]byte("{"))
	whole := was
	t.Cleanup(func() { write(whole) })
}
