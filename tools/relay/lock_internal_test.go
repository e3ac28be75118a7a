//go:build unix

package relay

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools/platform"
)

func TestLock_IsHeldOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "handoff.lock")
	l := mustLock(t, path)
	_, err := tryLock(path)
	require.ErrorIs(t, err, ErrInUse)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, l.release())
	require.NoError(t, l.release())
	require.FileExists(t, path)
	mustLock(t, path)
}

func TestLock_OutlivesGarbageCollection(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "handoff.lock")
	l := mustLock(t, path)
	for range 3 {
		runtime.GC() // closes unreachable files
	}
	_, err := tryLock(path)
	require.ErrorIs(t, err, ErrInUse)
	runtime.KeepAlive(l)
}

func TestLock_MakesDirectoryAndFailsBelowFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "w")
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	_, err := tryLock(filepath.Join(dir, "handoff.lock"))
	require.Error(t, err)
	_, err = waitLock(filepath.Join(dir, "handoff.lock"))
	require.Error(t, err)

	require.NoError(t, os.Remove(dir))
	l, err := tryLock(filepath.Join(dir, "handoff.lock"))
	require.NoError(t, err, "a directory that is not there is made")
	require.NoError(t, l.release())
}

func TestLock_OfKilledProcessGoesToNextInQueue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "handoff.lock")
	holder, lines := start(t, "lock", filepath.Dir(path))
	requireLine(t, "locked", lines)
	_, err := tryLock(path)
	require.ErrorIs(t, err, ErrInUse)
	got := waitInLine(t, path)
	kill(t, holder)
	l := <-got
	_, err = tryLock(path)
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, l.release())
}

func TestLock_GoesToNextInQueue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "handoff.lock")
	l := mustLock(t, path)
	_, lines := start(t, "wait", filepath.Dir(path))
	requireLine(t, "waits", lines)
	requireInLine(t, path, 1)
	require.NoError(t, l.release())
	requireLine(t, "locked", lines)
	_, err := tryLock(path)
	require.ErrorIs(t, err, ErrInUse)
}

// A workspace may be removed, and made again, while a process waits for its lock.
func TestLock_FailsOnRemovedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "handoff.lock")
	removed := mustLock(t, path)
	got := make(chan error, 1)
	go func() {
		_, err := waitLock(path)
		got <- err
	}()
	requireInLine(t, path, 1)
	require.NoError(t, os.Remove(path))
	mustLock(t, path)
	require.NoError(t, removed.release())
	require.ErrorIs(t, <-got, errRemoved)
}

func waitLock(path string) (*storeLock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	return takeLock(f, path, platform.Lock)
}

func mustLock(t *testing.T, path string) *storeLock {
	t.Helper()
	l, err := tryLock(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.release()) })
	return l
}

// waitInLine makes a goroutine wait for the lock, and returns when it waits.
func waitInLine(t *testing.T, path string) <-chan *storeLock {
	t.Helper()
	got := make(chan *storeLock, 1)
	go func() {
		l, err := waitLock(path)
		if err != nil {
			t.Error(err)
		}
		got <- l
	}()
	requireInLine(t, path, 1)
	return got
}

// holdLock holds the lock until the child is killed, or until its parent has ended.
func holdLock(dir string) int {
	l, err := tryLock(filepath.Join(dir, "handoff.lock"))
	return holdUntilKilled(l, err)
}

func waitForLock(dir string) int {
	fmt.Println("waits")
	l, err := waitLock(filepath.Join(dir, "handoff.lock"))
	return holdUntilKilled(l, err)
}

func holdUntilKilled(l *storeLock, err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("locked")
	_, _ = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(l)
	return 0
}
