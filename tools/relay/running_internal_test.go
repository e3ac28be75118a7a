package relay

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"handoff/tools/platform"

	"github.com/stretchr/testify/require"
)

func TestNoteIsRunning_IsTrueWhileProcessLives(t *testing.T) {
	t.Parallel()
	self := platform.ProcessID(os.Getpid())
	gone := startEnded(t)
	require.NoError(t, gone.Wait())
	for name, tt := range map[string]struct {
		note  Note
		lives bool
	}{
		"this process":              {note: thisProcess(time.Time{}), lives: true},
		"a note without an id":      {note: Note{PID: os.Getpid()}, lives: true},
		"a process that ended":      {note: Note{PID: gone.Process.Pid}},
		"a process not waited for":  {note: Note{PID: startUnreaped(t), Process: self}},
		"a number given again":      {note: Note{PID: os.Getpid(), Process: self + 2}},
		"in another container":      {note: Note{PID: 1, PIDNamespace: "pid:[1]", Boot: platform.BootID()}, lives: true},
		"before the system started": {note: Note{PID: os.Getpid(), PIDNamespace: "pid:[1]", Boot: "another"}},
		"no number of a process":    {note: Note{PID: -1}},
		"no note":                   {},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS != "linux" && tt.note.PIDNamespace != "" {
				t.Skip("no process here is in another container")
			}
			require.Equal(t, tt.lives, tt.note.IsRunning())
		})
	}
}

func startUnreaped(t *testing.T) (pid int) {
	t.Helper()
	cmd := startEnded(t)
	t.Cleanup(func() { require.NoError(t, cmd.Wait()) })
	return cmd.Process.Pid
}

// startEnded starts a process of this program and waits until the process has closed its output. The caller still has
// to wait for its end.
func startEnded(t *testing.T) *exec.Cmd {
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

func TestStalledError_NamesOnlyVerifiedProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("no process here is in another container")
	}
	owner := exec.CommandContext(t.Context(), "sleep", "60")
	require.NoError(t, owner.Start())
	t.Cleanup(func() { require.Error(t, owner.Wait()) })
	t.Cleanup(func() { require.NoError(t, owner.Process.Kill()) })
	id := platform.ProcessID(owner.Process.Pid)
	for name, tt := range map[string]struct {
		note Note
		said string
	}{
		"of this machine":                 {Note{PID: owner.Process.Pid, Process: id}, "ps -o pid,stat,args -p "},
		"with the number of this process": {thisProcess(time.Time{}), "another container"},
		"of another container":            {Note{PID: owner.Process.Pid, Process: id, PIDNamespace: "pid:[1]"}, "another container"},
		"without an id":                   {Note{PID: owner.Process.Pid}, "Look at that process."},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, writeNote(dir, tt.note))
			e := (&fileElection{config: Config{Name: "w", Dir: dir}}).StalledError(tt.note)
			require.Contains(t, e.Hint, tt.said)
			require.NotContains(t, e.Hint, "KILL")
		})
	}
}
