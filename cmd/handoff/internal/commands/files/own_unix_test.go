//go:build unix

package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a directory for every user, another user can create a file, or a link to a file of the caller.
func TestIsFileOfUser_RefusesFilesOfOthers(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own")
	require.NoError(t, os.WriteFile(own, nil, 0o600))
	require.True(t, isFileOfUser(own))
	require.False(t, isFileOfUser(own+".missing"))
	require.False(t, isFileOfUser(filepath.Dir(own)))
	require.NoError(t, os.Symlink(own, own+".link"))
	require.False(t, isFileOfUser(own+".link"))
	if os.Geteuid() == 0 { // only root can give files away
		require.NoError(t, os.Chown(own, 12345, -1))
		require.False(t, isFileOfUser(own))
	}
}
