// Package postgrestest starts PostgreSQL servers for tests, from the installed programs. Each server has its own
// directory and listens on a Unix socket. It is removed after the test. The start of a server takes seconds, so these
// tests are proofs, see package sandbox.
package postgrestest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas/sandbox"
)

// StartServer starts a PostgreSQL server for a test, and returns the address of its database. It skips the test if
// PostgreSQL is not installed. The user in the address has all rights and needs no password.
func StartServer(t testing.TB) (address string) {
	t.Helper()
	address, _ = StartRestartable(t)
	return address
}

// StartRestartable starts a server that a test can restart. One goroutine at a time may call restart. The server
// answers a moment after restart returns. If hard is true, the server ends without a shutdown, as after a loss of
// power.
func StartRestartable(t testing.TB) (address string, restart func(hard bool) error) {
	t.Helper()
	p := newTestServer(t)
	p.runProgram(t, "initdb", "--auth=trust", "--username=handoff", "--encoding=UTF8", "--locale=C", "--no-sync", "-D", p.dataDir())
	address = p.startPostgres(t)
	return address, func(hard bool) error { return p.restart(t, hard) }
}

// StartStandby starts a read-only server that replicates the server at an address.
func StartStandby(t testing.TB, address string) string {
	t.Helper()
	p := newTestServer(t)
	p.runProgram(t, "pg_basebackup", "--dbname="+address, "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-D", p.dataDir())
	return p.startPostgres(t)
}

// StartPooler starts pgbouncer in front of the server at an address. pgbouncer gives a connection to a client for one
// transaction at a time. The test is skipped if pgbouncer is not installed.
func StartPooler(t testing.TB, address string) string {
	t.Helper()
	p := newTestServer(t)
	program, err := exec.LookPath("/usr/sbin/pgbouncer")
	if err != nil {
		t.Skip("pgbouncer is not installed")
	}
	server, _, _ := strings.Cut(strings.TrimPrefix(address, "host="), " ")
	file := filepath.Join(p.dir, "pgbouncer.ini")
	//nolint:gosec // the user that runs it reads it
	require.NoError(t, os.WriteFile(file, []byte("[databases]\n* = host="+server+" user=handoff\n[pgbouncer]\nlisten_addr =\n"+
		"unix_socket_dir = "+p.dir+"\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n"), 0o644))
	p.startProgram(t, syscall.SIGTERM, program, "--quiet", file)
	return p.waitUntilReady(t, " port=6432")
}

// testServer is the directory of a server, and its process.
type testServer struct {
	dir string
	bin string
	as  *syscall.SysProcAttr

	server *exec.Cmd
}

func newTestServer(t testing.TB) *testServer {
	t.Helper()
	sandbox.SkipUnlessProofs(t)
	servers, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // bin may only have programs that are no server
	require.NoError(t, err)
	if len(servers) == 0 || runtime.GOOS == "windows" { // under Wine these are the host system's
		t.Skip("PostgreSQL is not installed")
	}
	slices.Sort(servers)
	dir, err := os.MkdirTemp("", "pg") //nolint:usetesting // a short one: sockets have short names
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return &testServer{dir: dir, bin: filepath.Dir(servers[len(servers)-1]), as: serverUser(t, dir)}
}

func (p *testServer) dataDir() string { return filepath.Join(p.dir, "data") }

func (p *testServer) command(t testing.TB, program string, args ...string) *exec.Cmd {
	if !filepath.IsAbs(program) {
		program = filepath.Join(p.bin, program)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...) //nolint:gosec // those named above
	cmd.SysProcAttr, cmd.Dir = p.as, p.dir
	return cmd
}

func (p *testServer) runProgram(t testing.TB, program string, args ...string) {
	t.Helper()
	output, err := p.command(t, program, args...).CombinedOutput()
	require.NoError(t, err, string(output))
}

// startProgram starts a program until the end of the test. End is the signal that ends it.
func (p *testServer) startProgram(t testing.TB, end syscall.Signal, program string, args ...string) {
	t.Helper()
	p.server = p.command(t, program, args...)
	require.NoError(t, p.server.Start())
	t.Cleanup(func() {
		require.NoError(t, p.server.Process.Signal(end))
		_ = p.server.Wait()
	})
}

// restart ends the server and starts it anew.
func (p *testServer) restart(t testing.TB, hard bool) error {
	end := syscall.SIGINT // a fast shutdown
	if hard {
		end = syscall.SIGQUIT // an immediate one
	}
	if err := p.server.Process.Signal(end); err != nil {
		return err
	}
	_ = p.server.Wait()
	p.server = p.command(t, p.server.Path, p.server.Args[1:]...)
	return p.server.Start()
}

func (p *testServer) startPostgres(t testing.TB) string {
	t.Helper()
	p.startProgram(t, syscall.SIGINT, "postgres", "-D", p.dataDir(), "-k", p.dir, "-h", "", "-c", "fsync=on")
	return p.waitUntilReady(t, "")
}

// waitUntilReady waits until a server answers, and returns its address.
func (p *testServer) waitUntilReady(t testing.TB, port string) string {
	t.Helper()
	address := "host=" + p.dir + port + " user=handoff dbname=postgres"
	require.Eventually(t, func() bool {
		return p.command(t, "pg_isready", "-q", "-d", address).Run() == nil
	}, 20*time.Second, 10*time.Millisecond)
	return address
}
