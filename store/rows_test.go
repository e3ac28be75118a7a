package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// key writes numbers as they stand in keys.
func key[T ~uint64](numbers ...T) (k []byte) {
	for _, n := range numbers {
		k = binary.BigEndian.AppendUint64(k, uint64(n))
	}
	return k
}

// dump copies every row of some spaces.
func (w *world) dump(spaces ...store.Space) map[store.Space][]store.Row {
	w.t.Helper()
	rows := map[store.Space][]store.Row{}
	err := w.rows.View(context.Background(), func(r store.Reader) error {
		for _, s := range spaces {
			for row, err := range r.Scan(store.Range{Space: s}) {
				if err != nil {
					return err
				}
				rows[s] = append(rows[s], store.Row{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
			}
		}
		return nil
	})
	require.NoError(w.t, err)
	return rows
}

func everySpace() (all []store.Space) {
	for s := range store.Spaces {
		all = append(all, s)
	}
	return all
}

// errUndo takes a corruption back.
var errUndo = errors.New("undo")

// whileBroken runs a test on rows that were damaged, and repairs them. The test gets a store of its own.
func (w *world) whileBroken(damage func(store.Writer) error, test func(broken *world)) {
	w.t.Helper()
	broken := &world{t: w.t, rows: w.rows}
	broken.Store = store.New(w.rows)
	saved := w.dump(everySpace()...)
	w.raw(damage)
	test(broken)
	w.restore(saved)
}

// restore puts all rows back.
func (w *world) restore(saved map[store.Space][]store.Row) {
	w.t.Helper()
	now := w.dump(everySpace()...)
	w.raw(func(rows store.Writer) error {
		for s := range store.Spaces {
			for _, row := range now[s] {
				if err := rows.Delete(s, row.Key); err != nil {
					return err
				}
			}
			for _, row := range saved[s] {
				if err := rows.Put(s, row.Key, row.Value); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
