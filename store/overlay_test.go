package store_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// failingBase is the base of an overlay: rows "b" and "d" of every space, or an error.
type failingBase struct{ err error }

func (b failingBase) Get(_ store.Space, key []byte) ([]byte, error) {
	if string(key) == "b" || string(key) == "d" {
		return []byte("below"), b.err
	}
	return nil, b.err
}

func (b failingBase) Scan(store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		if b.err != nil {
			yield(store.Row{}, b.err)
			return
		}
		_ = yield(store.Row{Key: []byte("b"), Value: []byte("below")}, nil) &&
			yield(store.Row{Key: []byte("d"), Value: []byte("below")}, nil)
	}
}

// rowWriter records the rows flushed into it and fails on demand.
type rowWriter struct {
	lines []string
	err   error
}

func (s *rowWriter) Put(space store.Space, key, value []byte) error {
	s.lines = append(s.lines, fmt.Sprintf("put %s %s=%s", space, key, value))
	return s.err
}

func (s *rowWriter) Delete(space store.Space, key []byte) error {
	s.lines = append(s.lines, fmt.Sprintf("delete %s %s", space, key))
	return s.err
}

func writeRows(t *testing.T, o *store.Overlay) {
	t.Helper()
	require.NoError(t, o.Put(store.Events, []byte("z"), []byte("1")))
	require.NoError(t, o.Put(store.Records, []byte("c"), nil))
	require.NoError(t, o.Put(store.Records, []byte("a"), []byte("old")))
	require.NoError(t, o.Put(store.Records, []byte("a"), []byte("new")))
	require.NoError(t, o.Delete(store.Records, []byte("b")))
}

func TestOverlay_FlushWritesRowsInOrder(t *testing.T) {
	o := store.NewOverlay(failingBase{})
	writeRows(t, o)
	var s rowWriter
	require.NoError(t, o.Flush(&s))
	require.Equal(t, []string{"put records a=new", "delete records b", "put records c=", "put events z=1"}, s.lines)
}

func TestOverlay_IsEmptyAfterReset(t *testing.T) {
	o := store.NewOverlay(failingBase{})
	require.Zero(t, o.Size())
	writeRows(t, o)
	require.Positive(t, o.Size())

	o.Reset(failingBase{})
	require.Zero(t, o.Size())
	var s rowWriter
	require.NoError(t, o.Flush(&s))
	require.Empty(t, s.lines)
	v, err := o.Get(store.Records, []byte("b"))
	require.NoError(t, err)
	require.Equal(t, "below", string(v))
}

// Rows that a driver got from Flush must not change when the overlay is used again within the same transaction.
func TestOverlay_ResetLeavesFlushedRowsUnchanged(t *testing.T) {
	o := store.NewOverlay(failingBase{})
	require.NoError(t, o.Put(store.Records, []byte("a"), []byte("first")))
	var kept keepingWriter
	require.NoError(t, o.Flush(&kept))
	o.Reset(failingBase{})
	require.NoError(t, o.Put(store.Records, []byte("x"), []byte("other")))
	require.Equal(t, "a", string(kept.key))
	require.Equal(t, "first", string(kept.value))
}

type keepingWriter struct{ key, value []byte }

func (k *keepingWriter) Put(_ store.Space, key, value []byte) error {
	k.key, k.value = key, value
	return nil
}
func (k *keepingWriter) Delete(store.Space, []byte) error { return nil }

func TestOverlay_ReturnsReadErrorsOfBase(t *testing.T) {
	broken := errors.New("broken")
	o := store.NewOverlay(failingBase{err: broken})
	_, err := o.Next(store.Records)
	require.ErrorIs(t, err, broken)
	writeRows(t, o)
	_, err = o.Get(store.Records, []byte("x"))
	require.ErrorIs(t, err, broken)
	for _, err = range o.Scan(store.Range{Space: store.Records}) {
		require.ErrorIs(t, err, broken)
	}
	require.ErrorIs(t, o.Flush(&rowWriter{err: broken}), broken)
}

func TestOverlay_NextRefusesDamagedCounter(t *testing.T) {
	o := store.NewOverlay(failingBase{})
	require.NoError(t, o.Put(store.Sys, []byte("next/events"), []byte("odd")))
	_, err := o.Next(store.Events)
	require.ErrorIs(t, err, store.ErrCorrupt)
}

func TestSpace_NamesAreUnique(t *testing.T) {
	seen := map[string]store.Space{}
	for s := range store.Spaces {
		name := s.String()
		require.NotEmpty(t, name)
		require.NotContains(t, seen, name)
		seen[name] = s
	}
	require.Equal(t, "space(200)", store.Space(200).String())
}

func TestPrefixEnd_IsSmallestKeyBeyondPrefix(t *testing.T) {
	for _, test := range []struct{ prefix, after string }{
		{"a", "b"}, {"ab", "ac"}, {"a\xff", "b"}, {"\x00", "\x01"}, {"a\xff\xff", "b"},
	} {
		prefix := []byte(test.prefix)
		require.Equal(t, test.after, string(store.PrefixEnd(prefix)))
		require.Equal(t, test.prefix, string(prefix), "the prefix is not changed")
	}
	require.Nil(t, store.PrefixEnd(nil))
	require.Nil(t, store.PrefixEnd([]byte("\xff\xff")))
}

// Databases contain the numbers of spaces, and files contain their names.
func TestSpaces_KeepNumbersAndNames(t *testing.T) {
	for number, name := range map[store.Space]string{
		0: "sys", store.Records: "records", 13: "by_freed", store.Unread: "unread", 20: "events", store.Deliveries: "tellings", 28: "touches",
	} {
		require.Equal(t, name, number.String())
	}
	require.Equal(t, []store.Space{13, 20, 26, 28}, []store.Space{store.ByFreed, store.Events, store.Deliveries, store.Touches})
}
