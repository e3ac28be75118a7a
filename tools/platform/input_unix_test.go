//go:build unix

package platform_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"handoff/tools/platform"
)

func TestPollInput_PollsPipeUntilBackIsCalled(t *testing.T) {
	var ends [2]int
	require.NoError(t, unix.Pipe(ends[:]))
	in, out := os.NewFile(uintptr(ends[0]), "in"), os.NewFile(uintptr(ends[1]), "out")
	defer out.Close()
	polled, back := platform.PollInput(in, io.Discard)
	require.NotSame(t, in, polled)
	require.True(t, isNonblocking(t, in))
	_, err := out.WriteString("said")
	require.NoError(t, err)
	text := make([]byte, 9)
	n, err := polled.Read(text)
	require.NoError(t, err)
	require.Equal(t, "said", string(text[:n]))
	back()
	require.False(t, isNonblocking(t, in))
}

func TestPollInput_DoesNotChangeFileSharedWithOutput(t *testing.T) {
	var ends [2]int
	require.NoError(t, func() (err error) { ends, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err }())
	both := os.NewFile(uintptr(ends[0]), "both")
	defer both.Close()
	defer unix.Close(ends[1])
	again, err := unix.Dup(ends[0])
	require.NoError(t, err)
	out := os.NewFile(uintptr(again), "again")
	defer out.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer file.Close()
	for _, in := range []io.Reader{both, file} {
		same, back := platform.PollInput(in, io.Discard, out)
		require.Same(t, in, same)
		require.False(t, isNonblocking(t, both))
		back()
	}
}

func isNonblocking(t *testing.T, f *os.File) bool {
	t.Helper()
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	require.NoError(t, err)
	return flags&unix.O_NONBLOCK != 0
}
