package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
)

func TestEveryCommandHasAManualPage(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Join(t.TempDir(), "man1")
	d.must("", "man", dir)
	pages, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := commands(rootCommand(newApp(cli.Env{})))
	require.Len(t, pages, len(all))
	for _, cmd := range all {
		page, err := os.ReadFile(filepath.Join(dir, manualName(cmd)+".1"))
		require.NoError(t, err)
		for flag := range strings.FieldsSeq(cmd.LocalFlags().FlagUsages()) {
			if strings.HasPrefix(flag, "--") {
				require.Contains(t, string(page), strings.ReplaceAll(flag, "-", `\-`), cmd.CommandPath())
			}
		}
		require.Contains(t, string(page), "\n.SH EXAMPLES\n")
	}
	require.NoDirExists(t, filepath.Join(d.state, "handoff"))
}

// A page says of flags what --help says.
func TestManualPagesTellDefaults(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, writeManual(rootCommand(newApp(cli.Env{})), dir))
	defaults := 0
	for _, cmd := range commands(rootCommand(newApp(cli.Env{}))) {
		page, err := os.ReadFile(filepath.Join(dir, manualName(cmd)+".1"))
		require.NoError(t, err)
		cmd.InitDefaultVersionFlag()
		said := strings.Count(cmd.LocalFlags().FlagUsages()+cmd.InheritedFlags().FlagUsages(), "(default")
		require.Equal(t, said, strings.Count(string(page), "(default"), cmd.CommandPath())
		defaults += said
		require.Equal(t, !cmd.HasParent(), strings.Contains(string(page), "\n\\fB\\-v, \\-\\-version\\fR \\fI\\fR\nversion for handoff\n"))
	}
	require.Greater(t, defaults, 20)
	page, err := os.ReadFile(filepath.Join(dir, "handoff-mcp.1"))
	require.NoError(t, err)
	require.Contains(t, string(page), "(default 15m0s)\n")
}

func TestManualPagesAreNotWrittenOverDirectories(t *testing.T) {
	d := newDesk(t)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "handoff.1"), 0o700))
	code, _, errs := d.run("", "man", dir)
	require.Equal(t, 2, code)
	require.Contains(t, errs, "handoff.1: is a directory")
	require.Contains(t, errs, "handoff man DIRECTORY")
	require.NotContains(t, errs, "log")
}

func TestManualPagesPassTheLint(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc is not installed: the pages were not looked through")
	}
	dir := t.TempDir()
	require.NoError(t, writeManual(rootCommand(newApp(cli.Env{})), dir))
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	require.NoError(t, err)
	found, _ := exec.CommandContext(t.Context(), mandoc, append([]string{"-T", "lint", "-W", "warning"}, pages...)...).Output()
	for line := range strings.Lines(string(found)) {
		require.Contains(t, line, "missing date", "the program of a test does not know when its source was written")
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.NotRegexp(t, `[^\x00-\x7f]`, string(text), "terminals that know ASCII only show a question mark")
	}
}

func TestManualPagesRenderWithoutWarnings(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed: the pages were not rendered")
	}
	dir := t.TempDir()
	require.NoError(t, writeManual(rootCommand(newApp(cli.Env{})), dir))
	for _, cmd := range commands(rootCommand(newApp(cli.Env{}))) {
		page := filepath.Join(dir, manualName(cmd)+".1")
		render := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-Kutf8", "-ww", "-P-cbou", page)
		var warnings strings.Builder
		render.Stderr = &warnings
		shown, err := render.Output()
		require.NoError(t, err, warnings.String())
		require.Empty(t, warnings.String(), page)
		for line := range strings.Lines(cmd.Example) {
			require.Contains(t, string(shown), strings.ReplaceAll(strings.TrimSpace(line), "…", "..."), page)
		}
	}
}
