package place_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestAWorkspaceThatIsOpenIsCompactedWhenItIsOpenedNext(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", strings.Repeat("Test it ", 100), "--agent", "dev")
	s := p.Serve("--agent", "reviewer")
	s.Ask("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	require.Regexp(t, "is open in another process: pid .*; the file is compacted when it is opened next", p.Must("compact"))
	require.FileExists(t, filepath.Join(dir(p, "w"), "handoff.compact"))
	require.NoError(t, s.In.Close())
	require.Zero(t, s.Ended(), "%s", s.Said())

	file := filepath.Join(dir(p, "w"), "handoff.db")
	was, err := os.Stat(file)
	require.NoError(t, err)
	require.Contains(t, p.Must("show", "1"), "Test it")
	is, err := os.Stat(file)
	require.NoError(t, err)
	require.False(t, os.SameFile(was, is), "it is a new file")
	require.NoFileExists(t, filepath.Join(dir(p, "w"), "handoff.compact"))
	require.Contains(t, p.Must("check"), "OK")
}

func TestACompactionThatFailsStaysAskedFor(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	asked, inTheWay := filepath.Join(dir(p, "w"), "handoff.compact"), filepath.Join(dir(p, "w"), "handoff.db.new", "x")
	require.NoError(t, os.WriteFile(asked, nil, 0o600))
	require.NoError(t, os.MkdirAll(inTheWay, 0o700))
	require.Contains(t, p.Must("list"), "ho_1")
	require.Contains(t, p.Must("where"), "it waits to be compacted, which failed")
	require.NoError(t, os.Remove(inTheWay))
	require.Contains(t, p.Must("compact"), "compacted")
	require.NoFileExists(t, asked)
}

func TestWhatAKilledCommandLeftBesideTheStoreIsRemoved(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	for _, end := range []string{"new", "old", "restoring"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir(p, "w"), "handoff.db."+end), []byte("half"), 0o600))
	}
	p.Must("list")
	left, err := filepath.Glob(filepath.Join(dir(p, "w"), "handoff.db*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir(p, "w"), "handoff.db")}, left)
}
