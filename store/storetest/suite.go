// Package storetest is only for tests: it holds every [store.Backend] to the same contract.
//
// A driver passes [Run], and [Reopen] if it keeps rows beyond its process. [Twice] wraps a backend for the tests of the
// layers above: it runs every function given to Update twice, as an engine that retries does.
//
// The suite asserts outside the functions that it gives to View and Update, because a driver may run them on a
// goroutine of its own.
package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// Run checks the whole contract of an open store. Each test gets a new empty store from open, and closes it.
func Run(t *testing.T, open func(t testing.TB) store.Backend) {
	for _, test := range suite {
		t.Run(test.name, func(t *testing.T) { test.run(t, opened(t, open)) })
	}
	t.Run("every function runs twice", func(t *testing.T) {
		for _, test := range suite {
			t.Run(test.name, func(t *testing.T) { test.run(t, Twice(opened(t, open))) })
		}
	})
}

var suite = []struct {
	name string
	run  func(t *testing.T, b store.Backend)
}{
	{"rows come back as they were put", testRows},
	{"keys are checked", testKeys},
	{"spaces never mix", testSpaces},
	{"ranges", testRanges},
	{"ranges of own writes", testOwnRanges},
	{"a prefix ends where it ends", testPrefix},
	{"a scan can stop and start again", testStop},
	{"a scan keeps to its beginning", testScanStands},
	{"rows are deleted while ranging", testDeleteWhileRanging},
	{"buffers may be used again", testBuffers},
	{"a failed update leaves nothing", testFailure},
	{"a panic leaves nothing", testPanic},
	{"an update that writes nothing", testNothing},
	{"a view is one snapshot", testSnapshot},
	{"numbers grow and are unique", testNext},
	{"a cancelled call does not run", testCancelled},
	{"a closed store says so", testClosed},
	{"writers at once lose nothing", testWriters},
	{"a failure fails alone", testFailsAlone},
	{"views and updates at once", testReaders},
	{"random histories", testHistories},
}

func opened(t *testing.T, open func(t testing.TB) store.Backend) store.Backend {
	b := open(t)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// Reopen checks that rows are there after the store of a directory was closed and opened again. Open is called several
// times with the same directory.
func Reopen(t *testing.T, open func(t testing.TB, dir string) store.Backend) {
	dir := t.TempDir()
	var want []string
	for round := range 5 {
		b := open(t, dir)
		require.Equal(t, want, all(t, b, store.Records), "round %d", round)
		key := string('a' + rune(round))
		put(t, b, store.Records, key, key)
		want = append(want, key+"="+key)
		n := next(t, b, store.Records)
		require.Equal(t, uint64(round+1), n)
		require.NoError(t, b.Close())
	}
}

// Twice is b with every function given to Update run twice. The writes of the first run are always undone; the second
// run counts. So tests find functions that add to their results instead of assigning them, or that touch anything else
// outside.
func Twice(b store.Backend) store.Backend { return twice{b} }

type twice struct{ store.Backend }

var errFirst = errors.New("the first time does not count")

func (b twice) Update(ctx context.Context, fn func(store.Writer) error) error {
	ran := false
	err := b.Backend.Update(ctx, func(w store.Writer) error {
		ran = true
		if err := fn(w); err != nil {
			return err
		}
		return errFirst
	})
	if !ran {
		return err
	}
	return b.Backend.Update(ctx, fn)
}
