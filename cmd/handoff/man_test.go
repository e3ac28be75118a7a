package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCommandHasAManualPage(t *testing.T) {
	d := newDesk(t)
	dir := filepath.Join(t.TempDir(), "man1")
	d.must("", "man", dir)
	pages, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := commands((&app{}).root())
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

func TestManualPagesRenderWithoutWarnings(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed: the pages were not rendered")
	}
	dir := t.TempDir()
	require.NoError(t, writeManual((&app{}).root(), dir))
	for _, cmd := range commands((&app{}).root()) {
		page := filepath.Join(dir, manualName(cmd)+".1")
		render := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-Kutf8", "-ww", "-P-cbou", page)
		var warnings strings.Builder
		render.Stderr = &warnings
		shown, err := render.Output()
		require.NoError(t, err, warnings.String())
		require.Empty(t, warnings.String(), page)
		for line := range strings.Lines(cmd.Example) {
			require.Contains(t, string(shown), strings.TrimSpace(line), page)
		}
	}
}
