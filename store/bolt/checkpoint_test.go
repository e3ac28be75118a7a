package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/bolt"
)

// needsFullRead reports whether a process that opened the file in its present state would have to read the whole file.
func needsFullRead(t *testing.T, path string) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	found := filepath.Join(t.TempDir(), "handoff.db")
	require.NoError(t, os.WriteFile(found, b, 0o600))
	var log bytes.Buffer
	s, err := bolt.Open(t.Context(), bolt.Config{Path: found, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return bytes.Contains(log.Bytes(), []byte("reading it through"))
}

// makeFreePages leaves more free pages in the file than are listed with every commit.
func makeFreePages(t *testing.T, s *bolt.Store) {
	t.Helper()
	const pages = 600
	key := func(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) }
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
		for n := range pages {
			if err := w.Put(store.Records, key(n), make([]byte, 3000)); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
		for n := range pages {
			if err := w.Delete(store.Records, key(n)); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.Checkpoint(t.Context()))
}

func TestOpen_NeedsNoFullReadAfterKillWithFewFreePages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "handoff.db")
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path, Idle: time.Hour})
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), row("a")))
	require.False(t, needsFullRead(t, path))
	require.NoError(t, s.Close())
}

func TestCheckpoint_SavesFullReadAtNextOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "handoff.db")
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path, Idle: time.Hour})
	require.NoError(t, err)
	makeFreePages(t, s)
	require.NoError(t, s.Update(t.Context(), row("a")))
	require.True(t, needsFullRead(t, path))
	require.NoError(t, s.Checkpoint(t.Context()))
	require.False(t, needsFullRead(t, path))
	require.NoError(t, s.Update(t.Context(), row("b")))
	require.True(t, needsFullRead(t, path))
	require.NoError(t, s.Close())
	require.False(t, needsFullRead(t, path))
}

func TestWriter_WritesCheckpointWhenIdle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "handoff.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		makeFreePages(t, s)
		for range 2 {
			require.NoError(t, s.Update(t.Context(), row("a")))
			time.Sleep(249 * time.Millisecond)
			synctest.Wait()
			require.True(t, needsFullRead(t, path))
			time.Sleep(time.Millisecond)
			synctest.Wait()
			require.False(t, needsFullRead(t, path))
		}
	})
}

// The log has a panic and its value; the error does not have the value.
func TestUpdate_LogsPanic(t *testing.T) {
	var log bytes.Buffer
	s, err := bolt.Open(t.Context(), bolt.Config{
		Path:   filepath.Join(t.TempDir(), "handoff.db"),
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	err = s.Update(t.Context(), func(store.Writer) error { panic(errors.New("secret")) })
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
	require.Contains(t, log.String(), "secret")
	require.Contains(t, log.String(), "TestUpdate_LogsPanic")
	require.NoError(t, s.Close())
}
