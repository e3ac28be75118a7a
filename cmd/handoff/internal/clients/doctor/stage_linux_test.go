package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// longest is how long a path may be, in bytes.
const longest = 4095

// A directory for temporary files has so long a path that one can be made in it, and none in that.
func TestAStageThatCannotBeMadeIsNotLeft(t *testing.T) {
	w := newWorld(t)
	w.write(w.bench.Program.Path, "#!/bin/sh\n")
	w.write(".claude/settings.json", hooks("UserPromptSubmit", "handoff hook prompt --client claude-code"))
	dir := t.TempDir()
	most := longest - len("/handoff-doctor-") - len("1234567890")
	for most-len(dir) > 250 {
		dir += "/" + strings.Repeat("x", 200)
	}
	dir += "/" + strings.Repeat("x", most-len(dir)-1)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	t.Setenv("TMPDIR", dir)
	requireFinding(t, w.examine("claude-code"), doctor.Warning, "they cannot be tried: there is no place for temporary files: ", "")
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
