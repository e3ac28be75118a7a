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

// ScriptedBackend is a backend that calls the next function of Then after each write transaction.
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

// BreakingBackend is a backend that refuses all updates after a number of successful updates, as if the process had
// ended. Before the test calls [BreakingBackend.BreakAfter], it refuses none.
type BreakingBackend struct {
	store.Backend
	Wait  func() // runs before the next update, once
	keeps *int
}

// Update runs the backend's Update, or returns an error after the last allowed update.
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

// BreakAfter makes the backend refuse all updates after the given number of further updates.
func (b *BreakingBackend) BreakAfter(updates int) { b.keeps = &updates }

// Repair makes the backend accept all updates again.
func (b *BreakingBackend) Repair() { b.keeps = nil }

// DamageRecord makes the record of a handoff unreadable until the test ends.
func DamageRecord(t testing.TB, b store.Backend, id schemas.ID) {
	SpoilRow(t, b, store.Records, binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// SpoilRow makes a row unreadable until the test ends.
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
