package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// log adds a line to the log of the workspace, as its owner does.
func (p home) log(line string) {
	p.t.Helper()
	dir := filepath.Join(p.state, "handoff", "w")
	require.NoError(p.t, os.MkdirAll(dir, 0o700))
	f, err := os.OpenFile(filepath.Join(dir, "handoff.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(p.t, err)
	_, err = f.WriteString(line + "\n")
	require.NoError(p.t, err)
	require.NoError(p.t, f.Close())
}

func TestLogsAreInertOnATerminal(t *testing.T) {
	p := newHome(t)
	p.log("msg=\x1b[2Jcleared \u202eback \xff")
	require.Equal(t, `msg=\x1b[2Jcleared \u202eback \xff`+"\n", p.must("logs"))
	require.Contains(t, p.must("logs", "--json"), `msg=\u001b[2Jcleared \u202eback \ufffd`)
}

func TestLogsThatCannotBeReadAreAnError(t *testing.T) {
	p := newHome(t)
	require.NoError(t, os.MkdirAll(filepath.Join(p.state, "handoff", "w", "handoff.log"), 0o700))
	code, _, errs := p.run("logs")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "handoff: show the log of workspace w: ")
}

func TestLogsAreFollowedUntilTheReaderLeaves(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, follower *os.Process, out io.Closer){
		"interrupted": func(t *testing.T, f *os.Process, _ io.Closer) { require.NoError(t, f.Signal(syscall.SIGINT)) },
		"not read":    func(t *testing.T, _ *os.Process, out io.Closer) { require.NoError(t, out.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newHome(t)
			p.log("msg=one")
			p.log("msg=two")
			cmd := exec.CommandContext(t.Context(), program, "logs", "--follow", "--lines", "1", "--workspace", "w")
			cmd.Env = p.environ()
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			r := bufio.NewReader(out)
			for _, next := range []string{"two", "three", "four"} {
				if next != "two" {
					p.log("msg=" + next)
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
