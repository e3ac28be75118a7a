package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/bolt/byhand"
	"handoff/store/memory"
)

// built compiles a program as it is released.
func built(b *testing.B, pkg string) string {
	to := filepath.Join(b.TempDir(), filepath.Base(pkg))
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", to, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
	return to
}

// child is a server on stdio.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	n   int
}

func start(b *testing.B, state string, command ...string) *child {
	cmd := exec.CommandContext(b.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	return &child{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

func (c *child) ask(method, params string) (string, error) {
	c.n++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.n, method, params); err != nil {
		return "", err
	}
	return c.out.ReadString('\n')
}

func (c *child) hello(b *testing.B) {
	_, err := c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	require.NoError(b, err)
	_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(b, err)
}

func (c *child) end(b *testing.B) {
	require.NoError(b, c.in.Close())
	_, err := io.Copy(io.Discard, c.out)
	require.NoError(b, err)
	require.NoError(b, c.cmd.Wait())
}

func middle[T int64 | float64 | time.Duration](v []T) T {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkStart measures from starting the process to an answered tools/list, beside a server without
// tools and without a store: in no project, and in one whose rules a process before it declared.
func BenchmarkStart(b *testing.B) {
	ours, empty := built(b, "handoff/cmd/handoff"), built(b, "handoff/cmd/handoff/testdata/empty")
	rules, err := os.ReadFile(filepath.Join("..", "..", "examples", "rules", "agents.yaml"))
	require.NoError(b, err)
	project := b.TempDir()
	require.NoError(b, os.MkdirAll(filepath.Join(project, ".git"), 0o700))
	require.NoError(b, os.MkdirAll(filepath.Join(project, ".handoff"), 0o700))
	require.NoError(b, os.WriteFile(filepath.Join(project, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	require.NoError(b, os.WriteFile(filepath.Join(project, ".handoff", "agents.yaml"), rules, 0o600))
	for name, dir := range map[string]string{"plain": b.TempDir(), "rules": project} {
		b.Run(name, func(b *testing.B) {
			state := b.TempDir()
			once := func(command ...string) time.Duration {
				began := time.Now()
				c := start(b, state, command...)
				c.hello(b)
				line, err := c.ask("tools/list", "{}")
				require.NoError(b, err)
				took := time.Since(began)
				require.Contains(b, line, `"tools"`)
				c.end(b)
				return took
			}
			var mine, theirs []time.Duration
			once(ours, "mcp", "--workspace", "bench", "--dir", dir)
			for b.Loop() {
				mine = append(mine, once(ours, "mcp", "--workspace", "bench", "--dir", dir))
				theirs = append(theirs, once(empty))
			}
			b.ReportMetric(float64(middle(mine).Microseconds())/1000, "ms")
			b.ReportMetric(float64(middle(theirs).Microseconds())/1000, "empty-ms")
			b.ReportMetric(float64(middle(mine))/float64(middle(theirs)), "x-empty")
		})
	}
}

var twoKB = strings.Repeat("abcdefgh", 256)

// BenchmarkDurableSend measures a send of 2 KB through stdio, beside one raw bbolt commit of the same keys
// and bytes.
func BenchmarkDurableSend(b *testing.B) {
	program := built(b, "handoff/cmd/handoff")
	commits := recordSends(b, max(b.N, 10))
	raw, err := byhand.Open(filepath.Join(b.TempDir(), "raw.db"))
	require.NoError(b, err)
	c := start(b, b.TempDir(), program, "mcp", "--workspace", "bench", "--agent", "planner")
	c.hello(b)
	var mine, theirs []time.Duration
	for n := range max(b.N, 10) {
		began := time.Now()
		line, err := c.ask("tools/call", fmt.Sprintf(`{"name":"send_handoff","arguments":{"to":"qa","task":"task %d","detail":%q}}`, n, twoKB))
		mine = append(mine, time.Since(began))
		require.NoError(b, err)
		require.Contains(b, line, "ho_")
		began = time.Now()
		require.NoError(b, raw.Commit(commits[n]))
		theirs = append(theirs, time.Since(began))
	}
	c.end(b)
	require.NoError(b, raw.Close())
	b.ReportMetric(float64(middle(mine).Microseconds()), "p50-µs")
	b.ReportMetric(float64(middle(theirs).Microseconds()), "raw-p50-µs")
	b.ReportMetric(float64(middle(mine))/float64(middle(theirs)), "x-raw")
}

func recordSends(b *testing.B, n int) []byhand.Transaction {
	r := byhand.Record(memory.New())
	s := service(r)
	by := schemas.Caller{Agent: "planner", AgentID: "bench", Via: schemas.ViaStdio, Conn: "conn_bench"}
	for i := range n {
		by.Request = fmt.Sprintf("%016x%016x", time.Now().UnixMilli(), i)
		_, err := s.Send(b.Context(), by, schemas.SendIn{To: "qa", Task: fmt.Sprintf("task %d", i), Detail: twoKB})
		require.NoError(b, err)
	}
	return r.Transactions()
}

func service(backend store.Backend) *mailbox.Service {
	var ids atomic.Int64
	return mailbox.New(mailbox.Config{
		Store: store.New(backend), Now: time.Now, Limits: schemas.Limits{Mailbox: 1_000_000},
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%026d", prefix, ids.Add(1)) },
	})
}

// BenchmarkMemory measures the anonymous memory of the process with 100,000 handoffs stored: idle after the
// start, and at its highest under 8 calls at a time. The mapped file is the kernel's and is not counted.
func BenchmarkMemory(b *testing.B) {
	stored, _ := strconv.Atoi(os.Getenv("HANDOFF_BENCH_STORED"))
	if stored == 0 {
		stored = 2_000 // the figure of the documents is made with 100,000
	}
	program, state := built(b, "handoff/cmd/handoff"), b.TempDir()
	fill(b, filepath.Join(state, "handoff", "bench", "handoff.db"), stored)
	c := start(b, state, program, "mcp", "--workspace", "bench", "--agent", "planner")
	c.hello(b)
	_, err := c.ask("tools/list", "{}")
	require.NoError(b, err)
	idle := anonymous(b, c.cmd.Process.Pid)
	highest := idle
	for range max(b.N, 500) / 8 {
		for i := range 8 {
			c.n++
			call := `{"name":"send_handoff","arguments":{"to":"qa","task":"x","detail":"` + twoKB + `"}}`
			if i%2 == 1 {
				call = `{"name":"list_handoffs","arguments":{"box":"all","limit":50}}`
			}
			_, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", c.n, call)
			require.NoError(b, err)
		}
		for range 8 {
			_, err := c.out.ReadString('\n')
			require.NoError(b, err)
		}
		highest = max(highest, anonymous(b, c.cmd.Process.Pid))
	}
	c.end(b)
	b.ReportMetric(float64(idle)/1024, "idle-MB")
	b.ReportMetric(float64(highest)/1024, "load-MB")
	b.ReportMetric(float64(stored), "stored")
}

// fill stores handoffs, some open and most completed.
func fill(b *testing.B, path string, n int) {
	backend, err := bolt.Open(b.Context(), bolt.Config{Path: path})
	require.NoError(b, err)
	s := service(backend)
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := life(b.Context(), s, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	require.NoError(b, s.Store.Close())
}

func life(ctx context.Context, s *mailbox.Service, i int) error {
	from := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("planner-%d", i)), Via: schemas.ViaHTTP}
	to := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("worker-%d", i)), Via: schemas.ViaHTTP}
	if _, err := s.Send(ctx, from, schemas.SendIn{To: string(to.Agent), Task: "run the tests", Detail: twoKB}); err != nil {
		return err
	}
	claim, err := s.Claim(ctx, to, schemas.ClaimIn{})
	if err != nil {
		return err
	}
	_, err = s.Complete(ctx, to, schemas.CompleteIn{HandoffID: claim.HandoffID.String(), Token: claim.Token, Result: schemas.Result{Summary: "passed"}})
	return err
}

// anonymous is RssAnon of a process in KB.
func anonymous(b *testing.B, pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("there is no /proc here")
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(b, err)
	return kb
}
