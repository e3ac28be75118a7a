package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// writePages writes the manual, and returns the file of the page of each command.
func writePages(t *testing.T) map[*cobra.Command]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "man1")
	require.NoError(t, writeManual(dir))
	files := map[*cobra.Command]string{}
	for _, cmd := range commandtest.Commands(commandtest.Root()) {
		files[cmd] = filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
	}
	written, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, written, len(files))
	return files
}

func TestWrite_PageOfEachCommandHasFlagsAndExamples(t *testing.T) {
	for cmd, file := range writePages(t) {
		page, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				require.Equal(t, !f.Hidden, strings.Contains(string(page), `--`+f.Name+`\fP`), "%s --%s", cmd.CommandPath(), f.Name)
			})
		}
		require.Contains(t, string(page), "\n.SH EXAMPLE\n", cmd.CommandPath())
	}
}

func TestWrite_PagesHaveDefaultsAndExitStatuses(t *testing.T) {
	for cmd, file := range writePages(t) {
		page, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				if !f.Hidden && f.Value.Type() == "duration" {
					require.Contains(t, string(page), `\fB--`+f.Name+`\fP=`+f.DefValue+"\n", cmd.CommandPath())
				}
			})
		}
		if cmd.Name() == "mcp" {
			require.Contains(t, string(page), `\fB--lease\fP=15m0s`)
		}
		require.Equal(t, !cmd.HasParent(), strings.Contains(string(page), "version for handoff\n"), cmd.CommandPath())
		require.NotRegexp(t, `[^\x00-\x7f]`, string(page), "terminals that know ASCII only show a question mark")
		require.Equal(t, !cmd.HasParent(), strings.Contains(string(page), "6 nothing to claim"), cmd.CommandPath())
	}
}

func TestWrite_ReportsUnwritableDirectory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "handoff.1"), 0o700))
	require.ErrorContains(t, writeManual(dir), "handoff.1: is a directory")
}

func TestWrite_PagesPassLint(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc is not installed: the pages were not looked through")
	}
	for _, page := range writePages(t) {
		found, err := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "error", page).Output()
		require.NoError(t, err, "%s", found)
	}
}

func TestWrite_PagesRenderWithoutWarnings(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed: the pages were not rendered")
	}
	for cmd, page := range writePages(t) {
		render := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-Kutf8", "-ww", "-P-cbou", page)
		var warnings strings.Builder
		render.Stderr = &warnings
		shown, err := render.Output()
		require.NoError(t, err, warnings.String())
		require.Empty(t, warnings.String(), page)
		for line := range strings.Lines(cmd.Example) {
			require.Contains(t, string(shown), replaceEllipses(strings.TrimSpace(line)), page)
		}
	}
}
