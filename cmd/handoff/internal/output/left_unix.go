//go:build unix

package output

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// awaitReaderLeaving waits until f has no reader any more, or until ctx is done. It returns false if the system cannot
// report this.
func awaitReaderLeaving(ctx context.Context, f *os.File) bool {
	r, w, err := os.Pipe()
	if err != nil {
		return false
	}
	defer r.Close()
	stop := context.AfterFunc(ctx, func() { _ = w.Close() }) // which ends the poll
	defer func() {
		if stop() {
			_ = w.Close()
		}
	}()
	for {
		fds := []unix.PollFd{{Fd: fileDescriptor(f)}, {Fd: fileDescriptor(r)}}
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || fds[0].Revents&unix.POLLNVAL != 0:
			return false
		case fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
			return true
		case fds[1].Revents != 0:
			return false
		}
	}
}

func fileDescriptor(f *os.File) int32 { return int32(f.Fd()) } //nolint:gosec // there are never so many
