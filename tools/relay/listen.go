package relay

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"handoff/tools/platform"
)

// listen begins to listen for other processes of this user, on a socket next to the store. If that fails, it uses a
// socket under runtimeDir, unless runtimeDir is empty. If that fails too, it uses a port of the loopback interface,
// with a new secret. It is called with the lock held. Closing the listener does not remove the socket, see
// [Address.remove].
//
// All workspaces of the user share the directory under runtimeDir. A socket there is named by a hash of dir. The error
// joins the reasons of all attempts.
func listen(dir, runtimeDir string) (net.Listener, Address, error) {
	var reasons []error
	for _, path := range socketPaths(dir, runtimeDir) {
		l, err := bindSocket(path)
		if err == nil {
			return sameUserListener{l}, Address{Network: "unix", Addr: path}, nil
		}
		reasons = append(reasons, err)
	}
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, Address{}, errors.Join(append(reasons, err)...)
	}
	return l, Address{Network: "tcp", Addr: l.Addr().String(), Secret: rand.Text()}, nil
}

// maxPath is the number of bytes that fit into the address of a socket before the zero at its end: 107 on Linux, 103
// on macOS.
const maxPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// socketPaths lists the possible paths of the socket of a workspace, the best first. The paths are absolute, because
// other processes have other working directories.
func socketPaths(dir, runtimeDir string) []string {
	if runtime.GOOS == "windows" { // it has sockets, but does not report the process at the other end
		return nil
	}
	all := []string{filepath.Join(dir, "handoff.sock")}
	if runtimeDir != "" {
		sum := sha256.Sum256([]byte(dir))
		all = append(all, filepath.Join(runtimeDir, "handoff", hex.EncodeToString(sum[:8])+".sock"))
	}
	return slices.DeleteFunc(all, func(path string) bool { return !filepath.IsAbs(path) || len(path) > maxPath })
}

// bindSocket listens on a socket and replaces the socket of a killed owner. It makes the socket under a temporary name
// and renames it after its permissions are set, so that no process connects earlier. All owners use the same temporary
// name, because only the holder of the lock binds. The temporary name is not longer than path.
func bindSocket(path string) (*net.UnixListener, error) {
	if err := platform.MakePrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	unfinished := strings.TrimSuffix(path, ".sock") + ".new"
	if err := (Address{Network: "unix", Addr: unfinished}).remove(); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: unfinished})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // by then the name may be the next owner's socket
	err = os.Chmod(unfinished, 0o600)
	if err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(unfinished))
	}
	return l, nil
}

// sameUserListener accepts connections only from processes of this user. The permissions of the socket and its
// directory keep other users out, too. This check still works if a person loosens the permissions.
type sameUserListener struct{ *net.UnixListener }

func (l sameUserListener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if platform.IsSameUser(c) {
			return c, nil
		}
		_ = c.Close() // another user gets no answer
	}
}

// An Address is the place where an owner listens: a socket next to the store, or a port of the loopback interface if no
// socket is possible. No process listens at the zero Address. It is in the file of the note, and is never sent over the
// network.
type Address struct {
	Network string `json:"network"` // "unix", "tcp" or "url"
	Addr    string `json:"addr"`    // the path of a socket, host:port, or the URL at which a node of a cluster serves the workspace

	// Secret is sent to an owner on a port, which every user of the machine reaches. It proves that the caller was able
	// to read the note. A socket needs none.
	Secret string `json:"secret,omitempty"`
}

// url returns the base of the URLs of requests.
func (a Address) url() string {
	if a.isRemote() {
		return a.Addr
	}
	return "http://owner"
}

// isRemote reports whether the owner may be on another machine.
func (a Address) isRemote() bool { return a.Network == "url" }

// dialLimit is the longest time for a connection to a socket of this machine. The kernel accepts a connection even for
// a stopped process, and refuses it at once if the process has ended. Only Windows would try again for seconds after a
// refusal.
const dialLimit = 200 * time.Millisecond

// dial connects to an owner that runs as the same user.
func (a Address) dial(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: dialLimit}
	c, err := d.DialContext(ctx, a.Network, a.Addr)
	if err != nil {
		return nil, err
	}
	if u, ok := c.(*net.UnixConn); ok && !platform.IsSameUser(u) {
		return nil, errors.Join(fmt.Errorf("dial %s: another user listens there", a.Addr), c.Close())
	}
	return c, nil
}

// remove removes the socket. It is called with the lock held, because without the lock the socket may belong to the
// next owner. A missing socket is no error.
func (a Address) remove() error {
	if a.Network != "unix" {
		return nil
	}
	return removeFile(a.Addr)
}
