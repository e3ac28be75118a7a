//go:build unix

package bolt_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/bolt"
)

// TestUpdate_KeepsRowsOnFullDisk fills a small file system, where writing into the file fails.
func TestUpdate_KeepsRowsOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	mount := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir)
	if err := mount.Run(); err != nil {
		t.Skip("no file system of our own without the right to mount one: ", err)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", dir).Run()) })

	ballast := filepath.Join(dir, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 4<<20), 0o600))
	require.NoError(t, fillDiskAndContinue(filepath.Join(dir, "handoff.db"), func() error { return os.Remove(ballast) }))
}

// TestUpdate_KeepsRowsAtFileSizeLimit has the system refuse to make the file longer.
func TestUpdate_KeepsRowsAtFileSizeLimit(t *testing.T) {
	require.NoError(t, command(t, "full", filepath.Join(t.TempDir(), "handoff.db")).Run())
}

func fillUp(path string) int {
	signal.Ignore(syscall.SIGXFSZ) // or the system ends the process
	var old syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old)
	if err == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 20 << 20, Max: old.Max})
	}
	if err == nil {
		err = fillDiskAndContinue(path, func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// fillDiskAndContinue writes rows until the disk is full, and reads them. After makeSpace it writes again, and in the
// end it checks that all rows are there.
func fillDiskAndContinue(path string, makeSpace func() error) error {
	s, err := bolt.Open(background(), bolt.Config{Path: path})
	if err != nil {
		return err
	}
	written, err := fill(s, 0)
	if !errors.Is(err, store.ErrFull) || written == 0 {
		return fmt.Errorf("filled %d rows: %w", written, err)
	}
	if _, err := fill(s, written); !errors.Is(err, store.ErrFull) {
		return fmt.Errorf("tried again: %w", err)
	}
	if err := errors.Join(countRows(s, written), makeSpace()); err != nil {
		return err
	}
	if err := put(s, written); err != nil {
		return fmt.Errorf("there is space again: %w", err)
	}
	if err := s.Close(); err != nil {
		return err
	}
	if s, err = bolt.Open(background(), bolt.Config{Path: path}); err != nil {
		return err
	}
	return errors.Join(countRows(s, written+1), s.Close())
}

func put(s *bolt.Store, i int) error {
	return s.Update(background(), func(w store.Writer) error {
		return w.Put(store.Bodies, fmt.Appendf(nil, "%06d", i), make([]byte, 50_000))
	})
}

// fill writes rows from i on until one fails.
func fill(s *bolt.Store, i int) (int, error) {
	for ; i < 10_000; i++ {
		if err := put(s, i); err != nil {
			return i, err
		}
	}
	return i, nil
}

// countRows checks that there are n rows, neither more nor fewer.
func countRows(s *bolt.Store, n int) error {
	return s.View(background(), func(r store.Reader) error {
		found := 0
		for _, err := range r.Scan(store.Range{Space: store.Bodies}) {
			if err != nil {
				return err
			}
			found++
		}
		if found != n {
			return fmt.Errorf("found %d rows of %d", found, n)
		}
		return nil
	})
}
