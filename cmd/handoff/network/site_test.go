//go:build unix

package network_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// A site is a workspace with a state directory of its own.
type site struct {
	t       testing.TB
	ctx     context.Context // done when the test has taken far too long
	program string
	state   string // XDG_STATE_HOME
	cwd     string
	env     []string
}

// patience is how long any test may take.
const patience = 8 * time.Minute

// newSite makes a site whose workspace is named w. More goes to the environment of its processes.
func newSite(t testing.TB, more ...string) *site {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	s := &site{t: t, ctx: ctx, program: made.Program(t), state: t.TempDir(), cwd: t.TempDir()}
	s.env = append([]string{
		"XDG_STATE_HOME=" + s.state, "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "HANDOFF_WORKSPACE=w",
		"GORACE=atexit_sleep_ms=0", // or a program with the race detector takes a second longer to end
	}, more...)
	return s
}

func (s *site) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Dir, cmd.Env = s.cwd, s.env
	return cmd
}

// run runs a command to its end.
func (s *site) run(args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	cmd := s.command(s.ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	require.NotNil(s.t, cmd.ProcessState, "%v", err)
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// must runs a command that has to succeed, and returns its output.
func (s *site) must(args ...string) string {
	s.t.Helper()
	code, out, errs := s.run(args...)
	require.Zero(s.t, code, "%v: %s%s", args, out, errs)
	return out
}

// token adds a token that may act as some agents, and gives its secret.
func (s *site) token(name, agents string, more ...string) (secret string) {
	s.t.Helper()
	return strings.TrimSpace(s.must(append([]string{"token", "add", name, "--agents", agents}, more...)...))
}

// verify has the whole registry checked.
func (s *site) verify() (out schemas.AuditOut) {
	s.t.Helper()
	text := s.must("audit", "verify", "--json")
	require.NoError(s.t, json.Unmarshal([]byte(text), &out))
	require.True(s.t, out.OK, text)
	return out
}

// dir is where the files of the workspace are.
func (s *site) dir() string { return filepath.Join(s.state, "handoff", "w") }

// owner is the id of the process that says it owns the store, zero if none does.
func (s *site) owner() int {
	var note struct{ PID int }
	text, err := os.ReadFile(filepath.Join(s.dir(), "owner.json"))
	if err != nil || json.Unmarshal(text, &note) != nil {
		return 0
	}
	return note.PID
}
