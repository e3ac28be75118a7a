package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/bolt"
)

func TestCompact_FreesSpaceAndKeepsRows(t *testing.T) {
	path, _ := newFilledFile(t)
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error { // most of it is free afterwards
		for row, err := range w.Scan(store.Range{Space: store.Records, From: []byte{0, 0, 0, 0, 0, 0, 0, 40}}) {
			if err := errors.Join(err, w.Delete(store.Records, row.Key)); err != nil {
				return err
			}
		}
		return nil
	}))
	before := rowsOf(t, s)
	_, err = bolt.Compact(t.Context(), path)
	require.ErrorIs(t, err, store.ErrLocked)
	require.NoError(t, s.Close())
	for _, name := range []string{".new", ".old"} { // as a process leaves them that was killed
		require.NoError(t, os.WriteFile(path+name, []byte("left"), 0o600))
	}

	done, err := bolt.Compact(t.Context(), path)
	require.NoError(t, err)
	require.Less(t, done.After, done.Before/2)
	left, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.Equal(t, []string{path}, left)
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" { // where a file that was opened is as long as its map, and sparse, and its rights are a list
		require.Equal(t, done.After, info.Size())
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	s, err = bolt.Open(t.Context(), bolt.Config{Path: path})
	require.NoError(t, err)
	require.Equal(t, before, rowsOf(t, s))
	faults, err := s.Inspect(t.Context())
	require.NoError(t, err)
	require.Empty(t, faults)
	require.NoError(t, s.Close())
}

// A file that cannot be read whole is not replaced.
func TestCompact_RefusesDamagedFile(t *testing.T) {
	path, content := newFilledFile(t)
	for id, kind := range pagesOf(t, path) {
		if kind == "leaf" {
			clear(content[id*page : id*page+16])
		}
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	_, err := bolt.Compact(t.Context(), path)
	require.ErrorIs(t, err, store.ErrCorrupt)
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, now)
	require.NoFileExists(t, path+".new")
}

func rowsOf(t *testing.T, s *bolt.Store) map[store.Space]map[string]string {
	all := map[store.Space]map[string]string{}
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for space := range store.Spaces {
			all[space] = map[string]string{}
			for row, err := range r.Scan(store.Range{Space: space}) {
				require.NoError(t, err)
				all[space][string(row.Key)] = string(row.Value)
			}
		}
		return nil
	}))
	return all
}
