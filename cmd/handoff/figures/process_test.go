//go:build linux

package figures_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a server that ends when its standard input does.
type process struct {
	*run
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	n   int // requests so far
}

// start starts a server in a state directory of its own, so that no other one of this machine counts.
func (r *run) start(state string, command ...string) *process {
	cmd := exec.CommandContext(r.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = r.TempDir(), append(os.Environ(), "XDG_STATE_HOME="+state, "HANDOFF_STORE=")
	in, err := cmd.StdinPipe()
	require.NoError(r, err)
	out, err := cmd.StdoutPipe()
	require.NoError(r, err)
	require.NoError(r, cmd.Start())
	return &process{run: r, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// ask makes one request and waits for the response.
func (p *process) ask(method, params string) string {
	p.n++
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", p.n, method, params)
	require.NoError(p, err)
	line, err := p.out.ReadString('\n')
	require.NoError(p, err)
	return line
}

const hello = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"figures","version":"1"}}`

func (p *process) hello() *process {
	p.ask("initialize", hello)
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(p, err)
	return p
}

func (p *process) end() {
	require.NoError(p, p.in.Close())
	_, err := io.Copy(io.Discard, p.out)
	require.NoError(p, err)
	require.NoError(p, p.cmd.Wait())
}

// busy is how long a process was on a processor so far.
func (p *process) busy() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	require.NoError(p, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	ticks := 0
	for _, field := range fields[11:13] { // of the program, and of the kernel for it
		n, err := strconv.Atoi(field)
		require.NoError(p, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // there are 100 in a second
}

// anonymous is the memory of a process in MB. The mapped file is the kernel's and is not counted.
func (p *process) anonymous() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(p, err)
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(p, err)
	return float64(kb) / 1024
}
