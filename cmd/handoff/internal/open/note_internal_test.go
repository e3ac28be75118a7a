package open

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Seen from outside, a note that is wrongly believed only makes others give up too soon.

func TestANoteIsBelievedWhileItsProcessLives(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	gone := ended(t)
	require.NoError(t, gone.Wait())
	for name, tt := range map[string]struct {
		note  string
		owner int
	}{
		"this process":                  {note: fmt.Sprintf(`{"pid": %d, "program": %q}`, os.Getpid(), filepath.Base(self)), owner: os.Getpid()},
		"where nothing tells what runs": {note: fmt.Sprintf(`{"pid": %d}`, os.Getpid()), owner: os.Getpid()},
		"a process that ended":          {note: fmt.Sprintf(`{"pid": %d}`, gone.Process.Pid)},
		"a process not waited for":      {note: fmt.Sprintf(`{"pid": %d, "program": %q}`, unreaped(t), filepath.Base(self))},
		"a number given again":          {note: fmt.Sprintf(`{"pid": %d, "program": "of-another"}`, os.Getpid())},
		"no number of a process":        {note: `{"pid": -1}`},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS != "linux" && strings.Contains(tt.note, "program") {
				t.Skip("nothing tells here what a process runs")
			}
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(notePath(dir), []byte(tt.note), 0o600))
			require.Equal(t, tt.owner, owner(dir))
			removeStale(dir)
			_, err := os.Stat(notePath(dir))
			require.Equal(t, tt.owner == 0, os.IsNotExist(err))
		})
	}
}

func TestNoNote(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, owner(dir))
	require.NoError(t, os.WriteFile(notePath(dir), []byte(`{"pid": `), 0o600))
	require.Zero(t, owner(dir))
	removeStale(dir)
	require.FileExists(t, notePath(dir), "a server is just writing it")
}

func unreaped(t *testing.T) (pid int) {
	t.Helper()
	cmd := ended(t)
	t.Cleanup(func() { require.NoError(t, cmd.Wait()) })
	return cmd.Process.Pid
}

// ended is a process of this program that has closed its output and was not waited for.
func ended(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = w
	require.NoError(t, cmd.Start())
	require.NoError(t, w.Close())
	_, err = io.Copy(io.Discard, r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return cmd
}
