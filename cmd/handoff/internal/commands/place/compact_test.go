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
