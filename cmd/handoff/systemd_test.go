package main

import (
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

const unitFile = examples + "/systemd/handoff@.service"

// unit gives the sections of a unit file, each with its keys. A key that is there again has both values.
func unit(t *testing.T) map[string]map[string][]string {
	t.Helper()
	content, err := os.ReadFile(unitFile)
	require.NoError(t, err)
	sections, section := map[string]map[string][]string{}, ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		key, value, isKey := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
			sections[section] = map[string][]string{}
		default:
			require.True(t, isKey && section != "", line)
			sections[section][key] = append(sections[section][key], value)
		}
	}
	return sections
}

// The test runs the command line that systemd would run.
func TestSystemd_UnitStartsServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal")
	}
	t.Parallel()
	u := unit(t)
	require.Equal(t, []string{"on-failure"}, u["Service"]["Restart"])
	require.Equal(t, []string{"default.target"}, u["Install"]["WantedBy"], "that is of users")
	require.Len(t, u["Service"]["ExecStart"], 1)
	start := strings.NewReplacer("%h", "/home/me", "%i", "team").Replace(u["Service"]["ExecStart"][0])
	require.NotContains(t, start, "%")
	words := strings.Fields(start)
	require.Equal(t, "/home/me/go/bin/handoff", words[0])

	keeper, said := commandtest.NewHome(t).StartAndKeepOpen(words[1:]...)
	require.Contains(t, said, "workspace team ")
	require.NoError(t, keeper.Process.Signal(syscall.SIGTERM))
	require.NoError(t, keeper.Wait(), "it ends well when systemd stops it")
}

func TestSystemd_AcceptsUnitOfUser(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd is not installed: its opinion of the unit was not asked for")
	}
	home, err := os.MkdirTemp("", "u") //nolint:usetesting // short, as units of the machine name sockets in it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(home)) })
	content, err := os.ReadFile(unitFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, filepath.Base(unitFile)), content, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(home, "go", "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "go", "bin", "handoff"), []byte("#!/bin/sh\n"), 0o700)) // it must be there
	cmd := exec.CommandContext(t.Context(), analyze, "--user", "verify", filepath.Join(home, "handoff@team.service"))
	cmd.Env = []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out), "it exits with 0 when it ignores a line, too")
}
