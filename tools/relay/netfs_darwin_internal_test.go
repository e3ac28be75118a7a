//go:build darwin

package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNetworkFileSystems(t *testing.T) {
	for name, kind := range map[string]string{
		"nfs": "nfs", "smbfs": "smb", "afpfs": "afp", "webdav": "webdav",
		"apfs": "", "hfs": "", "macfuse": "",
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, kind, networkKindOf(name)) })
	}
}

func TestALocalFileSystem(t *testing.T) {
	require.Empty(t, networkKind(t.TempDir()))
	require.Empty(t, networkKind("/no/such/directory"))
}
