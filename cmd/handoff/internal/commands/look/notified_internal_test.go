//go:build unix

package look

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/tools/platform"
)

func reopenRecord(t *testing.T, dir string) *commandRecord {
	t.Helper()
	told, err := openCommandRecord(dir)
	require.NoError(t, err)
	return told
}

func TestCommandRecord_KeepsSuccessesOverRestarts(t *testing.T) {
	b := newCommandBench(t, `test "$WHAT" = good && test -z "$HANDOFF_NEED_CLAIM" && cat`)
	told := reopenRecord(t, b.Dir)
	_, err := openCommandRecord(b.Dir)
	require.ErrorIs(t, err, platform.ErrLocked)
	require.NoError(t, told.run(t.Context(), b.needCommand, "one", []string{"WHAT=good"}, []byte("text\n")))
	require.EqualError(t, told.run(t.Context(), b.needCommand, "two", []string{"WHAT=bad"}, nil), "exit status 1")
	require.NoError(t, told.Close())
	require.Equal(t, "text\n", b.out.String())

	told = reopenRecord(t, b.Dir)
	require.True(t, told.hasRunFor("one"))
	require.False(t, told.hasRunFor("two"))
	require.NoError(t, told.keepOnlyConcerns([]string{"two"}))
	require.NoError(t, told.Close())
	require.False(t, reopenRecord(t, b.Dir).hasRunFor("one"))
	left, err := filepath.Glob(filepath.Join(b.Dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(b.Dir, "handoff.told"), filepath.Join(b.Dir, "handoff.told.lock")}, left)
}

// The process was killed after it stored the next concern in the record.
func TestCommandRecord_FindsWhetherCommandStarted(t *testing.T) {
	for _, began := range []bool{true, false} {
		b := newCommandBench(t, "cat")
		text, err := json.Marshal(map[string]any{"told": []string{"before"}, "next": "one", "claim": "X"})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(b.Dir, workspace.NotifiedFile), text, 0o600))
		claim := filepath.Join(b.Dir, workspace.NotifiedFile+".claim-X")
		if began {
			require.NoError(t, os.WriteFile(claim, nil, 0o600))
		}
		told := reopenRecord(t, b.Dir)
		require.True(t, told.hasRunFor("before"))
		require.Equal(t, began, told.hasRunFor("one"))
		require.FileExists(t, claim, "a shell that is still on its way does not begin")
		require.NoError(t, told.Close())
		require.Equal(t, began, reopenRecord(t, b.Dir).hasRunFor("one"))
	}
}

func TestCommandRecord_RefusesBrokenFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, workspace.NotifiedFile), []byte("{"), 0o600))
	_, err := openCommandRecord(dir)
	require.ErrorContains(t, err, "handoff.told cannot be read")
}
