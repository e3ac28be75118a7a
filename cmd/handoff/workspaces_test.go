package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/tools/relay"
)

func (p home) dir(name string) string { return filepath.Join(p.state, "handoff", name) }

func TestAnOpenWorkspaceIsShownAndLeftAlone(t *testing.T) {
	p := newHome(t)
	s := p.serve("--agent", "reviewer")
	s.ask("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	pid := s.cmd.Process.Pid

	shown := p.must("where")
	require.Regexp(t, fmt.Sprintf(`(?m)^owner: pid %d, handoff \S+, for \d+s$`, pid), shown)
	require.Contains(t, p.must("where", "--json"), fmt.Sprintf(`"owner":{"pid":%d,"version":"`, pid))
	require.Regexp(t, fmt.Sprintf(`(?m)^w\t.*\t%d\t`, pid), p.must("workspace", "list"))

	code, _, errs := p.run("workspace", "remove", "w", "--force")
	require.Equal(t, 5, code)
	require.Contains(t, errs, fmt.Sprintf("workspace w is open in another process: pid %d, handoff ", pid))
	code, _, errs = p.here("workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, fmt.Sprintf("pid %d", pid))

	require.NoError(t, s.in.Close())
	require.Zero(t, s.ended(), "%s", s.said())
	require.Contains(t, p.must("where"), "owner: none\n")
	p.must("workspace", "remove", "w", "--force")
	require.NoDirExists(t, p.dir("w"))
}

// here runs a command for the project that is the state directory itself.
func (p home) here(args ...string) (code int, out, errs string) {
	p.t.Helper()
	return execute(p.t.Context(), cli.Env{Cwd: p.state}, with(p.state, nil), args...)
}

func TestAProjectThatIsStillThereKeepsItsWorkspace(t *testing.T) {
	p := newHome(t)
	p.must("send", "qa", "Test it", "--agent", "dev")
	project := t.TempDir()
	require.NoError(t, workspace.Remember(workspace.Workspace{Name: "w", Dir: p.dir("w"), Project: project}))
	code, _, errs := p.here("workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, "w belongs to "+project+", which is still there\n")
	require.Contains(t, errs, "--workspace w")
	require.DirExists(t, p.dir("w"))

	require.NoError(t, os.Remove(project))
	_, out, _ := p.here("workspace", "list")
	require.Contains(t, out, project+" (gone)\n")
	code, _, errs = p.here("workspace", "adopt", "w")
	require.Zero(t, code, errs)
	require.NoDirExists(t, p.dir("w"))
	code, _, errs = p.here("show", "1")
	require.Zero(t, code, errs)
}

func TestAWorkspaceIsTakenFromAProjectByForce(t *testing.T) {
	p := newHome(t)
	p.must("send", "qa", "Test it", "--agent", "dev")
	require.NoError(t, workspace.Remember(workspace.Workspace{Name: "w", Dir: p.dir("w"), Project: t.TempDir()}))
	code, _, errs := p.here("workspace", "adopt", "w", "--force")
	require.Zero(t, code, errs)
	code, _, errs = p.here("workspace", "adopt", filepath.Base(p.only()))
	require.Equal(t, 5, code)
	require.Contains(t, errs, "is the workspace of this project already")
}

// A server that nobody called leaves a directory without a store.
func TestAWorkspaceThatHoldsNothingMakesRoom(t *testing.T) {
	p := newHome(t)
	p.must("send", "qa", "Test it", "--agent", "dev")
	place, err := workspace.Find(workspace.Config{Cwd: p.state, Getenv: func(name string) string {
		return map[string]string{"XDG_STATE_HOME": p.state}[name]
	}})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(place.Dir, 0o700))
	for _, name := range []string{"handoff.here", "project.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(place.Dir, name), nil, 0o600))
	}

	release, err := relay.Lock(place.Dir)
	require.NoError(t, err)
	code, _, errs := p.here("workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, "workspace "+place.Name+" is open in another process")
	require.NoError(t, release())

	foreign := filepath.Join(place.Dir, "letter.txt")
	require.NoError(t, os.WriteFile(foreign, nil, 0o600))
	code, _, errs = p.here("workspace", "adopt", "w")
	require.Equal(t, 5, code)
	require.Contains(t, errs, "handoff did not make letter.txt")
	require.NoError(t, os.Remove(foreign))

	code, _, errs = p.here("workspace", "adopt", "w")
	require.Zero(t, code, errs)
	require.Equal(t, place.Dir, p.only())
	code, _, errs = p.here("show", "1")
	require.Zero(t, code, errs)
}

// only is the directory of the only workspace.
func (p home) only() string {
	p.t.Helper()
	all, err := filepath.Glob(p.dir("*"))
	require.NoError(p.t, err)
	require.Len(p.t, all, 1)
	return all[0]
}
