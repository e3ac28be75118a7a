package clients_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// The server elsewhere tells a client its agent name, and no file holds the token.
func TestSetup_OverHTTPWritesNoToken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal")
	}
	t.Parallel()
	p := commandtest.NewHome(t)
	secret := strings.TrimSpace(p.Must("token", "add", "net", "--agents", "qa,release"))
	address := serving(p)
	home := filepath.Join(p.State, "home")
	vars := map[string]string{"HOME": home, "HANDOFF_TOKEN": secret}
	setup := func(args ...string) (int, string) {
		code, out, errs := p.RunWith(vars, append([]string{"setup", "opencode", "--http", address, "--token-env", "HANDOFF_TOKEN"}, args...)...)
		return code, out + errs
	}
	code, said := setup("--yes")
	require.Zero(t, code, said)
	require.Regexp(t, `opencode: handoff \S+ answers, with [0-9]+ tools\. You are qa in workspace w\.`, said)
	require.Contains(t, said, "To try it, tell opencode: send yourself the handoff 'Say hello'.")
	require.NotContains(t, said, "handoff send")
	code, said = setup("codex", "qwen-code", "--yes")
	require.Zero(t, code, said)
	require.Regexp(t, `(?s)opencode: handoff \S+ answers, .* You are qa in .*Codex: .* You are release in .*Qwen Code: .* You are qa in`, said)
	require.Contains(t, said, "no agent for qwen-code, so clients share the mail of qa. To end that:\n"+
		"    there: handoff token add NAME --agents qa,release,qwen-code\n")
	code, said = setup("--agent", "release", "--yes")
	require.Zero(t, code, said)
	require.Contains(t, said, "You are release in workspace w.")
	written, err := exec.CommandContext(t.Context(), "grep", "-rl", secret, home).Output()
	require.Empty(t, string(written), "and grep ends with 1: %v", err)

	vars["HANDOFF_TOKEN"] = "another"
	code, said = setup("--check")
	require.Equal(t, 1, code)
	require.Contains(t, said, "wants a token that it knows, and that may act as release: ")
	require.Contains(t, said, "handoff token add")

	vars["HANDOFF_TOKEN"] = strings.TrimSpace(p.Must("token", "add", "next", "--agents", "solo"))
	code, said = setup("codex", "--yes")
	require.Zero(t, code, said)
	require.Regexp(t, `(?s)opencode: .* You are solo in .*Codex: .* You are solo in .*no agent for opencode and codex`, said)
}

// serving starts a server that agents elsewhere reach, and gives its address.
func serving(p commandtest.Home) string {
	p.T.Helper()
	keeper := exec.Command(commandtest.Program, "serve", "--workspace", "w", "--http", "127.0.0.1:0") // until it is told to end
	keeper.Env = append(p.Environ(), "HOME="+p.State)
	stderr, err := keeper.StderrPipe()
	require.NoError(p.T, err)
	require.NoError(p.T, keeper.Start())
	p.T.Cleanup(func() {
		require.NoError(p.T, keeper.Process.Signal(syscall.SIGTERM))
		require.NoError(p.T, keeper.Wait())
	})
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "serving "); ok {
			return address
		}
	}
	require.Fail(p.T, "it does not serve")
	return ""
}

// The home directory is no project, so setup makes no workspace there. A relative HOME counts as no home directory.
func TestSetup_AtHomeCreatesNoWorkspace(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	home := filepath.Join(p.State, "home")
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".cursor"), 0o700))
	cmd := exec.CommandContext(t.Context(), commandtest.Program, "setup", "--yes")
	cmd.Dir, cmd.Env = home, append(p.Environ(), "HOME="+home)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `(?m)tools\. You are cursor$`, string(out))
	require.NoFileExists(t, filepath.Join(p.State, "handoff", "handoff.db"))

	code, _, errs := p.RunWith(map[string]string{"HOME": "nowhere"}, "setup")
	require.Equal(t, 7, code)
	require.Contains(t, errs, "there is no home directory")
}
