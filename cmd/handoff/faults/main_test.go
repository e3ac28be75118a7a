//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/bolt"
)

// made is where the program comes from.
var made = programtest.New()

func TestMain(m *testing.M) { os.Exit(made.RunProofs(m)) }

// home is a state directory, whose workspace is w.
type home struct {
	*testing.T
	program, state string
}

// newHome makes a handoff in each state that the commands below need. Tests name them by number.
func newHome(t *testing.T) home {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("without strace no system call can be failed")
	}
	h := home{t, made.Program(t), t.TempDir()}
	approvals := filepath.Join(h.state, ".config", "handoff", "approvals") // a person is not asked, where there is no terminal
	require.NoError(t, os.MkdirAll(filepath.Dir(approvals), 0o700))
	require.NoError(t, os.WriteFile(approvals, []byte("*\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(h.state, "project"), 0o700))
	for range 4 {
		h.must("send", "qa", "Test it", "--detail", strings.Repeat("x", 3000), "--agent", "dev")
	}
	h.must("claim", "1", "--agent", "qa")
	h.must("claim", "2", "--agent", "qa")
	h.must("complete", "2", "--summary", "passed", "--agent", "qa")
	return h
}

// copied is the same home somewhere else.
func (h home) copied() home {
	h.Helper()
	to := home{h.T, h.program, filepath.Join(h.TempDir(), "state")}
	require.NoError(h, os.CopyFS(to.state, os.DirFS(h.state)))
	if exists(to.file()) {
		require.NoError(h, os.Chmod(to.file(), 0o600))
	}
	return to
}

func (h home) file() string { return filepath.Join(h.state, "handoff", "w", "handoff.db") }

// ran is the result of a process. Code is -1 if a signal ended it.
type ran struct {
	code      int
	out, errs string
}

// run runs handoff below a prefix, empty or strace.
func (h home) run(below []string, args ...string) ran {
	h.Helper()
	cmd := h.command(slices.Concat(below, []string{h.program}, args)...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		require.NoError(h, err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func (h home) command(line ...string) *exec.Cmd {
	cmd := exec.CommandContext(h.Context(), line[0], line[1:]...)
	cmd.Dir = filepath.Join(h.state, "project")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.state, "XDG_STATE_HOME=" + h.state, "HANDOFF_WORKSPACE=w"}
	return cmd
}

func (h home) must(args ...string) {
	h.Helper()
	have := h.run(nil, args...)
	require.Zero(h, have.code, "%v: %s%s", args, have.out, have.errs)
}

// events returns the registry, without times. The store has to be sound.
func (h home) events() (all []string) {
	h.Helper()
	return eventsIn(h.T, h.file())
}

func eventsIn(t *testing.T, file string) (all []string) {
	t.Helper()
	backend, err := bolt.Open(t.Context(), bolt.Config{Path: file})
	require.NoError(t, err)
	s := store.New(backend)
	defer func() { require.NoError(t, s.Close()) }()
	ctx := context.WithoutCancel(t.Context())
	out, err := audit.ExamineStore(ctx, s, nil)
	require.NoError(t, err)
	require.True(t, out.OK, "%v", out.Faults)
	require.NoError(t, s.View(ctx, func(v *store.View) error {
		for e, err := range v.EventsAfter(0) {
			require.NoError(t, err)
			all = append(all, fmt.Sprintf("%s %s by %s", e.Handoff, e.Action, e.Agent))
		}
		return nil
	}))
	return all
}
