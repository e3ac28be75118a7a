package bolt_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/store"
	"handoff/store/bolt"
)

func openError(t *testing.T, path string) error {
	t.Helper()
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	require.Nil(t, s)
	return err
}

// requireUntouched opens path, expects the error and checks that neither the
// file nor its directory changed.
func requireUntouched(t *testing.T, path string, want error) {
	t.Helper()
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)

	require.ErrorIs(t, openError(t, path), want)

	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after), "the file was changed")
	again, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, info.ModTime(), again.ModTime())
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// newClosedStoreWithRows makes a store with some rows, closes it, and returns its path.
func newClosedStoreWithRows(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s := openStore(t, dir)
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
		for i := range 1000 {
			if err := w.Put(store.Records, fmt.Appendf(nil, "%04d", i), make([]byte, 100)); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.Close())
	return filepath.Join(dir, "handoff.db")
}

// updateWithBbolt changes a file with bbolt and not with package bolt.
func updateWithBbolt(t *testing.T, path string, o *bbolt.Options, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, o)
	require.NoError(t, err)
	require.NoError(t, db.Update(fn))
	require.NoError(t, db.Close())
}

func TestOpen_MakesPrivateFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "a", "b", "handoff.db")
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

// The process that made these files was stopped before the first commit.
func TestOpen_CompletesFileWithoutFirstCommit(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, path string){
		"empty": func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, nil, 0o600)) },
		"no buckets": func(t *testing.T, path string) {
			updateWithBbolt(t, path, nil, func(*bbolt.Tx) error { return nil })
		},
		"zeros":                 writeTornFile(func(b []byte) []byte { clear(b); return b }),
		"one zero":              writeTornFile(func([]byte) []byte { return []byte{0} }),
		"the second meta":       writeTornFile(func(b []byte) []byte { clear(b[:4096]); return b }),
		"metas alone":           writeTornFile(func(b []byte) []byte { clear(b[8192:]); return b }),
		"without free pages":    writeTornFile(func(b []byte) []byte { clear(b[8192:12288]); return b }),
		"without its root":      writeTornFile(func(b []byte) []byte { clear(b[12288:]); return b }),
		"cut off in a meta":     writeTornFile(func(b []byte) []byte { return b[:40] }),
		"cut off after a meta":  writeTornFile(func(b []byte) []byte { return b[:4096] }),
		"cut off at the fourth": writeTornFile(func(b []byte) []byte { return b[:12288] }),
	} {
		t.Run(name, func(t *testing.T) {
			skipWhereFilesStayMapped(t, "metas alone", "without free pages")
			dir := t.TempDir()
			prepare(t, filepath.Join(dir, "handoff.db"))
			require.NoError(t, openStore(t, dir).Close())
		})
	}
}

// writeTornFile returns a function that writes a file as a power cut during its creation would leave it.
func writeTornFile(damage func([]byte) []byte) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: 4096})
		require.NoError(t, err)
		require.NoError(t, db.Close())
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, damage(b[:4*4096]), 0o600))
	}
}

// skipWhereFilesStayMapped skips the given cases of a table on Windows. In these cases bbolt panics while it opens the
// file, so the file stays mapped, and Windows would neither cut nor remove it.
func skipWhereFilesStayMapped(t *testing.T, cases ...string) {
	t.Helper()
	_, name, _ := strings.Cut(t.Name(), "/")
	if runtime.GOOS == "windows" && slices.Contains(cases, strings.ReplaceAll(name, "_", " ")) {
		t.Skip("what bbolt panicked over stays mapped, and Windows neither cuts nor removes what is mapped")
	}
}

func TestOpen_RefusesSecondProcess(t *testing.T) {
	dir := t.TempDir()
	first := openStore(t, dir)
	requireUntouched(t, filepath.Join(dir, "handoff.db"), store.ErrLocked)
	require.NoError(t, first.Close())
	require.NoError(t, openStore(t, dir).Close())
}

func TestOpen_LeavesNewerFormatUnchanged(t *testing.T) {
	path := newClosedStoreWithRows(t)
	updateWithBbolt(t, path, nil, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("sys")).Put([]byte("format"), []byte("handoff 2"))
	})
	requireUntouched(t, path, store.ErrNewer)
}

func TestOpen_LeavesForeignFileUnchanged(t *testing.T) {
	other := func(o *bbolt.Options, bucket, key, value string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			updateWithBbolt(t, path, o, func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte(bucket))
				if err != nil {
					return err
				}
				return b.Put([]byte(key), []byte(value))
			})
		}
	}
	text := func(s string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte(s), 0o600)) }
	}
	for name, prepare := range map[string]func(t *testing.T, path string){
		"short text":          text("hello\n"),
		"long text":           text(string(bytes.Repeat([]byte("SQLite format 3\x00"), 4096))),
		"bbolt":               other(nil, "users", "a", "b"),
		"bbolt, large pages":  other(&bbolt.Options{PageSize: 16384}, "users", "a", "b"),
		"bbolt, not closed":   other(&bbolt.Options{NoFreelistSync: true}, "users", "a", "b"),
		"bbolt, same bucket":  other(nil, "sys", "a", "b"),
		"bbolt, other format": other(nil, "sys", "format", "7"),
		"bbolt, odd format":   other(nil, "sys", "format", "handoff x"),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "handoff.db")
			prepare(t, path)
			requireUntouched(t, path, store.ErrForeign)
		})
	}
	require.ErrorIs(t, openError(t, t.TempDir()), store.ErrForeign)
}

func TestOpen_ReportsDamage(t *testing.T) {
	const page = 4096
	for name, damage := range map[string]func(b []byte) []byte{
		"cut off":          func(b []byte) []byte { return b[:2*page] },
		"one page left":    func(b []byte) []byte { return b[:page] },
		"both metas":       func(b []byte) []byte { b[40]++; b[page+40]++; return b },
		"everything after": func(b []byte) []byte { clear(b[2*page:]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			skipWhereFilesStayMapped(t, "cut off")
			path := newClosedStoreWithRows(t)
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, damage(b), 0o600))
			requireUntouched(t, path, store.ErrCorrupt)
		})
	}
}

// If any page is lost, the process goes on and gets an error, on opening or when it reads the page.
func TestOpen_ReportsEveryLostPage(t *testing.T) {
	path, reported := newClosedStoreWithRows(t), 0
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for page := 2 * 4096; page < 40*4096; page += 4096 {
		b := bytes.Clone(whole)
		clear(b[page : page+4096])
		require.NoError(t, os.WriteFile(path, b, 0o600))
		if err := readAllAndDeleteLast(t, path); err != nil {
			require.ErrorIs(t, err, store.ErrCorrupt)
			reported++
		}
	}
	require.Greater(t, reported, 30, "most pages hold rows or lead to them")
}

// readAllAndDeleteLast opens a store, reads every row, deletes the last and closes it.
func readAllAndDeleteLast(t *testing.T, path string) error {
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	if err != nil {
		return err
	}
	every := func(r store.Reader) error {
		for _, err := range r.Scan(store.Range{Space: store.Records}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	return errors.Join(
		s.View(t.Context(), every),
		s.Update(t.Context(), func(w store.Writer) error { return w.Delete(store.Records, []byte("0999")) }),
		s.Close())
}

// One meta page may be torn by a loss of power: the other one counts.
func TestOpen_AcceptsOneDamagedMetaPage(t *testing.T) {
	for offset := range int64(2) {
		path := newClosedStoreWithRows(t)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		_, err = f.WriteAt(make([]byte, 100), offset*4096)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.NoError(t, openStore(t, filepath.Dir(path)).Close())
	}
}
