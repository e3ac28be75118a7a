//go:build darwin

package platform

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNetworkKind_NamesNetworkFileSystems(t *testing.T) {
	for name, kind := range map[string]string{
		"nfs": "nfs", "smbfs": "smb", "afpfs": "afp", "webdav": "webdav",
		"apfs": "", "hfs": "", "macfuse": "",
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, kind, networkKindOf(name)) })
	}
}

func TestNetworkKind_IsEmptyForLocalFileSystem(t *testing.T) {
	require.Empty(t, NetworkKind(t.TempDir()))
	require.Empty(t, NetworkKind("/no/such/directory"))
}
