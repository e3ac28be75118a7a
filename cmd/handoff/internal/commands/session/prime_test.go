package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// Nothing collects the files yet, and nobody is left to think that something does: they are sent by hand, as help shows.
func TestPrimeShowsFilesThatSendTakes(t *testing.T) {
	t.Parallel()
	d := commandtest.NewDesk(t)
	printed, help := d.Must("", "prime", "--files"), d.Must("", "prime", "--help")
	for _, text := range []string{printed, help} {
		require.Contains(t, strings.Join(strings.Fields(text), " "), "handoff does not collect it by itself yet")
	}

	_, rest, found := strings.Cut(printed, "\n    {\n")
	require.True(t, found)
	object, _, found := strings.Cut(rest, "\n    }\n")
	require.True(t, found)
	file := filepath.Join(t.TempDir(), "handoff.json")
	require.NoError(t, os.WriteFile(file, []byte("{\n"+object+"\n}\n"), 0o600))

	const shown = `handoff send qa "Go on" --agent dev --file /tmp/kelos-handoff.json`
	require.Contains(t, help, shown)
	d.Must("", "send", "qa", "Go on", "--agent", "dev", "--file", file)
	sent := d.Must("", "show", "1", "--full")
	require.Contains(t, sent, `"root_cause_line": "42"`)
	require.Contains(t, sent, "What you did and what comes next")
}
