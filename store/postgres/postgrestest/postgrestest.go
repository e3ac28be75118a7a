// Package postgrestest starts a PostgreSQL server for tests, of the programs that are installed, in a directory of its own
// and on a Unix socket. Nothing is left of it.
package postgrestest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Start starts a server for a test, which is skipped where none is installed, and gives how to reach its database.
func Start(t testing.TB) (address string) {
	t.Helper()
	servers, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // bin may only have programs that are no server
	require.NoError(t, err)
	if len(servers) == 0 || runtime.GOOS == "windows" { // under Wine there are those of the system below it
		t.Skip("PostgreSQL is not installed")
	}
	slices.Sort(servers)
	bin := filepath.Dir(servers[len(servers)-1])
	dir, err := os.MkdirTemp("", "pg") //nolint:usetesting // a short one: sockets have short names
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	as := owner(t, dir)
	data := filepath.Join(dir, "data")
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(bin, program), args...) //nolint:gosec // these are three
		cmd.SysProcAttr, cmd.Dir = as, dir
		return cmd
	}
	initdb := run("initdb", "--auth=trust", "--username=handoff", "--encoding=UTF8", "--locale=C", "--no-sync", "-D", data)
	said, err := initdb.CombinedOutput()
	require.NoError(t, err, string(said))
	server := run("postgres", "-D", data, "-k", dir, "-h", "", "-c", "fsync=on")
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, server.Process.Signal(syscall.SIGINT)) // a fast shutdown
		require.NoError(t, server.Wait())
	})
	address = "host=" + dir + " user=handoff dbname=postgres"
	require.Eventually(t, func() bool {
		return run("pg_isready", "-q", "-h", dir).Run() == nil
	}, 20*time.Second, 10*time.Millisecond)
	return address
}
