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

func TestLittleSpaceOnTheDiskIsTold(t *testing.T) {
	const gib = 1 << 30
	for name, tt := range map[string]struct {
		free, all uint64
		state     doctor.State
		says      string
	}{
		"much":            {50 * gib, 100 * gib, doctor.OK, "50.0 GiB (50 %) are free"},
		"little":          {gib / 2, 4 * gib, doctor.Warning, "only 0.5 GiB"},
		"a small share":   {4 * gib, 100 * gib, doctor.Warning, "only 4.0 GiB (4 %)"},
		"of unknown size": {50 * gib, 0, doctor.OK, "50.0 GiB"},
	} {
		t.Run(name, func(t *testing.T) {
			f := doctor.Room(tt.free, tt.all)
			require.Equal(t, tt.state, f.State)
			require.Contains(t, f.Message, tt.says)
		})
	}
}
