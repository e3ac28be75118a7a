package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const examples = "../../examples"

// runExample runs lines of a shell, in the folder of the examples, where handoff is this program.
func runExample(t *testing.T, lines string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the examples are written for a Unix shell")
	}
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "handoff"), []byte("#!/bin/sh\nexec "+program+` "$@"`+"\n"), 0o700))
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", lines)
	temp := t.TempDir()
	cmd.Env = []string{
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + temp, "TMPDIR=" + temp,
		"XDG_STATE_HOME=" + filepath.Join(temp, "state"), "GORACE=atexit_sleep_ms=0",
	}
	cmd.Dir = examples
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	left, err := filepath.Glob(filepath.Join(temp, "tmp.*"))
	require.NoError(t, err)
	require.Empty(t, left, "temporary directories are removed")
	return string(out)
}

func TestExamplePipeline(t *testing.T) {
	out := runExample(t, "./pipeline.sh")
	for _, told := range []string{
		"rollback: auto-code goes on with ho_4\n", "[ROLLBACK to auto-code]\n", "ho_5: Test the login again\n    │ Status: ✓ Completed\n",
		"21 events of 5 handoffs\n",
	} {
		require.Contains(t, out, told)
	}
	require.Regexp(t, `\nOK\n$`, out)
}

func TestExampleApproval(t *testing.T) {
	out := runExample(t, "./approval.sh")
	for _, told := range []string{
		"blocked by: approval\n", "nothing to claim\n", "no_1\tdev\t", "ho_1 waiting\n", "> dev: The report of May did, and is gone\n",
		"ho_1 completed\noutcome: success\nby: dba\n",
	} {
		require.Contains(t, out, told)
	}
}

// The commands are those that the README shows. A message whose spelling is ours is kept whole: what would
// have no name here stands under origin.
func TestExampleMessages(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(examples, "README.md"))
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	out := runExample(t, string(shown[1])+"for id in 1 2 3; do handoff show $id --full; done\n")
	for _, file := range []string{"send", "completion", "failure"} {
		require.Contains(t, string(shown[1]), "messages/"+file+".json")
	}
	for _, told := range []string{
		"ho_1 completed, success\n", "ho_2 failed\nrollback: architect goes on with ho_3\n", `"severity": "high"`, `"commit": "4f2c1aa"`,
		"[x] A test covers a reset connection ✓ TestUploadAfterReset\n", "Who owns the test network?",
	} {
		require.Contains(t, out, told)
	}
	require.NotContains(t, out, `"origin"`)
}

// Each client's file starts a server, and is what the README says to write.
func TestExampleClients(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for name, language := range map[string]string{".mcp.json": "json", "config.toml": "toml"} {
		content, err := os.ReadFile(filepath.Join(examples, "clients", name))
		require.NoError(t, err)
		require.Contains(t, string(readme), "```"+language+"\n"+string(content)+"```\n")
	}
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	content, err := os.ReadFile(filepath.Join(examples, "clients", ".mcp.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &config))
	entry := config.Servers["handoff"]
	out := runExample(t, "HANDOFF_WORKSPACE=w "+entry.Command+" "+strings.Join(entry.Args, " ")+" <<'END'\n"+
		hello+toolCall(1, "send_handoff", `{"to": "qa", "task": "Test it"}`)+"END\n")
	require.Contains(t, out, `ho_1`)
}
