package place_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/tools/relay"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

func workspaceDir(p commandtest.Home, name string) string {
	return filepath.Join(p.State, "handoff", name)
}

func TestWorkspace_OpenOneIsShownAndNotRemoved(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer("--agent", "reviewer")
	s.Request("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	pid := s.Cmd.Process.Pid

	shown := p.Must("where")
	require.Regexp(t, fmt.Sprintf(`(?m)^owner: pid %d, handoff \S+, for \d+s$`, pid), shown)
	require.Contains(t, p.Must("where", "--json"), fmt.Sprintf(`"owner":{"pid":%d,"version":"`, pid))
	require.Regexp(t, fmt.Sprintf(`(?m)^w\t.*\t%d\t`, pid), p.Must("workspace", "list"))

	requireRefused(p, fmt.Sprintf("workspace w is open in another process: pid %d, handoff ", pid), "workspace", "remove", "w", "--force")
	code, _, errs := runInProject(p, "workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, fmt.Sprintf("pid %d", pid))

	s.CloseInput()
	require.Contains(t, p.Must("where"), "owner: none\n")
	p.Must("workspace", "remove", "w", "--force")
	require.NoDirExists(t, workspaceDir(p, "w"))
}

// requireRefused runs a command that has to end with status 5 and a reason.
func requireRefused(p commandtest.Home, reason string, args ...string) {
	p.T.Helper()
	code, _, errs := p.Run(args...)
	require.Equal(p.T, 5, code, errs)
	require.Contains(p.T, errs, reason)
}

// runInProject runs a command for the project in the state directory.
func runInProject(p commandtest.Home, args ...string) (code int, out, errs string) {
	p.T.Helper()
	return commandtest.Execute(p.T.Context(), cli.Env{Cwd: p.State}, commandtest.StateVars(p.State, nil), args...)
}

func TestAdopt_RefusesWorkspaceOfExistingProject(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	project := t.TempDir()
	require.NoError(t, workspace.RecordProject(workspace.Workspace{Name: "w", Dir: workspaceDir(p, "w"), Project: project}))
	code, _, errs := runInProject(p, "workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, "w belongs to "+project+", which is still there\n")
	require.Contains(t, errs, "--workspace w")
	require.DirExists(t, workspaceDir(p, "w"))

	require.NoError(t, os.Remove(project))
	_, out, _ := runInProject(p, "workspace", "list")
	require.Contains(t, out, project+" (gone)\n")
	code, _, errs = runInProject(p, "workspace", "adopt", "w")
	require.Zero(t, code, errs)
	require.NoDirExists(t, workspaceDir(p, "w"))
	code, _, errs = runInProject(p, "show", "1")
	require.Zero(t, code, errs)
}

func TestAdopt_WithForceTakesWorkspace(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	require.NoError(t, workspace.RecordProject(workspace.Workspace{Name: "w", Dir: workspaceDir(p, "w"), Project: t.TempDir()}))
	code, _, errs := runInProject(p, "workspace", "adopt", "w", "--force")
	require.Zero(t, code, errs)
	code, _, errs = runInProject(p, "workspace", "adopt", filepath.Base(onlyWorkspaceDir(p)))
	require.Equal(t, 5, code)
	require.Contains(t, errs, "is the workspace of this project already")
}

// A server without a call leaves a directory without a store.
func TestAdopt_ReplacesUnusedWorkspace(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	ws, err := workspace.Find(workspace.Config{Cwd: p.State, Getenv: func(name string) string {
		return map[string]string{"XDG_STATE_HOME": p.State}[name]
	}})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(ws.Dir, 0o700))
	for _, name := range []string{"handoff.here", "project.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(ws.Dir, name), nil, 0o600))
	}

	release, err := relay.LockWorkspace(ws.Dir)
	require.NoError(t, err)
	code, _, errs := runInProject(p, "workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, "workspace "+ws.Name+" is open in another process")
	require.NoError(t, release())

	foreign := filepath.Join(ws.Dir, "letter.txt")
	require.NoError(t, os.WriteFile(foreign, nil, 0o600))
	code, _, errs = runInProject(p, "workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, "handoff did not make letter.txt")
	require.NoError(t, os.Remove(foreign))

	code, _, errs = runInProject(p, "workspace", "adopt", "w")
	require.Zero(t, code, errs)
	require.Equal(t, ws.Dir, onlyWorkspaceDir(p))
	code, _, errs = runInProject(p, "show", "1")
	require.Zero(t, code, errs)
}

// onlyWorkspaceDir returns the directory of the only workspace.
func onlyWorkspaceDir(p commandtest.Home) string {
	p.T.Helper()
	all, err := filepath.Glob(workspaceDir(p, "*"))
	require.NoError(p.T, err)
	require.Len(p.T, all, 1)
	return all[0]
}
