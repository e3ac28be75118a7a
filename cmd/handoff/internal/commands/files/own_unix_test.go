//go:build unix

package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where everybody can write, somebody else can put a file, or a link to one of the caller's.
func TestOnlyAFileOfOnesOwnIsTakenFromWhereEverybodyWrites(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own")
	require.NoError(t, os.WriteFile(own, nil, 0o600))
	require.True(t, isOwnFile(own))
	require.False(t, isOwnFile(own+".missing"))
	require.False(t, isOwnFile(filepath.Dir(own)))
	require.NoError(t, os.Symlink(own, own+".link"))
	require.False(t, isOwnFile(own+".link"))
	if os.Geteuid() == 0 { // nobody else gives files away
		require.NoError(t, os.Chown(own, 12345, -1))
		require.False(t, isOwnFile(own))
	}
}
