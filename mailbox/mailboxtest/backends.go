package mailboxtest

import (
	"context"
	"encoding/binary"
	"errors"
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

// Breaking is a backend that keeps a number of updates and refuses those after them, as if the process had ended. It
// keeps all until [Breaking.BreakAfter] is called.
type Breaking struct {
	store.Backend
	Wait  func() // is done before the next update, once
	keeps *int
}

// Update is that of the backend, while it keeps updates.
func (b *Breaking) Update(ctx context.Context, fn func(store.Writer) error) error {
	if wait := b.Wait; wait != nil {
		b.Wait = nil
		wait()
	}
	if b.keeps != nil {
		if *b.keeps--; *b.keeps < 0 {
			return errors.New("the process ended")
		}
	}
	return b.Backend.Update(ctx, fn)
}

// BreakAfter has it refuse what comes after so many updates.
func (b *Breaking) BreakAfter(updates int) { b.keeps = &updates }

// Repair has it keep all again.
func (b *Breaking) Repair() { b.keeps = nil }

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
