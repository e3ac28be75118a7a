//go:build unix

package relay

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListen_SocketIsNextToStoreAndRemovedAtEnd(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	l, a := mustListen(t, dir, "")
	require.Equal(t, Address{Network: "unix", Addr: filepath.Join(dir, "handoff.sock")}, a)
	require.Equal(t, os.FileMode(0o600), filePermissions(t, a.Addr))
	require.Equal(t, []string{"handoff.sock"}, names(t, dir))
	requireReached(t, l, a)

	require.NoError(t, l.Close())
	require.NoError(t, a.remove())
	require.NoError(t, a.remove())
	require.Empty(t, names(t, dir))
}

func TestListen_ReplacesSocketOfKilledOwner(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	killed, lines := start(t, "listen", dir)
	requireLine(t, "listens", lines)
	kill(t, killed)
	require.Equal(t, []string{"handoff.sock"}, names(t, dir))
	l, a := mustListen(t, dir, "")
	requireReached(t, l, a)
}

func TestListen_RemovesUnfinishedSocket(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	left, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: filepath.Join(dir, "handoff.new")})
	require.NoError(t, err)
	left.SetUnlinkOnClose(false)
	require.NoError(t, left.Close())
	l, a := mustListen(t, dir, "")
	requireReached(t, l, a)
	require.Equal(t, []string{"handoff.sock"}, names(t, dir))
}

func TestListen_LateEndKeepsSocketOfNextOwner(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	late, _ := mustListen(t, dir, "")
	l, a := mustListen(t, dir, "")
	halfMade := filepath.Join(dir, "handoff.new")
	require.NoError(t, os.WriteFile(halfMade, nil, 0o600))
	require.NoError(t, late.Close())
	requireReached(t, l, a)
	require.FileExists(t, halfMade)
}

func TestListen_ChoosesPlaceByPathLength(t *testing.T) {
	t.Parallel()
	const beside = len("/handoff.sock")
	short := longDir(t, maxPath-beside)
	long := longDir(t, maxPath-beside+1)
	run := shortDir(t)
	for name, tt := range map[string]struct {
		dir, run string
		network  string
		in       string // the folder of the socket
	}{
		"the longest path that fits":    {dir: short, run: run, network: "unix", in: short},
		"one byte more":                 {dir: long, run: run, network: "unix", in: filepath.Join(run, "handoff")},
		"nowhere else":                  {dir: long, network: "tcp"},
		"elsewhere it is too long too":  {dir: long, run: longDir(t, maxPath), network: "tcp"},
		"elsewhere is no absolute path": {dir: long, run: "run", network: "tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			l, a := mustListen(t, tt.dir, tt.run)
			require.Equal(t, tt.network, a.Network)
			require.Equal(t, tt.network == "tcp", a.Secret != "")
			if tt.in != "" {
				require.Equal(t, tt.in, filepath.Dir(a.Addr))
				require.Equal(t, os.FileMode(0o700), filePermissions(t, tt.in))
				require.Equal(t, []string{filepath.Base(a.Addr)}, names(t, tt.in))
			}
			requireReached(t, l, a)
			require.NoError(t, a.remove())
		})
	}
}

func TestListen_WorkspacesHaveSeparateSockets(t *testing.T) {
	t.Parallel()
	run := shortDir(t)
	_, a := mustListen(t, longDir(t, maxPath), run)
	_, b := mustListen(t, longDir(t, maxPath), run)
	require.Equal(t, filepath.Dir(a.Addr), filepath.Dir(b.Addr))
	require.NotEqual(t, a.Addr, b.Addr)
}

func TestListen_UsesPortIfNoSocketIsPossible(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "handoff.sock", "in the way"), 0o700))
	l, a := mustListen(t, dir, "")
	require.Equal(t, "tcp", a.Network)
	require.Regexp(t, `^127\.0\.0\.1:\d+$`, a.Addr)
	require.GreaterOrEqual(t, len(a.Secret), 26)
	require.Equal(t, []string{"handoff.sock"}, names(t, dir))
	requireReached(t, l, a)

	_, other := mustListen(t, dir, "")
	require.NotEqual(t, a.Secret, other.Secret)
}

func TestDial_FailsWithoutListener(t *testing.T) {
	t.Parallel()
	_, err := Address{}.dial(t.Context())
	require.ErrorContains(t, err, "unknown network")
	_, err = Address{Network: "unix", Addr: filepath.Join(shortDir(t), "handoff.sock")}.dial(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)

	l, a := mustListen(t, shortDir(t), "")
	require.NoError(t, l.Close())
	_, err = a.dial(t.Context())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NoError(t, Address{}.remove())
}

func mustListen(t *testing.T, dir, run string) (net.Listener, Address) {
	t.Helper()
	l, a, err := listen(dir, run)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // some tests close it
	return l, a
}

// requireReached dials and has the other end of that connection accepted.
func requireReached(t *testing.T, l net.Listener, a Address) {
	t.Helper()
	c, err := a.dial(t.Context())
	require.NoError(t, err)
	accepted, err := l.Accept()
	require.NoError(t, err)
	_, err = accepted.Write([]byte("it is you"))
	require.NoError(t, err)
	require.NoError(t, accepted.Close())
	said, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Equal(t, "it is you", string(said))
	require.NoError(t, c.Close())
}

// shortDir makes a directory in which a socket fits, even where temporary files are far down, as on macOS.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "r") //nolint:usetesting // its path holds the name of the test
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// longDir makes a directory whose path has n bytes.
func longDir(t *testing.T, n int) string {
	t.Helper()
	dir := shortDir(t)
	require.Less(t, len(dir), n-1, "set TMPDIR to a shorter path")
	dir += "/" + strings.Repeat("d", n-len(dir)-1)
	require.NoError(t, os.Mkdir(dir, 0o700))
	return dir
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func listenUntilKilled(dir string) int {
	l, _, err := listen(dir, "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("listens")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = l.Close()
	return 0
}
