package doctor_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/tools"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// A world is a machine without clients, with a home and a project.
type world struct {
	t     *testing.T
	vars  map[string]string
	bench doctor.ClientEnv
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, vars: map[string]string{"PATH": filepath.Join(dir, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME": filepath.Join(dir, "home")}}
	w.bench = doctor.ClientEnv{
		Machine: client.Machine{
			Getenv: func(name string) string { return w.vars[name] }, Home: w.vars["HOME"], Project: filepath.Join(dir, "project"), OS: "linux",
		},
		CommandBuilder: doctor.CommandBuilder{Program: doctor.InstalledProgram{Path: filepath.Join(dir, "bin", "handoff"), Version: "v1.0.0"}},
		Web:            http.DefaultClient, Timeout: 5 * time.Second,
	}
	require.NoError(t, os.MkdirAll(w.bench.Machine.Project, 0o700))
	return w
}

// write writes a file below the home directory, or one with an absolute path.
func (w *world) write(path, text string) string {
	w.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.bench.Machine.Home, path)
	}
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

func (w *world) examine(name string) []doctor.Finding {
	w.t.Helper()
	c, known := client.ByName(name)
	require.True(w.t, known, name)
	w.find()
	return doctor.ExamineClient(w.t.Context(), c, w.bench)
}

// find searches for the program again.
func (w *world) find() {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("the programs here are scripts of sh")
	}
	w.bench.Program = doctor.FindProgram(w.t.Context(), w.bench.Program.Path, w.bench.Program.Version, w.bench.Machine)
}

// home is a path below the home directory.
func (w *world) home(path string) string { return filepath.Join(w.bench.Machine.Home, path) }

// inProject writes a file of the project.
func (w *world) inProject(path, text string) {
	w.t.Helper()
	w.write(filepath.Join(w.bench.Machine.Project, path), text)
}

// link makes a link below the home directory.
func (w *world) link(to, path string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.home(path)), 0o700))
	require.NoError(w.t, os.Symlink(to, w.home(path)))
}

// hooks is a file with one hook on an event.
func hooks(event, command string) string {
	return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}

// requireRemedy fails unless one of the findings has this message, with exactly this remedy.
func requireRemedy(t *testing.T, all []doctor.Finding, state doctor.Severity, message, remedy string) {
	t.Helper()
	requireFinding(t, all, state, message, remedy)
	i := slices.IndexFunc(all, func(f doctor.Finding) bool { return f.State == state && strings.Contains(f.Message, message) })
	require.Equal(t, remedy, all[i].Remedy)
}

// requireNone fails if the message or the remedy of a finding contains this.
func requireNone(t *testing.T, all []doctor.Finding, message string) {
	t.Helper()
	for _, f := range all {
		require.NotContains(t, f.Message+f.Remedy, message)
	}
}

// requireFinding fails unless one of the findings has this state and this message.
func requireFinding(t *testing.T, all []doctor.Finding, state doctor.Severity, message, remedy string) {
	t.Helper()
	for _, f := range all {
		if f.State == state && strings.Contains(f.Message, message) {
			require.Contains(t, f.Remedy, remedy)
			require.Equal(t, remedy == "", f.Remedy == "", f)
			return
		}
	}
	require.Fail(t, "not found", "%s: %s\nin: %+v", state, message, all)
}

// A box is a workspace whose time the test moves.
type box struct {
	*mailboxtest.World
	t     *testing.T
	boxes tools.Invoker
}

func newBox(t *testing.T) *box {
	t.Helper()
	w := mailboxtest.New(t)
	return &box{w, t, tools.LocalInvoker{Mailbox: w.Service}}
}

// do calls a tool as an agent.
func (b *box) do(agent schemas.Agent, tool, args string) {
	b.t.Helper()
	_, err := b.boxes.Invoke(b.t.Context(), tools.Call{Caller: schemas.Caller{Agent: agent, Via: schemas.ViaCLI}, Tool: tool, Args: []byte(args)})
	require.NoError(b.t, err)
}
