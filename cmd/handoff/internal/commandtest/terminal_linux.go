package commandtest

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// OpenTerminal returns both ends of a terminal: one end for the test in the role of the person, and one end for the
// program.
func OpenTerminal(t testing.TB) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, person.Close()) })
	var number uint32
	WithFileDescriptor(t, person, func(fd int) (err error) {
		if number, err = unix.IoctlGetUint32(fd, unix.TIOCGPTN); err == nil {
			err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) // unlocks it
		}
		return err
	})
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = program.Close() }) // the test may have done so
	return person, program
}

// WithFileDescriptor calls do with the file descriptor of f. Reads of f keep their deadlines, which a call of f.Fd
// would remove.
func WithFileDescriptor(t testing.TB, f *os.File, do func(fd int) error) {
	t.Helper()
	conn, err := f.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, conn.Control(func(fd uintptr) { err = do(int(fd)) }))
	require.NoError(t, err)
}
