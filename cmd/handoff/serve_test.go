package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// environ is the environment of processes in it.
func (p home) environ() []string {
	return []string{"XDG_STATE_HOME=" + p.state, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
}

// keep starts a command line that keeps a workspace served, and gives its first words.
func (p home) keep(args ...string) (keeper *exec.Cmd, said string) {
	p.t.Helper()
	keeper = exec.CommandContext(p.t.Context(), program, args...)
	keeper.Env = p.environ()
	stderr, err := keeper.StderrPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, keeper.Start())
	said, err = bufio.NewReader(stderr).ReadString('\n')
	require.NoError(p.t, err, said)
	return keeper, said
}

// unignored has programs that the test starts hear a signal, also where the test itself runs below nohup.
func unignored(t *testing.T, sig os.Signal) {
	t.Helper()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, sig)
	t.Cleanup(func() { signal.Stop(heard) })
}

func TestServeServesUntilASignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			unignored(t, sig)
			p := newHome(t)
			keeper, said := p.keep("serve", "--workspace", "w", "--max-title-bytes", "10")
			dir := filepath.Join(p.state, "handoff", "w")
			require.Equal(t, fmt.Sprintf("workspace w is served by this process, %d, from %s\n", keeper.Process.Pid, dir), said)
			p.must("send", "qa", "Test it", "--agent", "dev")
			require.FileExists(t, filepath.Join(dir, "owner.json"))
			code, _, errs := p.run("send", "qa", "x", "--agent", "dev", "--title", "longer than ten")
			require.Equal(t, 1, code, "the limits are those of the owner: %s", errs)

			require.NoError(t, keeper.Process.Signal(sig))
			require.NoError(t, keeper.Wait())
			require.NoFileExists(t, filepath.Join(dir, "owner.json"))
			require.Contains(t, p.must("list"), "Test it")
		})
	}
}

func TestServeStandsInLineBehindTheOwner(t *testing.T) {
	p := newHome(t)
	s := p.serve()
	s.ask("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	keeper, said := p.keep("serve", "--workspace", "w")
	require.Equal(t, fmt.Sprintf("workspace w is served by process %d; this one, %d, is in line\n", s.cmd.Process.Pid, keeper.Process.Pid), said)
	require.NoError(t, keeper.Process.Signal(syscall.SIGTERM))
	require.NoError(t, keeper.Wait())
	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended())
}
