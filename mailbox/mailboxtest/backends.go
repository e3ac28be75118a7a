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

// ScriptedBackend is a backend that runs one function of Then after each write transaction.
type ScriptedBackend struct {
	store.Backend
	Then []func()
}

// Update runs the backend's Update and then the next function.
func (b *ScriptedBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	err := b.Backend.Update(ctx, fn)
	if len(b.Then) > 0 {
		then := b.Then[0]
		b.Then = b.Then[1:]
		then()
	}
	return err
}

// BreakingBackend is a backend that keeps a number of updates and refuses all later ones, as if the process had ended.
// It keeps all updates until [Breaking.BreakAfter] is called.
type BreakingBackend struct {
	store.Backend
	Wait  func() // runs before the next update, once
	keeps *int
}

// Update runs the backend's Update, or refuses.
func (b *BreakingBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
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

// BreakAfter makes it refuse updates after a number of further ones.
func (b *BreakingBackend) BreakAfter(updates int) { b.keeps = &updates }

// Repair makes it keep all updates again.
func (b *BreakingBackend) Repair() { b.keeps = nil }

// DamageRecord spoils the record of a handoff on disk until the test ends.
func DamageRecord(t testing.TB, b store.Backend, id schemas.ID) {
	SpoilRow(t, b, store.Records, binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// SpoilRow overwrites a row until the test ends.
func SpoilRow(t testing.TB, b store.Backend, space store.Space, key []byte) {
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
