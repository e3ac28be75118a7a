package relay

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNote_ReadsBackUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, ok := ReadNote(dir)
	require.False(t, ok)
	require.NoError(t, removeFile(notePath(dir)))

	n := thisProcess(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
	n.Version, n.Protocol = "v1.2.0", VersionRange{Min: 1, Max: 2}
	n.Address = Address{Network: "tcp", Addr: "127.0.0.1:4711", Secret: "s"}
	require.NoError(t, os.WriteFile(notePath(dir)+".new", []byte("a killed owner was here"), 0o644))
	require.NoError(t, writeNote(dir, Note{PID: 1}))
	require.NoError(t, writeNote(dir, n))
	read, ok := ReadNote(dir)
	require.True(t, ok)
	require.Equal(t, n, read)

	require.NoError(t, removeFile(notePath(dir)))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestNote_FileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(notePath(dir)+".new", nil, 0o644))
	require.NoError(t, writeNote(dir, Note{}))
	require.Equal(t, os.FileMode(0o600), filePermissions(t, notePath(dir)))
}

func TestReadNote_IgnoresHalfWrittenNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(notePath(dir), []byte(`{"pid": 1, "started": `), 0o600))
	n, ok := ReadNote(dir)
	require.False(t, ok)
	require.Zero(t, n)
}

func TestWriteNote_FailsWithoutDirectory(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, writeNote(filepath.Join(t.TempDir(), "missing"), Note{}), os.ErrNotExist)
}

// Older and newer programs read it, so the names must not change.
func TestNote_KeepsFieldNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, writeNote(dir, Note{
		PID: 7, Process: 9, Started: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), Boot: "b",
		Version: "v1.2.0", Protocol: VersionRange{Min: 1, Max: 2}, Address: Address{Network: "unix", Addr: "/w/handoff.sock"},
	}))
	content, err := os.ReadFile(notePath(dir))
	require.NoError(t, err)
	require.JSONEq(t, `{
		"pid": 7, "process": 9, "started": "2026-01-31T12:00:00Z", "boot": "b",
		"version": "v1.2.0", "protocol": {"min": 1, "max": 2},
		"address": {"network": "unix", "addr": "/w/handoff.sock"}
	}`, string(content))
}

func filePermissions(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}
