package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const systemUnit = examples + "/systemd/handoff-http.service"

// exposure is what "systemd-analyze security" may make of the unit, in tenths: from 0, nothing can go wrong, to 100.
const exposure = "15"

func TestSystemd_AcceptsUnitOfSystem(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd is not installed: its opinion of the unit was not asked for")
	}
	file := unitInstalled(t)
	out, err := exec.CommandContext(t.Context(), analyze, "verify", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out), "it exits with 0 when it ignores a line, too")

	if !analyses(t.Context(), analyze) {
		t.Skip("this systemd judges no files: how exposed the unit is was not asked for")
	}
	out, err = exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--no-pager", "--threshold="+exposure, file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", lastLine(string(out)))
}

// unitInstalled gives a copy of the unit that starts a program that is there.
func unitInstalled(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(systemUnit)
	require.NoError(t, err)
	dir := t.TempDir()
	bin := filepath.Join(dir, "handoff")
	require.NoError(t, os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o700))
	lines := strings.ReplaceAll(string(content), "\nExecStart=/usr/local/bin/handoff ", "\nExecStart="+bin+" ")
	require.Contains(t, lines, bin)
	file := filepath.Join(dir, filepath.Base(systemUnit))
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
	return file
}

func analyses(ctx context.Context, analyze string) bool {
	help, err := exec.CommandContext(ctx, analyze, "--help").Output()
	return err == nil && strings.Contains(string(help), "--offline") && strings.Contains(string(help), "--threshold")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
