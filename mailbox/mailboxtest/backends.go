package mailboxtest

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
)

// Scripted is a backend on which something happens after each of the next transactions that write, one thing after
// one of them.
type Scripted struct {
	store.Backend
	Then []func()
}

// Update is that of the backend.
func (b *Scripted) Update(ctx context.Context, fn func(store.Writer) error) error {
	err := b.Backend.Update(ctx, fn)
	if len(b.Then) > 0 {
		then := b.Then[0]
		b.Then = b.Then[1:]
		then()
	}
	return err
}

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
