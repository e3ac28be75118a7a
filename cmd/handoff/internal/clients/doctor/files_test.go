package doctor_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/workspace"
)

func TestAWorkspaceThatIsNotThereIsNotMade(t *testing.T) {
	w := workspace.Workspace{Name: "w", Dir: filepath.Join(t.TempDir(), "state", "w")}
	requireFinding(t, doctor.Files(w, doctor.Shell{}), doctor.OK, "does not exist yet", "")
	why, shut := doctor.Shut(w)
	require.True(t, shut)
	require.Empty(t, why)
	require.NoDirExists(t, filepath.Dir(w.Dir))
}
