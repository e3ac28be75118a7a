//go:build unix

package relay

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools/platform"
)

// nobody is a user without any rights.
const nobody = 65534

func TestListen_RefusesOtherUsers(t *testing.T) {
	t.Parallel()
	skipWithoutOtherUsers(t)
	dir := shortDir(t)
	l, a := mustListen(t, dir, "")
	require.Equal(t, "kept out", dialAsOtherUser(t, dir), "by the directory")
	require.NoError(t, os.Chmod(dir, 0o755))
	require.Equal(t, "kept out", dialAsOtherUser(t, dir), "by the socket")
	require.NoError(t, os.Chmod(a.Addr, 0o666))

	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, err = c.Write([]byte{'!'})
		}
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	require.Equal(t, "hung up", dialAsOtherUser(t, dir))
	require.Empty(t, accepted)
	ours, err := a.dial(t.Context())
	require.NoError(t, err)
	c := <-accepted
	uid, err := platform.UserOfPeer(c.(*net.UnixConn))
	require.NoError(t, err)
	require.Equal(t, os.Getuid(), uid)
	require.NoError(t, errors.Join(ours.Close(), c.Close()))
}

func TestDial_RefusesSocketOfOtherUser(t *testing.T) {
	t.Parallel()
	skipWithoutOtherUsers(t)
	dir := shortDir(t)
	require.NoError(t, os.Chmod(dir, 0o777))
	_, lines := start(t, "impostor", dir)
	requireLine(t, "listens", lines)
	_, err := Address{Network: "unix", Addr: filepath.Join(dir, "handoff.sock")}.dial(t.Context())
	require.ErrorContains(t, err, "another user listens there")
}

func skipWithoutOtherUsers(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can start a process as another user")
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nothing tells here who is at the other end of a socket")
	}
}

// dialAsOtherUser starts a process of another user that connects to the socket in dir, and returns the line that the
// process prints.
func dialAsOtherUser(t *testing.T, dir string) string {
	t.Helper()
	_, lines := start(t, "knock", dir)
	require.True(t, lines.Scan(), "the child ended")
	return lines.Text()
}

func dialAsNobody(string) int {
	err := becomeNobody()
	var c net.Conn
	if err == nil {
		c, err = net.Dial("unix", "handoff.sock")
	}
	if errors.Is(err, os.ErrPermission) {
		fmt.Println("kept out")
		return 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if n, _ := c.Read(make([]byte, 1)); n == 0 {
		fmt.Println("hung up")
	} else {
		fmt.Println("let in")
	}
	return 0
}

func listenAsNobody(string) int {
	err := becomeNobody()
	var l net.Listener
	if err == nil {
		l, err = net.Listen("unix", "handoff.sock")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("listens")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = l.Close()
	return 0
}

// The child itself calls becomeNobody, because only root can start the test binary in its directory.
func becomeNobody() error {
	return errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody))
}
