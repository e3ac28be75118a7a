//go:build unix

package together_test

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// TestWorktree_SharesWorkspace starts two processes in a repository at the same moment and one in a
// worktree of it. Nobody names a workspace.
func TestWorktree_SharesWorkspace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.env = nil
	repository, tree := p.repository()

	architect, qa := p.in(repository).both("architect", "qa")
	dev := p.in(tree).start("--agent", "dev")

	_, err := architect.send(p.ctx, schemas.SendIn{To: "dev", Task: "Write the parser", Workflow: "wf_parser"})
	require.NoError(t, err)
	claim, err := dev.claim(p.ctx, schemas.ClaimIn{WaitSeconds: 10})
	require.NoError(t, err)
	require.Equal(t, schemas.Agent("architect"), claim.From)
	_, err = dev.complete(p.ctx, schemas.CompleteIn{
		HandoffID: claim.HandoffID.String(),
		Result: schemas.Result{
			Summary:      "It parses",
			Continuation: &schemas.Continuation{SendIn: schemas.SendIn{To: "qa", Task: "Test the parser"}},
		},
	})
	require.NoError(t, err)
	claim, err = qa.claim(p.ctx, schemas.ClaimIn{WaitSeconds: 10})
	require.NoError(t, err)
	require.Equal(t, schemas.Agent("dev"), claim.From)

	for _, dir := range []string{repository, tree, filepath.Join(repository, ".git")} {
		history := p.in(dir).must("history", "parser").out
		for _, said := range []string{"Write the parser", "Test the parser", "dev", "qa"} {
			require.Contains(t, history, said, dir)
		}
	}
	require.NotEmpty(t, p.dir(), "one workspace")
	endAll(t, []*process{architect, dev, qa})
}

// in is the same place, seen from another directory.
func (p *place) in(dir string) *place {
	there := *p
	there.cwd = dir
	return &there
}

// both starts two processes at the same moment.
func (p *place) both(first, second string) (a, b *process) {
	p.t.Helper()
	var failed, alsoFailed error
	var starts sync.WaitGroup
	starts.Go(func() { a, failed = p.open("--agent", first) })
	starts.Go(func() { b, alsoFailed = p.open("--agent", second) })
	starts.Wait()
	require.NoError(p.t, failed)
	require.NoError(p.t, alsoFailed)
	return a, b
}

// repository makes a repository with a worktree beside it.
func (p *place) repository() (repository, tree string) {
	p.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		p.t.Skip("there is no git here")
	}
	repository, tree = filepath.Join(p.cwd, "repository"), filepath.Join(p.cwd, "tree")
	for _, args := range [][]string{
		{"init", "-q", repository},
		{"-C", repository, "-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "-q", "--allow-empty", "-m", "begin"},
		{"-C", repository, "worktree", "add", "-q", tree},
	} {
		git := exec.CommandContext(p.ctx, "git", args...)
		git.Env = p.command().Env
		out, err := git.CombinedOutput()
		require.NoError(p.t, err, "git %v: %s", args, out)
	}
	return repository, tree
}
