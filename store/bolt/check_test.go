package bolt_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/bolt"
)

const page = 4096

// newFilledFile returns a file with pages of each kind, and its bytes.
func newFilledFile(t *testing.T) (path string, content []byte) {
	path = filepath.Join(t.TempDir(), "handoff.db")
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	require.NoError(t, err)
	for from := range 4 {
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			for n := range 300 {
				key := binary.BigEndian.AppendUint64(nil, uint64(from*300+n))
				if err := errors.Join(w.Put(store.Records, key, make([]byte, 400)), w.Put(store.ByBox, key, nil)); err != nil {
					return err
				}
			}
			return w.Put(store.Bodies, []byte{byte(from)}, make([]byte, 3*page))
		}))
	}
	faults, err := s.Inspect(t.Context())
	require.NoError(t, err)
	require.Empty(t, faults)
	require.NoError(t, s.Close())
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	return path, content
}

// inspectDamaged writes a damaged file and opens it. It returns the faults that Inspect finds, or the error of Open if
// Open refuses the file.
func inspectDamaged(t *testing.T, path string, content []byte) []string {
	require.NoError(t, os.WriteFile(path, content, 0o600))
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	if err != nil {
		require.ErrorIs(t, err, store.ErrCorrupt)
		return []string{err.Error()}
	}
	defer func() { _ = s.Close() }() // it may be damaged, too
	faults, err := s.Inspect(t.Context())
	if err != nil {
		require.ErrorIs(t, err, store.ErrCorrupt)
		faults = append(faults, err.Error())
	}
	return faults
}

func TestInspect_FindsDamagedPages(t *testing.T) {
	path, whole := newFilledFile(t)
	kinds := map[string]int{}
	for id, kind := range pagesOf(t, path) {
		if kinds[kind]++; kinds[kind] > 12 {
			continue
		}
		at := id * page
		for name, damage := range map[string]func(p []byte){
			"no page":   func(p []byte) { clear(p[:16]) },
			"too long":  func(p []byte) { binary.NativeEndian.PutUint32(p[12:], 1<<31) },
			"key":       func(p []byte) { binary.NativeEndian.PutUint32(p[16+4:], 1<<30) },
			"elsewhere": func(p []byte) { binary.NativeEndian.PutUint64(p[16+8:], 1<<40) },
		} {
			content := append([]byte{}, whole...)
			damage(content[at:])
			if kind == "branch" || name != "elsewhere" { // leaves lead to no pages
				require.NotEmpty(t, inspectDamaged(t, path, content), "%s %d: %s", kind, id, name)
			}
		}
	}
	require.Len(t, kinds, 2)
}

// pagesOf returns the branches and leaves that are in use.
func pagesOf(t *testing.T, path string) map[int]string {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true})
	require.NoError(t, err)
	kinds := map[int]string{}
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		for id := 2; ; id++ {
			p, err := tx.Page(id)
			if p == nil || err != nil {
				return err
			}
			if p.Type == "branch" || p.Type == "leaf" {
				kinds[id] = p.Type
				id += p.OverflowCount
			}
		}
	}))
	require.NoError(t, db.Close())
	return kinds
}

// With any bytes in a page, Inspect ends, and the process goes on.
func TestInspect_SurvivesRandomBytesInPages(t *testing.T) {
	path, whole := newFilledFile(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range sandbox.Repetitions(60) {
		content := append([]byte{}, whole...)
		for range 1 + random.IntN(8) {
			content[2*page+random.IntN(len(content)-2*page)] = byte(random.Uint32())
		}
		_ = inspectDamaged(t, path, content)
	}
}

func TestCopyTo_WritesStoreThatOpens(t *testing.T) {
	path, _ := newFilledFile(t)
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	require.NoError(t, err)
	to := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, s.CopyTo(t.Context(), to))
	require.Error(t, s.CopyTo(t.Context(), to), "nothing is written over")
	require.NoError(t, s.Close())
	content, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Empty(t, inspectDamaged(t, to, content))
}
