//go:build unix

package onevent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/onevent"
	"handoff/tools/platform"
)

func openTold(t *testing.T, dir string) *onevent.Told {
	t.Helper()
	told, err := onevent.OpenTold(dir)
	require.NoError(t, err)
	return told
}

func TestTold_KnowsOverRestartsWhatWasToldAndNotWhatFailed(t *testing.T) {
	b := newBench(t, `test "$WHAT" = good && test -z "$HANDOFF_NEED_CLAIM" && cat`)
	told := openTold(t, b.Dir)
	_, err := onevent.OpenTold(b.Dir)
	require.ErrorIs(t, err, platform.ErrLocked)
	require.NoError(t, told.Tell(t.Context(), b.Command, "one", []string{"WHAT=good"}, []byte("text\n")))
	require.EqualError(t, told.Tell(t.Context(), b.Command, "two", []string{"WHAT=bad"}, nil), "exit status 1")
	require.NoError(t, told.Close())
	require.Equal(t, "text\n", b.out.String())

	told = openTold(t, b.Dir)
	require.True(t, told.Knows("one"))
	require.False(t, told.Knows("two"))
	require.NoError(t, told.Keep([]string{"two"}))
	require.NoError(t, told.Close())
	require.False(t, openTold(t, b.Dir).Knows("one"))
	left, err := filepath.Glob(filepath.Join(b.Dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(b.Dir, "handoff.told"), filepath.Join(b.Dir, "handoff.told.lock")}, left)
}

// The process was killed after it wrote down what it was about to tell.
func TestTold_FindsOutWhetherACommandBegan(t *testing.T) {
	for _, began := range []bool{true, false} {
		b := newBench(t, "cat")
		text, err := json.Marshal(map[string]any{"told": []string{"before"}, "next": "one", "claim": "X"})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(b.Dir, onevent.ToldFile), text, 0o600))
		claim := filepath.Join(b.Dir, onevent.ToldFile+".claim-X")
		if began {
			require.NoError(t, os.WriteFile(claim, nil, 0o600))
		}
		told := openTold(t, b.Dir)
		require.True(t, told.Knows("before"))
		require.Equal(t, began, told.Knows("one"))
		require.FileExists(t, claim, "a shell that is still on its way does not begin")
		require.NoError(t, told.Close())
		require.Equal(t, began, openTold(t, b.Dir).Knows("one"))
	}
}

func TestTold_RefusesAFileThatSaysNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, onevent.ToldFile), []byte("{"), 0o600))
	_, err := onevent.OpenTold(dir)
	require.ErrorContains(t, err, "handoff.told cannot be read")
}
