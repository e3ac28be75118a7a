package travel_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/postgres/postgrestest"
	"handoff/store/storetest"
	"handoff/store/travel"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// engines lists the engines; the tests copy from each to each. The function open returns an empty backend for each
// name.
var engines = []struct {
	name  string
	start func(testing.TB) func(t testing.TB, name string) store.Backend
}{
	{"memory", func(testing.TB) func(testing.TB, string) store.Backend {
		return func(testing.TB, string) store.Backend { return memory.New() }
	}},
	{"bolt", func(testing.TB) func(testing.TB, string) store.Backend {
		return func(t testing.TB, name string) store.Backend {
			return storetest.OpenBolt(t, filepath.Join(t.TempDir(), name))
		}
	}},
	{"postgres", postgrestest.NewWorkspaceOpener}, // skipped where none is installed
}

// The first source has a registry as handoff wrote it, and more than one batch in each space.
func TestCopy_CopiesAllRowsBetweenEachPairOfEngines(t *testing.T) {
	for _, from := range engines {
		t.Run("from "+from.name, func(t *testing.T) {
			source := from.start(t)
			for i, to := range engines {
				t.Run("to "+to.name, func(t *testing.T) {
					target := source
					if to.name != from.name {
						target = to.start(t)
					}
					requireCopyOfAllRows(t, storetest.NewWorld(t, source(t, fmt.Sprint("from", i))), storetest.NewWorld(t, target(t, fmt.Sprint("to", i))))
				})
			}
		})
	}
}

func requireCopyOfAllRows(t *testing.T, from, to *storetest.World) {
	t.Helper()
	source, target := from.Rows, to.Rows
	copyVersion1Store(t, source)
	addRowsToOtherSpaces(from, 1_200)
	last := nextNumber(from, store.Records)
	want := dump(t, source)

	done, err := travel.Copy{To: target, From: source, Moves: source, Place: "there"}.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, dump(t, target))
	require.Equal(t, want, dump(t, source))
	require.True(t, done.Moved)
	require.NotEmpty(t, done.Audit.Root)
	require.Equal(t, last+1, nextNumber(to, store.Records))
	require.NoError(t, travel.CheckUsable(t.Context(), target))
	require.Equal(t, &travel.MovedError{To: "there"}, travel.CheckUsable(t.Context(), source))

	_, err = travel.Copy{To: target, From: source}.Run(t.Context())
	require.Equal(t, &travel.MovedError{To: "there"}, err)
	require.NoError(t, travel.RemoveCopyMark(t.Context(), source))
	_, err = travel.Copy{To: source, From: target}.Run(t.Context())
	require.ErrorIs(t, err, travel.ErrNotEmpty)
	require.Equal(t, want, dump(t, source))
	require.NoError(t, travel.CheckUsable(t.Context(), source))
	require.NoError(t, travel.CheckUsable(t.Context(), target))
}

// The copy breaks off after each write in turn, with that write kept or not.
func TestCopy_MayBeRepeatedAfterInterruption(t *testing.T) {
	for _, kept := range []bool{false, true} {
		for at, whole := 1, false; !whole; at++ {
			source, backup, target := memory.New(), memory.New(), memory.New()
			addRowsToOtherSpaces(storetest.NewWorld(t, source), 3)
			addRowsToOtherSpaces(storetest.NewWorld(t, backup), 3)
			want := dump(t, source)
			writes := &failingWrites{left: at, kept: kept}
			broken := travel.Copy{To: writes.over(target), From: backup, Moves: writes.over(source), Place: "there"}
			_, err := broken.Run(t.Context())
			if whole = err == nil; whole {
				require.Greater(t, at, 20, "there were as many writes")
				continue
			}
			require.ErrorIs(t, err, errBroken)
			here, there := travel.CheckUsable(t.Context(), source), travel.CheckUsable(t.Context(), target)
			require.False(t, here == nil && there == nil && hasRows(dump(t, target)), "both are used")

			_, err = travel.Copy{To: target, From: backup, Moves: source, Place: "there"}.Run(t.Context())
			if there == nil && here != nil {
				require.ErrorIs(t, err, travel.ErrNotEmpty, "only the answer was missing")
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, want, dump(t, target))
			require.NoError(t, travel.CheckUsable(t.Context(), target))
			require.Error(t, travel.CheckUsable(t.Context(), source))
		}
	}
}

// An old store is not copied over an unfinished copy of another one.
func TestCopy_RefusesUnfinishedOrMovedStore(t *testing.T) {
	source, target, third := memory.New(), memory.New(), memory.New()
	addRowsToOtherSpaces(storetest.NewWorld(t, source), 3)
	unfinished := &failingWrites{left: 5}
	_, err := travel.Copy{To: unfinished.over(target), From: source}.Run(t.Context())
	require.ErrorIs(t, err, errBroken)
	_, err = travel.Copy{To: third, From: target}.Run(t.Context())
	require.ErrorIs(t, err, travel.ErrUnfinished)
	_, err = travel.Copy{To: third, From: source, Moves: source, Place: "third"}.Run(t.Context())
	require.NoError(t, err)
	_, err = travel.Copy{To: target, From: source}.Run(t.Context())
	require.Equal(t, &travel.MovedError{To: "third"}, err)
}

// copyVersion1Store copies a store of the first version into one that is empty.
func copyVersion1Store(t *testing.T, into store.Backend) {
	t.Helper()
	first, err := os.ReadFile("../testdata/v1.db")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "handoff.db")
	require.NoError(t, os.WriteFile(path, first, 0o600))
	from := storetest.OpenBolt(t, path)
	defer func() { require.NoError(t, from.Close()) }()
	done, err := travel.Copy{To: into, From: from}.Run(t.Context())
	require.NoError(t, err)
	require.True(t, done.Audit.OK, done.Audit.Problems)
	require.Positive(t, done.Audit.Events)
}

// addRowsToOtherSpaces adds rows to all spaces except the spaces that an audit reads.
func addRowsToOtherSpaces(w *storetest.World, rows int) {
	w.T.Helper()
	for s := range store.Spaces {
		if slices.Contains([]store.Space{store.Events, store.Tree, store.Records, store.References}, s) {
			continue
		}
		w.WriteRows(func(w store.Writer) error {
			for i := range rows {
				if err := w.Put(s, fmt.Appendf(nil, "row %d\x00", i), make([]byte, i)); err != nil {
					return err
				}
			}
			return nil
		})
		nextNumber(w, s)
	}
}

func nextNumber(w *storetest.World, s store.Space) (n uint64) {
	w.T.Helper()
	w.WriteRows(func(rows store.Writer) (err error) {
		n, err = rows.Next(s)
		return err
	})
	return n
}

// dump returns all rows of a store except rows about the store itself.
func dump(t *testing.T, b store.Backend) map[store.Space][]store.Row {
	t.Helper()
	rows := (&storetest.World{T: t, Rows: b}).CopyRows(storetest.AllSpaces()...)
	rows[store.Sys] = slices.DeleteFunc(rows[store.Sys], func(r store.Row) bool {
		return string(r.Key) == "format" || string(r.Key) == "copy"
	})
	return rows
}

// hasRows reports whether there are any rows.
func hasRows(rows map[store.Space][]store.Row) bool {
	return slices.ContainsFunc(storetest.AllSpaces(), func(s store.Space) bool { return len(rows[s]) > 0 })
}

var errBroken = errors.New("the network is broken")

// failingWrites counts down the writes of stores. The write at which left becomes zero fails, and so do all later
// writes.
type failingWrites struct {
	left int
	kept bool // the first one that fails
}

func (b *failingWrites) over(of store.Backend) store.Backend { return breakingStore{of, b} }

type breakingStore struct {
	store.Backend
	*failingWrites
}

func (b breakingStore) Update(ctx context.Context, fn func(store.Writer) error) error {
	b.left--
	if b.left > 0 || b.left == 0 && b.kept {
		if err := b.Backend.Update(ctx, fn); err != nil || b.left > 0 {
			return err
		}
	}
	return errBroken
}
