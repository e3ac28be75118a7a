//go:build linux

package figures_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// process is a server that ends when its standard input does.
type process struct {
	*run
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	n     int // requests so far
	agent string
}

// at is a run whose programs work in a directory.
func (r *run) at(dir string) *run {
	other := *r
	other.dir = dir
	return &other
}

func (r *run) write(path, text string) {
	path = filepath.Join(r.dir, path)
	require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(r, os.WriteFile(path, []byte(text), 0o700))
}

// command is a program in a state directory of its own, so that no other one of this machine counts.
func (r *run) command(state string, command ...string) *exec.Cmd {
	cmd := exec.CommandContext(r.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = cmp.Or(r.dir, r.TempDir()), append(append(os.Environ(), "XDG_STATE_HOME="+state, "HANDOFF_STORE="), r.env...)
	return cmd
}

// agent starts handoff for an agent.
func (r *run) agent(state, program, name string) *process {
	p := r.start(state, program, "mcp", "--workspace", "figures", "--agent", name).hello()
	p.agent = name
	return p
}

// start starts a server.
func (r *run) start(state string, command ...string) *process {
	cmd := r.command(state, command...)
	in, err := cmd.StdinPipe()
	require.NoError(r, err)
	out, err := cmd.StdoutPipe()
	require.NoError(r, err)
	require.NoError(r, cmd.Start())
	return &process{run: r, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// ask makes one request and waits for the response.
func (p *process) ask(method, params string) string {
	p.request(method, params)
	return p.answer()
}

func (p *process) request(method, params string) {
	p.n++
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", p.n, method, params)
	require.NoError(p, err)
}

func (p *process) answer() string {
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

// Fields of the processor times of a process, and of its children that have ended.
const ofProgram, ofChildren = 11, 13

// busy is how long a process or its children were on a processor so far.
func (p *process) busy(of int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	require.NoError(p, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	ticks := 0
	for _, field := range fields[of : of+2] { // of the program, and of the kernel for it
		n, err := strconv.Atoi(field)
		require.NoError(p, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // there are 100 in a second
}

// read reads all of a handoff.
func (p *process) read(id string) schemas.GetOut {
	var answer struct {
		Result struct{ StructuredContent schemas.GetOut }
	}
	line := p.call(fmt.Sprintf(`{"name":"get_handoff","arguments":{"handoff_id":%q,"view":"full","max_tokens":100000}}`, id))
	require.NoError(p, json.Unmarshal([]byte(line), &answer))
	return answer.Result.StructuredContent
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
