//go:build unix

package doctor_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/workspace"
)

func TestExamineFiles_WarnsIfOthersMayRead(t *testing.T) {
	for name, tt := range map[string]struct {
		dir, file os.FileMode
		state     doctor.Severity
		says      string
		remedy    string
	}{
		"private":              {0o700, 0o600, doctor.OK, "for its user only", ""},
		"open directory":       {0o755, 0o600, doctor.Warning, "-rwxr-xr-x: others on this machine", "chmod 700 "},
		"directory to look at": {0o500, 0o600, doctor.Error, "its user cannot use it", "chmod 700 "},
	} {
		t.Run(name, func(t *testing.T) {
			w := workspace.Workspace{Name: "w", Dir: filepath.Join(t.TempDir(), "w")}
			require.NoError(t, os.Mkdir(w.Dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "handoff.db"), []byte("store"), 0o600))
			require.NoError(t, os.Chmod(filepath.Join(w.Dir, "handoff.db"), tt.file))
			require.NoError(t, os.Chmod(w.Dir, tt.dir))
			t.Cleanup(func() { require.NoError(t, os.Chmod(w.Dir, 0o700)) })
			all, opens := doctor.ExamineFiles(w, doctor.CommandBuilder{})
			requireFinding(t, all, tt.state, tt.says, tt.remedy)
			require.Equal(t, tt.dir != 0o755, opens)
		})
	}
}

func TestExamineFiles_ReportsFileInPlaceOfDirectory(t *testing.T) {
	w := workspace.Workspace{Name: "w", Dir: filepath.Join(t.TempDir(), "w")}
	require.NoError(t, os.WriteFile(w.Dir, nil, 0o600))
	all, _ := doctor.ExamineFiles(w, doctor.CommandBuilder{})
	requireFinding(t, all, doctor.Error, "is no directory", "mv ")
	require.NoError(t, exec.Command("/bin/sh", "-c", all[0].Remedy).Run())
	all, _ = doctor.ExamineFiles(w, doctor.CommandBuilder{})
	requireFinding(t, all, doctor.OK, "does not exist yet", "")
}
