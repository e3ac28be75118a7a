//go:build darwin

package platform

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNetworkFileSystem_NamesNetworkFileSystems(t *testing.T) {
	for name, kind := range map[string]string{
		"nfs": "nfs", "smbfs": "smb", "afpfs": "afp", "webdav": "webdav",
		"apfs": "", "hfs": "", "macfuse": "",
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, kind, networkFileSystemName(name)) })
	}
}

func TestNetworkFileSystem_IsEmptyForLocalFileSystem(t *testing.T) {
	require.Empty(t, NetworkFileSystem(t.TempDir()))
	require.Empty(t, NetworkFileSystem("/no/such/directory"))
}
