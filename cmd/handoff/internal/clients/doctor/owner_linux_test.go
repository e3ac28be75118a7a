package doctor_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/tools/relay"
)

// noted makes the directory of a workspace with a note of an owner.
func noted(t *testing.T, n relay.Note) string {
	t.Helper()
	text, err := json.Marshal(n)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "owner.json"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "handoff.db"), []byte("store"), 0o600))
	return dir
}

var here = doctor.CommandBuilder{Program: doctor.InstalledProgram{Version: "v1.0.0"}, WorkspaceFlags: " --workspace w"}

// sleeper starts a process that sleeps until the test ends.
func sleeper(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	})
	return cmd.Process.Pid
}

func TestExamineOwner_ReportsProcess(t *testing.T) {
	owner := func(n relay.Note) []doctor.Finding {
		n.Started = noon
		return []doctor.Finding{doctor.ExamineOwner(noted(t, n), noon.Add(time.Hour), here)}
	}
	requireFinding(t, []doctor.Finding{doctor.ExamineOwner(t.TempDir(), noon, here)}, doctor.OK, "nobody", "")
	pid := sleeper(t)
	requireFinding(t, owner(relay.Note{PID: pid, Version: "v1.0.0"}), doctor.OK, "handoff v1.0.0, for 1h", "")
	requireFinding(t, owner(relay.Note{PID: pid, Version: "v0.9.0"}), doctor.Warning, "is handoff v0.9.0, and this is v1.0.0", "ps -f -p ")
	requireFinding(t, owner(relay.Note{PID: pid, Process: 1}), doctor.Warning, "has ended", "handoff list --workspace w")
}
