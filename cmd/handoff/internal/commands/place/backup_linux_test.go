package place_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// The owner is another process. It continues, and the old file stays.
func TestBackup_OnFullDiskLeavesOldFile(t *testing.T) {
	p, dir := commandtest.NewHome(t), t.TempDir()
	if err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", dir).Run(); err != nil {
		t.Skip("no file system of our own without the right to mount one: ", err)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", dir).Run()) })
	file := filepath.Join(dir, "w.backup")
	require.NoError(t, os.WriteFile(file, []byte("before"), 0o600))
	s := p.StartServer("--agent", "dev")
	s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`)
	code, _, errs := p.Run("backup", file, "--force")
	require.Equal(t, 7, code, errs)
	require.Contains(t, errs, "no space left")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "before", string(content))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)

	elsewhere := filepath.Join(t.TempDir(), "w.backup")
	require.Contains(t, p.Must("backup", elsewhere), "1 event of 1 handoff")
	info, err := os.Stat(elsewhere)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	s.CloseInput()
}
