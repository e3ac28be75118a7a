//go:build linux

package platform

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The numbers come from statfs(2) and from stat of the coreutils.
func TestNetworkFileSystem_NamesNetworkFileSystems(t *testing.T) {
	for name, tt := range map[string]struct {
		magic uint32
		kind  string
	}{
		"nfs":       {0x6969, "nfs"},
		"smb":       {0x517b, "smb"},
		"smb2":      {0xfe534d42, "smb"},
		"cifs":      {0xff534d42, "cifs"},
		"afs":       {0x5346414f, "afs"},
		"kafs":      {0x6b414653, "afs"},
		"ceph":      {0x00c36400, "ceph"},
		"lustre":    {0x0bd00bd0, "lustre"},
		"9p":        {0x01021997, "9p"},
		"gpfs":      {0x47504653, "gpfs"},
		"ext4":      {0xef53, ""},
		"xfs":       {0x58465342, ""},
		"btrfs":     {0x9123683e, ""},
		"zfs":       {0x2fc12fc1, ""},
		"tmpfs":     {0x01021994, ""},
		"overlayfs": {0x794c7630, ""},
		"fuse":      {0x65735546, ""},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.kind, networkFileSystemName(tt.magic)) })
	}
}

func TestNetworkFileSystem_IsEmptyForLocalFileSystem(t *testing.T) {
	require.Empty(t, NetworkFileSystem(t.TempDir()))
	require.Empty(t, NetworkFileSystem("/proc"))
	require.Empty(t, NetworkFileSystem("/no/such/directory"))
}
