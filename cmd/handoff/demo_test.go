package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/cmd/handoff/internal/demo"
)

// demonstrate runs "handoff demo" with a server in a process of its own.
func demonstrate(t *testing.T, executable string) (code int, out, errs string, left []os.DirEntry) {
	t.Helper()
	temp := t.TempDir()
	vars := map[string]string{"TMPDIR": temp}
	code, out, errs = commandtest.Execute(t.Context(), cli.Env{Executable: executable}, vars, "demo")
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	return code, out, errs, left
}

func TestDemo_ShowsWholeChainOfWork(t *testing.T) {
	code, out, errs, left := demonstrate(t, commandtest.Program)
	require.Zero(t, code, errs)
	require.Empty(t, errs)
	require.Empty(t, left, "the temporary directory is cleaned up")
	for _, told := range []string{
		"→ qa         fail_handoff ho_3: Missing test fixtures\n",
		"Files: 4 created, 1 modified\n",
		"[ROLLBACK to auto-code]\n",
		"ho_4: Add test fixtures\n",
		"Tests: 12 passed\n",
		"ho_6: Security review\n    │ Status: ◐ In Progress\n",
		"Handoff ho_2: Implement auth module\n",
		"- [x] Passes type checking ✓",
		"events of 6 handoffs\n",
	} {
		require.Contains(t, out, told)
	}
	require.Regexp(t, `\nOK\n$`, out)
	require.NotContains(t, out, "Working Tree", "it plays in no project")
}

// A result that the story does not expect ends it: here its workspace is not new.
func TestDemo_EndsAtUnexpectedResult(t *testing.T) {
	var out, errs bytes.Buffer
	c := demo.Config{Executable: commandtest.Program, StateHome: t.TempDir(), Workspace: "demo", Out: &out, Errors: &errs}
	look := func() {}
	require.NoError(t, demo.Play(t.Context(), c, look))
	require.ErrorContains(t, demo.Play(t.Context(), c, look), "send_handoff by planner: handoff_id is ho_7, not ho_1")
}

func TestDemo_FailsWithoutServer(t *testing.T) {
	code, _, errs, left := demonstrate(t, "/no/such/handoff")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "handoff: the demonstration went wrong: start /no/such/handoff mcp")
	require.Empty(t, left)
}

// The demo leaves nothing behind when its reader leaves.
func TestDemo_EndsWhenReaderLeaves(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("without sh there is no pipe")
	}
	cmd := exec.CommandContext(t.Context(), sh, "-c", "{ "+commandtest.Program+" demo; echo ended with $? >&2; } | head -3")
	temp := t.TempDir()
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "ended with 141\n")
	require.NotContains(t, string(out), "handoff:")
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}
