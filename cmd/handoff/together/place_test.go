//go:build unix

package together_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// A place is a workspace with a state directory of its own, for processes to share.
type place struct {
	t       testing.TB
	ctx     context.Context // done a little before the tests have to end, so that processes do first
	program string
	state   string // XDG_STATE_HOME
	logs    string // standard error of processes
	home    string
	cwd     string
	env     []string // additional variables
}

// newPlace makes a place whose workspace is named w.
func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{
		t: t, program: made.Program(t), ctx: inTime(t),
		state: t.TempDir(), logs: t.TempDir(), home: t.TempDir(), cwd: t.TempDir(), env: []string{"HANDOFF_WORKSPACE=w"},
	}
	t.Cleanup(p.readLogs)
	return p
}

// inTime is a context that ends some seconds before the test would be ended from outside.
func inTime(t testing.TB) context.Context {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return t.Context()
	}
	end, ok := limited.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(-5*time.Second))
	t.Cleanup(cancel)
	return ctx
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.ctx, p.program, args...)
	cmd.Dir = p.cwd
	cmd.Env = append([]string{"XDG_STATE_HOME=" + p.state, "HOME=" + p.home, "PATH=" + os.Getenv("PATH")}, p.env...)
	return cmd
}

// start starts a process and opens the conversation.
func (p *place) start(args ...string) *process {
	p.t.Helper()
	s, err := p.open(args...)
	require.NoError(p.t, err)
	return s
}

// open is start for goroutines.
func (p *place) open(args ...string) (*process, error) {
	s, err := p.begin(args...)
	if err != nil {
		return nil, err
	}
	return s, s.greet(p.ctx, "test")
}

// several starts processes one after the other, as agents with these names.
func (p *place) several(agents ...string) (all []*process) {
	p.t.Helper()
	for _, agent := range agents {
		s := p.start("--agent", agent)
		s.agent = agent
		all = append(all, s)
	}
	return all
}

// ran is the result of a command.
type ran struct {
	code      int
	out, errs string
	took      time.Duration
}

// run runs a command as a process of its own.
func (p *place) run(args ...string) ran {
	cmd := p.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	r := ran{out: stdout.String(), errs: stderr.String(), took: time.Since(began)}
	if cmd.ProcessState == nil {
		r.code, r.errs = -1, err.Error()
		return r
	}
	r.code = cmd.ProcessState.ExitCode()
	return r
}

// must runs a command that has to succeed.
func (p *place) must(args ...string) ran {
	p.t.Helper()
	r := p.run(args...)
	require.Zero(p.t, r.code, "%v: %s%s", args, r.out, r.errs)
	return r
}

// verify has the whole registry checked.
func (p *place) verify() (out schemas.AuditOut) {
	p.t.Helper()
	r := p.must("audit", "verify", "--json")
	require.NoError(p.t, json.Unmarshal([]byte(r.out), &out))
	require.True(p.t, out.OK, r.out)
	return out
}

// dir is where the files of the workspace are; there is one.
func (p *place) dir() string {
	p.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(p.state, "handoff", "*"))
	require.NoError(p.t, err)
	require.Len(p.t, dirs, 1)
	return dirs[0]
}

// stored is how many bytes of the store's file are on the disk.
func (p *place) stored() int64 {
	p.t.Helper()
	var s syscall.Stat_t
	require.NoError(p.t, syscall.Stat(filepath.Join(p.dir(), "handoff.db"), &s))
	return s.Blocks * 512
}

// owner is the id of the process that says it owns the store, zero if none does.
func (p *place) owner() int {
	dirs, _ := filepath.Glob(filepath.Join(p.state, "handoff", "*", "owner.json"))
	if len(dirs) != 1 {
		return 0
	}
	text, err := os.ReadFile(dirs[0])
	var note struct{ PID int }
	if err != nil || json.Unmarshal(text, &note) != nil {
		return 0
	}
	return note.PID
}

// parted splits processes into the one that owns the store and the rest.
func (p *place) parted(all []*process) (owner *process, others []*process) {
	p.t.Helper()
	pid := p.owner()
	for _, s := range all {
		if s.pid == pid {
			owner = s
		} else {
			others = append(others, s)
		}
	}
	require.NotNil(p.t, owner, "owner.json names process %d, which is none of ours", pid)
	return owner, others
}

// readLogs looks for text that no process may ever log, and shows all logs of a failed test.
func (p *place) readLogs() {
	paths, _ := filepath.Glob(filepath.Join(p.logs, "*"))
	more, _ := filepath.Glob(filepath.Join(p.state, "handoff", "*", "*.log"))
	for _, path := range append(paths, more...) {
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			continue
		}
		for _, bug := range []string{"panic", "DATA RACE", "fatal error"} {
			if bytes.Contains(text, []byte(bug)) {
				p.t.Errorf("a process logged %q", bug)
			}
		}
		if p.t.Failed() {
			p.t.Logf("%s:\n%s", filepath.Base(path), text[max(0, len(text)-2000):])
		}
	}
}
