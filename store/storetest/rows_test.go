package storetest_test

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// put sets one row in an Update of its own.
func put(t testing.TB, b store.Backend, s store.Space, key, value string) {
	t.Helper()
	update(t, b, func(w store.Writer) error { return w.Put(s, []byte(key), []byte(value)) })
}

// putAll sets keys to one value.
func putAll(w store.Writer, s store.Space, value string, keys ...string) error {
	for _, k := range keys {
		if err := w.Put(s, []byte(k), []byte(value)); err != nil {
			return err
		}
	}
	return nil
}

func deleteAll(w store.Writer, s store.Space, keys ...string) error {
	for _, k := range keys {
		if err := w.Delete(s, []byte(k)); err != nil {
			return err
		}
	}
	return nil
}

func update(t testing.TB, b store.Backend, fn func(store.Writer) error) {
	t.Helper()
	require.NoError(t, b.Update(t.Context(), fn))
}

// get returns the value of key and whether it is there.
func get(t testing.TB, b store.Backend, s store.Space, key string) (value string, found bool) {
	t.Helper()
	require.NoError(t, b.View(t.Context(), func(r store.Reader) error {
		v, err := r.Get(s, []byte(key))
		value, found = string(v), v != nil
		return err
	}))
	return value, found
}

// scan returns every row of q as "key=value".
func scan(t testing.TB, b store.Backend, q store.Range) (rows []string) {
	t.Helper()
	require.NoError(t, b.View(t.Context(), func(r store.Reader) (err error) {
		rows, err = collect(r, q)
		return err
	}))
	return rows
}

func all(t testing.TB, b store.Backend, s store.Space) []string {
	t.Helper()
	return scan(t, b, store.Range{Space: s})
}

func collect(r store.Reader, q store.Range) (rows []string, err error) {
	for row, err := range r.Scan(q) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, string(row.Key)+"="+string(row.Value))
	}
	return rows, nil
}

func next(t testing.TB, b store.Backend, s store.Space) (n uint64) {
	t.Helper()
	update(t, b, func(w store.Writer) (err error) {
		n, err = w.Next(s)
		return err
	})
	return n
}

func testRows(t *testing.T, b store.Backend) {
	_, found := get(t, b, store.Records, "a")
	require.False(t, found)

	put(t, b, store.Records, "a", "1")
	value, found := get(t, b, store.Records, "a")
	require.True(t, found)
	require.Equal(t, "1", value)

	put(t, b, store.Records, "a", "2")
	require.Equal(t, []string{"a=2"}, all(t, b, store.Records))

	update(t, b, func(w store.Writer) error { return w.Delete(store.Records, []byte("a")) })
	update(t, b, func(w store.Writer) error { return w.Delete(store.Records, []byte("a")) })
	require.Empty(t, all(t, b, store.Records))

	testEmptyValues(t, b)
	large := strings.Repeat("0123456789", 7000)
	put(t, b, store.Bodies, "large", large)
	value, _ = get(t, b, store.Bodies, "large")
	require.Equal(t, large, value)
}

// testEmptyValues checks that a row with an empty value is still a row, before and after it is kept, next to other
// writes of the same commit.
func testEmptyValues(t *testing.T, b store.Backend) {
	var own, scanned bool
	update(t, b, func(w store.Writer) error {
		written := cmp.Or(w.Put(store.Ready, []byte("nil"), nil), w.Put(store.Ready, []byte("empty"), []byte{}))
		v, err := w.Get(store.Ready, []byte("nil"))
		own = v != nil
		return cmp.Or(written, err)
	})
	require.True(t, own)
	require.NoError(t, b.View(t.Context(), func(r store.Reader) (err error) {
		scanned = true
		for row, failed := range r.Scan(store.Range{Space: store.Ready}) {
			scanned, err = scanned && row.Value != nil, failed
		}
		return err
	}))
	require.True(t, scanned)
	for _, key := range []string{"nil", "empty"} {
		value, found := get(t, b, store.Ready, key)
		require.True(t, found, key)
		require.Empty(t, value)
	}
}

func testKeys(t *testing.T, b store.Backend) {
	for name, size := range map[string]int{"empty": 0, "too long": store.MaxKey + 1} {
		err := b.Update(t.Context(), func(w store.Writer) error {
			return w.Put(store.Records, make([]byte, size), nil)
		})
		require.ErrorContains(t, err, "key", name)
	}
	longest := strings.Repeat("\xff", store.MaxKey)
	put(t, b, store.Records, longest, "v")
	require.Equal(t, []string{longest + "=v"}, all(t, b, store.Records))
	_, found := get(t, b, store.Records, "")
	require.False(t, found)
	update(t, b, func(w store.Writer) error { return w.Delete(store.Records, nil) })
}

func testSpaces(t *testing.T, b store.Backend) {
	for s := range store.Spaces {
		put(t, b, s, "key", s.String())
	}
	for s := range store.Spaces {
		value, _ := get(t, b, s, "key")
		require.Equal(t, s.String(), value)
	}
}

func testBuffers(t *testing.T, b store.Backend) {
	var seen []string
	update(t, b, func(w store.Writer) (err error) {
		buf := make([]byte, 2)
		for _, row := range []string{"a1", "b2", "c3"} {
			copy(buf, row)
			if err := w.Put(store.Records, buf[:1], buf[1:]); err != nil {
				return err
			}
		}
		copy(buf, "b")
		deleted := w.Delete(store.Records, buf[:1])
		copy(buf, "zz")
		seen, err = collect(w, store.Range{Space: store.Records})
		return cmp.Or(deleted, err)
	})
	require.Equal(t, []string{"a=1", "c=3"}, seen)
	require.Equal(t, []string{"a=1", "c=3"}, all(t, b, store.Records))
}

func testUpdateWithoutWrites(t *testing.T, b store.Backend) {
	put(t, b, store.Records, "a", "1")
	var seen string
	update(t, b, func(w store.Writer) error {
		v, err := w.Get(store.Records, []byte("a"))
		seen = string(v)
		return err
	})
	require.Equal(t, "1", seen)
	require.Equal(t, []string{"a=1"}, all(t, b, store.Records))
}

func testClosed(t *testing.T, b store.Backend) {
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	requireRefused(t.Context(), t, b, store.ErrClosed)
}

func testCancelled(t *testing.T, b store.Backend) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	requireRefused(ctx, t, b, context.Canceled)
}

// requireRefused requires an error and that no function runs.
func requireRefused(ctx context.Context, t *testing.T, b store.Backend, want error) {
	t.Helper()
	ran := false
	require.ErrorIs(t, b.View(ctx, func(store.Reader) error { ran = true; return nil }), want)
	require.ErrorIs(t, b.Update(ctx, func(store.Writer) error { ran = true; return nil }), want)
	require.False(t, ran)
}
