package serve_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// writeLogLine adds a line to the log of the workspace, as its owner does.
func writeLogLine(p commandtest.Home, line string) {
	p.T.Helper()
	dir := filepath.Join(p.State, "handoff", "w")
	require.NoError(p.T, os.MkdirAll(dir, 0o700))
	f, err := os.OpenFile(filepath.Join(dir, "handoff.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(p.T, err)
	_, err = f.WriteString(line + "\n")
	require.NoError(p.T, err)
	require.NoError(p.T, f.Close())
}

func TestLogs_AreInertOnTerminal(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	writeLogLine(p, "msg=\x1b[2Jcleared \u202eback \xff")
	require.Equal(t, `msg=\x1b[2Jcleared \u202eback \xff`+"\n", p.Must("logs"))
	require.Contains(t, p.Must("logs", "--json"), `msg=\u001b[2Jcleared \u202eback \ufffd`)
}

func TestLogs_FollowEndsWithReader(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("only a write tells that the reader left")
	}
	t.Parallel()
	for name, leave := range map[string]func(t *testing.T, follower *os.Process, out io.Closer){
		"interrupted": func(t *testing.T, f *os.Process, _ io.Closer) { require.NoError(t, f.Signal(syscall.SIGINT)) },
		"not read":    func(t *testing.T, _ *os.Process, out io.Closer) { require.NoError(t, out.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := commandtest.NewHome(t)
			writeLogLine(p, "msg=one")
			writeLogLine(p, "msg=two")
			cmd := exec.CommandContext(t.Context(), commandtest.Program, "logs", "--follow", "--lines", "1", "--workspace", "w")
			cmd.Env = p.Environ()
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			r := bufio.NewReader(out)
			for _, next := range []string{"two", "three", "four"} {
				if next != "two" {
					writeLogLine(p, "msg="+next)
				}
				line, err := r.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, "msg="+next+"\n", line)
			}
			leave(t, cmd.Process, out)
			require.NoError(t, cmd.Wait())
		})
	}
}
