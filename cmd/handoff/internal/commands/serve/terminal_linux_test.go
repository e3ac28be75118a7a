package serve_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"handoff/cmd/handoff/internal/commandtest"
)

// setTostop does the same as "stty tostop": the terminal then stops background processes that write to it.
func setTostop(t *testing.T, terminal *os.File) {
	t.Helper()
	commandtest.WithFileDescriptor(t, terminal, func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		settings.Lflag |= unix.TOSTOP
		return unix.IoctlSetTermios(fd, unix.TCSETS, settings)
	})
}
