//go:build unix

package platform_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools/platform"
)

func TestReadRegular_RefusesLargeAndSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("x", 10)), 0o600))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	content, err := platform.ReadRegular(file, 10)
	require.NoError(t, err)
	require.Len(t, content, 10)
	_, err = platform.ReadRegular(file, 9)
	require.ErrorIs(t, err, fs.ErrInvalid)
	for _, never := range []string{pipe, "/dev/zero", dir} { // reading the first two would never end
		_, err = platform.ReadRegular(never, 10)
		require.ErrorIs(t, err, fs.ErrInvalid, never)
	}
	_, err = platform.ReadRegular(filepath.Join(dir, "none"), 10)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
