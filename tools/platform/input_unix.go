//go:build unix

package platform

import (
	"io"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// PollInput returns a reader of the same pipe or socket that waits in the poller of the Go runtime, and a function that
// closes the reader and restores the file's mode. Without the poller, a waiting read keeps one of the runtime's
// processors for up to 10 ms, which made each start slower on machines with two processors.
//
// PollInput returns input unchanged if it is no pipe or socket, or if it is also one of the outputs, because the mode
// of a file affects all its users.
func PollInput(input io.Reader, outputs ...io.Writer) (_ io.Reader, back func()) {
	unchanged := func() {}
	f, ok := input.(*os.File)
	if !ok || slices.ContainsFunc(outputs, func(w io.Writer) bool { return isSameFile(f, w) }) {
		return input, unchanged
	}
	about, err := f.Stat()
	if err != nil || about.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return input, unchanged
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil || unix.SetNonblock(fd, true) != nil {
		return input, unchanged
	}
	polling := os.NewFile(uintptr(fd), f.Name())
	return polling, func() {
		_ = unix.SetNonblock(fd, false) // no process reads it any more
		_ = polling.Close()
	}
}

// isSameFile reports whether the writer w writes to the file f.
func isSameFile(f *os.File, w io.Writer) bool {
	out, ok := w.(*os.File)
	if !ok {
		return false
	}
	a, err := f.Stat()
	b, failed := out.Stat()
	return err != nil || failed != nil || os.SameFile(a, b)
}
