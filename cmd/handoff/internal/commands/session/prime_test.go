package session_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// The commands of the instructions collect the file that the instructions name, as help shows.
func TestPrime_FileOfInstructionsIsCollected(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a Unix shell")
	}
	t.Parallel()
	d := commandtest.NewDesk(t)
	printed, help := d.Must("", "prime", "--files"), d.Must("", "prime", "--help")
	_, rest, found := strings.Cut(printed, "\n    {\n")
	require.True(t, found)
	object, _, found := strings.Cut(rest, "\n    }\n")
	require.True(t, found)
	written := filepath.Join(t.TempDir(), "written.json")
	require.NoError(t, os.WriteFile(written, []byte("{\n"+object+"\n}\n"), 0o600))

	require.Contains(t, help, `handoff exec send qa "Go on" --agent dev -- my-agent`)
	for _, variable := range []string{"HANDOFF_PATH", "KELOS_HANDOFF_PATH"} {
		require.Contains(t, printed, variable)
		d.Must("", "exec", "send", "qa", "Go on", "--agent", "dev", "--", "sh", "-c", `cp "$0" "$`+variable+`"`, written)
		vars := d.Vars("dev")
		vars[variable] = written
		code, captured, _ := commandtest.Execute(d.Context(), d.Env(), vars, "capture", "--json")
		require.Zero(t, code)
		require.Contains(t, captured, `"root_cause_line":"42"`)
	}
	sent := d.Must("", "show", "2", "--full")
	require.Contains(t, sent, `"root_cause_line": "42"`)
	require.Contains(t, sent, "Your results and the next step")
}
