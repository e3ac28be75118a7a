//go:build unix

package postgrestest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// serverUser returns the user that runs the server, because root may not run it: the user that Debian made for
// PostgreSQL. It returns nil if this process does not run as root.
func serverUser(t testing.TB, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	postgres, err := user.Lookup("postgres")
	require.NoError(t, err)
	uid, err := strconv.ParseUint(postgres.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(postgres.Gid, 10, 32)
	require.NoError(t, err)
	require.NoError(t, os.Chown(dir, int(uid), int(gid)))
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
