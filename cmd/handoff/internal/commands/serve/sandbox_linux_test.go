package serve_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// Clients run commands in sandboxes that may only read the home directory.
func TestCommands_ReadWhereStateIsReadOnly(t *testing.T) {
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	sandboxed := func(args ...string) (string, error) {
		const script = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`
		cmd := exec.CommandContext(t.Context(), "unshare", append([]string{
			"-rm", "sh", "-c", script, p.State, commandtest.Program, "--workspace", "w",
		}, args...)...)
		cmd.Env = p.Environ()
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := sandboxed("--version"); err != nil {
		t.Skip("no sandbox here: " + out)
	}
	for _, command := range []string{"list", "show 1", "history", "where", "doctor", "status"} {
		out, _ := sandboxed(strings.Fields(command)...)
		require.NotContains(t, out, "read-only file system", command)
	}
	out, err := sandboxed("send", "dev", "Done", "--agent", "qa")
	require.Error(t, err)
	require.Contains(t, out, "All agents have to use the same directory")
	s := p.StartServer()
	out, err = sandboxed("send", "dev", "Done", "--agent", "qa")
	require.NoError(t, err, out)
	require.Contains(t, p.Must("show", "2"), "Done")
	require.NoError(t, s.In.Close())
	require.Zero(t, s.Wait(), s.LogOutput())
}
