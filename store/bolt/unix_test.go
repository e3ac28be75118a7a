//go:build unix

package bolt_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/bolt"
)

func TestOpen_LocksFileAgainstOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "handoff.db")
	cmd, lines := start(t, "hold", path)
	require.True(t, lines.Scan())
	requireUntouched(t, path, store.ErrLocked)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait(), "it was killed")

	require.NoError(t, openStore(t, filepath.Dir(path)).Close())
}

// holdUntilKilled keeps a store open.
func holdUntilKilled(path string) int {
	s, err := bolt.Open(background(), bolt.Config{Path: path})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("open")
	<-background().Done() // never: it is killed
	return len(s.Close().Error())
}

func TestOpen_RefusesFileWithoutPermission(t *testing.T) {
	path := newClosedStoreWithRows(t)
	for dir := filepath.Dir(path); dir != filepath.Dir(os.TempDir()) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	require.NoError(t, os.Chmod(path, 0o444))
	require.NoError(t, command(t, "readonly", path).Run())
}

// openWithoutRights opens a file of another user, and one in that user's directory.
func openWithoutRights(path string) int {
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	status := 0
	for _, p := range []string{path, path + ".new", filepath.Join(filepath.Dir(path), "new", "handoff.db")} {
		_, err := bolt.Open(background(), bolt.Config{Path: p})
		if !errors.Is(err, store.ErrReadOnly) {
			fmt.Fprintln(os.Stderr, p, err)
			status = 1
		}
	}
	return status
}

// If another program truncates the file, mapped pages vanish.
func TestView_ReportsTruncatedFileAsDamage(t *testing.T) {
	path := newClosedStoreWithRows(t)
	s := openStore(t, filepath.Dir(path))
	require.NoError(t, os.Truncate(path, 8192))
	require.ErrorIs(t, s.View(t.Context(), func(r store.Reader) error {
		_, err := r.Get(store.Records, []byte("0500"))
		return err
	}), store.ErrCorrupt)
	require.ErrorIs(t, s.Update(t.Context(), row("a")), store.ErrCorrupt)
	require.NoError(t, s.Close())
}

// TestOpen_WorksWithLittleAddressSpace opens a store where 64 GiB of address space are not available.
func TestOpen_WorksWithLittleAddressSpace(t *testing.T) {
	if _, err := os.Stat(statm); err != nil {
		t.Skip("the system does not say how much is in use: ", err)
	}
	require.NoError(t, command(t, "cramped", filepath.Join(t.TempDir(), "handoff.db")).Run())
}

const statm = "/proc/self/statm"

func openWithLittleAddressSpace(path string) int {
	used, err := os.ReadFile(statm)
	var pages uint64
	if err == nil {
		_, err = fmt.Sscan(string(used), &pages)
	}
	limit := pages*uint64(os.Getpagesize()) + 8<<30
	if err == nil {
		var both syscall.Rlimit
		setLimit(limit, &both.Cur)
		setLimit(limit, &both.Max)
		err = syscall.Setrlimit(syscall.RLIMIT_AS, &both)
	}
	var s *bolt.Store
	if err == nil {
		s, err = bolt.Open(background(), bolt.Config{Path: path})
	}
	if err == nil {
		_, err = fill(s, 9_900)
	}
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// setLimit sets a field of a limit. On FreeBSD the field is a signed number.
func setLimit[T int64 | uint64](n uint64, to *T) { *to = T(n) }

func TestCompact_KeepsOwnerOfFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	const nobody = 65534
	path, _ := newFilledFile(t)
	require.NoError(t, os.Chown(path, nobody, nobody))
	done, err := bolt.Compact(t.Context(), path)
	require.NoError(t, err)
	require.Less(t, done.After, done.Before)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, nobody, info.Sys().(*syscall.Stat_t).Uid)
}
