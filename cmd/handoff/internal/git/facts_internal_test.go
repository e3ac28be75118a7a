package git

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The time limit is for answers that git still looks for, and not for those that are remembered.
func TestFacts_RememberedAnswerHasNoDeadline(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, exec.CommandContext(t.Context(), "git", "-C", dir, "init", "-q").Run())
	r, found := FindRepository(dir, func(string) bool { return false })
	require.True(t, found)
	ask := func() string {
		out, err := r.runFact(t.Context(), nil, "rev-parse", "--git-dir")
		require.NoError(t, err)
		return out
	}
	first := ask()
	facts.mu.Lock()
	for _, f := range facts.known {
		f.began = time.Now().Add(-2 * factPatience)
	}
	facts.mu.Unlock()
	for range 64 {
		require.Equal(t, first, ask())
	}
}
