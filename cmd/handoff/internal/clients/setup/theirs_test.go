package setup_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

// A server that another author put in our place is theirs, even with a receipt.
func TestPlanUndo_KeepsServerThatReplacedOurs(t *testing.T) {
	w, gemini := worldWith(t, "gemini-cli")
	path := w.servers(gemini)
	w.apply(gemini)
	const other = `"command": "npx",
      "args": [
        "@other/handoff-mcp"`
	ours := strings.NewReplacer(`"command": "handoff",`, `"command": "npx",`, `"mcp"`, `"@other/handoff-mcp"`)
	w.write(path, ours.Replace(w.read(path)), 0o600)
	require.Contains(t, w.read(path), other)

	require.ErrorContains(t, of(t, w.PlanSetup(gemini, w.desired), path).Err, "another server that is called handoff")
	undo := of(t, w.PlanUndo(gemini, w.desired), path)
	require.NoError(t, undo.Err)
	require.ErrorContains(t, undo.Foreign, "another server that is called handoff")
	w.revert(gemini)
	require.Contains(t, w.read(path), other)
	require.NotContains(t, w.read(path), "handoff hook")
}

// Removal takes out the entries of setup, and reports an entry that setup never writes.
func TestPlanUndo_ReportsLocalServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	w, claude := worldWith(t, "claude-code")
	w.write(w.servers(claude), `{"projects": {"`+w.desired.Machine.Project+`": {"mcpServers": {"mail": {"command": "handoff", "args": ["mcp"]}}}}}`, 0o600)
	undo := of(t, w.PlanUndo(claude, w.desired), w.servers(claude))
	require.True(t, undo.IsUnchanged())
	require.ErrorContains(t, undo.Foreign, "claude mcp remove --scope local mail takes it out")
	w.desired.Scope = client.Project
	require.NoError(t, of(t, w.PlanUndo(claude, w.desired), w.servers(claude)).Foreign)
}

// A program of another name is ours if the receipt says so, also if another program is desired now.
func TestPlanUndo_FindsProgramOfReceipt(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	w.desired.Server.Command = []string{"/opt/handoff-1.2", "mcp"}
	w.apply(cursor)
	w.write(path, w.read(path)+"\n", 0o600)
	w.desired.Server.Command = []string{"handoff", "mcp"}
	w.revert(cursor)
	w.requireText(mine+"\n", path)
}

// A hook that also runs another command belongs to another author, and so does a program within a project.
func TestPlanUndo_KeepsHooksOfOthers(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	settings := claude.Hooks.PathFor(client.User, w.desired.Machine)
	const hook = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "handoff hook stop --client claude-code; notify-send done"}]}]}}` + "\n"
	w.write(settings, hook, 0o600)
	w.apply(claude)
	require.Contains(t, w.read(settings), "notify-send done")
	require.NoError(t, os.RemoveAll(w.Dir))
	w.revert(claude)
	require.Contains(t, w.read(settings), "notify-send done")
	require.Equal(t, 1, strings.Count(w.read(settings), "handoff hook"))

	w.desired.Scope = client.Project
	for _, program := range []string{"tools/handoff", "./handoff", "/src/shop/handoff"} {
		w.write(w.servers(claude), `{"mcpServers": {"handoff": {"command": "`+program+`", "args": ["mcp"]}}}`, 0o600)
		require.ErrorContains(t, of(t, w.PlanSetup(claude, w.desired), w.servers(claude)).Err, "another server", program)
	}
}

// Setup writes a path with an apostrophe once, and removes it completely.
func TestApply_QuotesApostropheInPath(t *testing.T) {
	w, claude := worldWith(t, "claude-code")
	w.desired.Call.Program = "/home/o'hara/handoff"
	settings := claude.Hooks.PathFor(client.User, w.desired.Machine)
	w.apply(claude)
	require.True(t, of(t, w.PlanSetup(claude, w.desired), settings).IsUnchanged())
	require.NoError(t, os.RemoveAll(w.Dir))
	w.revert(claude)
	require.NotContains(t, w.read(settings), "hara")
}

// The lines around ours may be secret. So may a line that only gets a comma, or a file on one line.
func TestDiff_HidesForeignText(t *testing.T) {
	for name, text := range map[string]string{
		"lines":    "{\n  \"mcpServers\": {\n    \"a\": {\n      \"env\": {\"KEY\": \"hunter2\"}\n    }\n  }\n}\n",
		"comma":    "{\n  \"mcpServers\": {\n    \"a\": {\"env\": {\"KEY\": \"hunter2\"}}\n  }\n}\n",
		"one line": `{"mcpServers": {"a": {"env": {"KEY": "hunter2"}}}}`,
		"in ours":  "{\n  \"mcpServers\": {\n    \"handoff\": {\"command\": \"/old/handoff\", \"args\": [\"mcp\"], \"env\": {\"KEY\": \"hunter2\"}}\n  }\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			w, cursor := worldWith(t, "cursor")
			path := w.servers(cursor)
			w.write(path, text, 0o600)
			diff := of(t, w.PlanSetup(cursor, w.desired), path).Diff()
			require.NotContains(t, diff, "hunter2")
			if name == "lines" || name == "comma" {
				require.Contains(t, diff, `+      "command": "handoff"`)
			}
			if name != "lines" {
				require.Contains(t, diff, "not shown")
			}
			w.apply(cursor)
			diff = of(t, w.PlanUndo(cursor, w.desired), path).Diff()
			require.NotEmpty(t, diff)
			require.NotContains(t, diff, "hunter2")
		})
	}
}
