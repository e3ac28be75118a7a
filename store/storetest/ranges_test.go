package storetest_test

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// ordered are keys in bytewise order.
var ordered = []string{
	"\x00", "\x00\x00", "\x01", "A", "a", "a\x00", "aa", "b", "\x7f", "\x80", "\xff", "\xff\x00", "\xff\xff",
}

// bounds are every From and To worth trying: none, empty, keys and gaps.
var bounds = append([]string{"none", "", "0", "a\x01", "\xfe", "\xff\xff\xff"}, ordered...)

func rangeBound(key string) []byte {
	if key == "none" {
		return nil
	}
	return []byte(key)
}

// expectedScan returns the rows of a scan of q, from sorted keys.
func expectedScan(keys []string, q store.Range) (rows []string) {
	for _, k := range keys {
		if k >= string(q.From) && (q.To == nil || k < string(q.To)) {
			rows = append(rows, k+"=")
		}
	}
	if q.Reverse {
		slices.Reverse(rows)
	}
	return rows
}

// checkRanges returns the first disagreement between r and keys, over every combination of bounds in both directions.
func checkRanges(r store.Reader, s store.Space, keys []string) error {
	for _, from := range bounds {
		for _, to := range bounds {
			for _, reverse := range []bool{false, true} {
				q := store.Range{Space: s, From: rangeBound(from), To: rangeBound(to), Reverse: reverse}
				got, err := collect(r, q)
				if err != nil {
					return err
				}
				if want := expectedScan(keys, q); !slices.Equal(got, want) {
					return fmt.Errorf("scan %q..%q reverse=%t: got %q, want %q", from, to, reverse, got, want)
				}
			}
		}
	}
	return nil
}

func testRanges(t *testing.T, b store.Backend) {
	empty := func(r store.Reader) error { return checkRanges(r, store.Ready, nil) }
	require.NoError(t, b.View(t.Context(), empty))

	downwards := slices.Clone(ordered)
	slices.Reverse(downwards)
	update(t, b, func(w store.Writer) error { return putAll(w, store.Ready, "", downwards...) })
	full := func(r store.Reader) error { return checkRanges(r, store.Ready, ordered) }
	require.NoError(t, b.View(t.Context(), full))
	require.NoError(t, b.View(t.Context(), func(r store.Reader) error { return checkRanges(r, store.Wakes, nil) }))
}

// testRangesOfOwnWrites scans ranges inside an Update. Half of the keys were committed before, half are new in this
// Update. The Update also deletes one key of each kind and overwrites one.
func testRangesOfOwnWrites(t *testing.T, b store.Backend) {
	for i := 0; i < len(ordered); i += 2 {
		put(t, b, store.Ready, ordered[i], "old")
	}
	left := slices.Delete(slices.Clone(ordered), 4, 6)
	update(t, b, func(w store.Writer) error {
		return cmp.Or(
			putAll(w, store.Ready, "", ordered...),
			deleteAll(w, store.Ready, ordered[4:6]...),
			checkRanges(w, store.Ready, left))
	})
	require.NoError(t, b.View(t.Context(), func(r store.Reader) error { return checkRanges(r, store.Ready, left) }))
}

func testPrefix(t *testing.T, b store.Backend) {
	update(t, b, func(w store.Writer) error { return putAll(w, store.Ready, "", ordered...) })
	require.Equal(t, []string{"a=", "a\x00=", "aa="}, scan(t, b, store.Prefix(store.Ready, []byte("a"))))
	require.Equal(t, []string{"\xff=", "\xff\x00=", "\xff\xff="}, scan(t, b, store.Prefix(store.Ready, []byte("\xff"))))
	require.Len(t, scan(t, b, store.Prefix(store.Ready, nil)), len(ordered))
	require.Empty(t, scan(t, b, store.Prefix(store.Ready, []byte("ab"))))
}

func testStoppedScan(t *testing.T, b store.Backend) {
	update(t, b, func(w store.Writer) error { return putAll(w, store.Ready, "", "a", "b", "c", "d") })
	var first, rest, merged []string
	update(t, b, func(w store.Writer) (err error) {
		rows := w.Scan(store.Range{Space: store.Ready})
		for row, err := range rows {
			if err != nil {
				return err
			}
			first = []string{string(row.Key)}
			break
		}
		rest, err = collect(w, store.Range{Space: store.Ready, From: append([]byte("a"), 0)})
		up, down := store.Range{Space: store.Ready}, store.Range{Space: store.Ready, Reverse: true}
		both, failed := alternate(w.Scan(up), w.Scan(down))
		merged = both
		return cmp.Or(err, failed)
	})
	require.Equal(t, []string{"a"}, first)
	require.Equal(t, []string{"b=", "c=", "d="}, rest)
	require.Equal(t, []string{"a", "d", "b", "c", "c", "b", "d", "a"}, merged)
}

// alternate pulls from two scans in turn, which are then both under way.
func alternate(a, b iter.Seq2[store.Row, error]) (keys []string, err error) {
	nextA, stopA := iter.Pull2(a)
	defer stopA()
	nextB, stopB := iter.Pull2(b)
	defer stopB()
	for {
		for _, next := range []func() (store.Row, error, bool){nextA, nextB} {
			row, err, ok := next()
			if err != nil || !ok {
				return keys, err
			}
			keys = append(keys, string(row.Key))
		}
	}
}

// testWritesDuringScan writes around the current place of a scan. The scan must yield the rows of its beginning, in
// both directions, whether the rows were kept before or written by the same Update.
func testWritesDuringScan(t *testing.T, b store.Backend) {
	update(t, b, func(w store.Writer) error { return putAll(w, store.Ready, "old", "b", "d", "f") })
	for _, reverse := range []bool{false, true} {
		var during, after []string
		err := b.Update(t.Context(), func(w store.Writer) (err error) {
			own := w.Put(store.Ready, []byte("c"), []byte("own"))
			during, err = scanWhileWriting(w, store.Range{Space: store.Ready, Reverse: reverse})
			rest, failed := collect(w, store.Range{Space: store.Ready})
			after = rest
			return cmp.Or(own, err, failed, errUndo)
		})
		require.ErrorIs(t, err, errUndo)
		want := []string{"b=old", "c=own", "d=old", "f=old"}
		if reverse {
			slices.Reverse(want)
		}
		require.Equal(t, want, during)
		require.Equal(t, []string{"a=new", "b=new", "d=new", "e=new", "g=new"}, after)
	}
}

// scanWhileWriting returns the rows of a scan of q. At each row it writes rows before, at and after the row.
func scanWhileWriting(w store.Writer, q store.Range) (rows []string, err error) {
	for row, err := range w.Scan(q) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, string(row.Key)+"="+string(row.Value))
		written := putAll(w, q.Space, "new", "a", "b", "d", "e", "g")
		if err := cmp.Or(written, deleteAll(w, q.Space, "c", "f")); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func testDeleteWhileRanging(t *testing.T, b store.Backend) {
	const n = 3000 // more than one page, so that an engine could trip
	keys := make([]string, n)
	for i := range n {
		keys[i] = fmt.Sprintf("%06d", i)
	}
	fill := func(w store.Writer) error { return putAll(w, store.Wakes, "x", keys...) }
	empty := func(w store.Writer) error { return clearRange(w, store.Range{Space: store.Wakes}, n) }
	update(t, b, fill)
	require.Len(t, all(t, b, store.Wakes), n)
	update(t, b, empty)
	require.Empty(t, all(t, b, store.Wakes))
	update(t, b, func(w store.Writer) error { return cmp.Or(fill(w), empty(w)) })
	require.Empty(t, all(t, b, store.Wakes))
}
