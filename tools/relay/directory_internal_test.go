//go:build unix

package relay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrepare_MakesDirectoryPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state", "w")
	require.NoError(t, prepareDir(dir))
	require.Equal(t, os.FileMode(0o700), filePermissions(t, dir))
	require.Equal(t, os.FileMode(0o700), filePermissions(t, filepath.Dir(dir)))

	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, prepareDir(dir))
	require.Equal(t, os.FileMode(0o700), filePermissions(t, dir))
}

func TestPrepare_FailsOnFileInPlaceOfDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "w")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.Error(t, prepareDir(path))
}

func TestUnusableError_NamesNetworkFileSystem(t *testing.T) {
	t.Parallel()
	err := &networkFSError{dir: "/w", kind: "nfs"}
	require.EqualError(t, err, "/w is on a network file system (nfs)")
}
