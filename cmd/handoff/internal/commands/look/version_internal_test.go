package look

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func TestVersion_ComparesWithPublishedRelease(t *testing.T) {
	asked := func(is, from string) (said string, err error) {
		var out bytes.Buffer
		a := &cli.App{Release: cli.Release{Version: is}, Env: cli.Env{
			Stdout: &out, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }, Now: time.Now,
		}}
		err = compareWithNewestRelease(t.Context(), a, from)
		return out.String(), err
	}
	file := filepath.Join(t.TempDir(), "latest.json")
	for text, want := range map[string]string{
		`{"version": "1.10.0", "released": "2026-12-01", "notes": "Faster"}`: "v1.10.0 is newer than this one, v1.9.2.",
		`{"tag_name": "v2.0.0"}`:    "v2.0.0 is newer",
		`{"version": "v1.9.2"}`:     "v1.9.2 is the newest",
		`{"version": "1.9.0-rc.1"}`: "v1.9.2 is the newest",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		said, err := asked("v1.9.2", file)
		require.Contains(t, said, want)
		if strings.Contains(want, "newer") {
			require.Equal(t, cli.ExitStatus(NeedsYou), err)
		} else {
			require.NoError(t, err)
		}
	}
	for _, is := range []string{"(devel)", "v0.0.0-20261123230000-7050c4dba03f"} {
		said, err := asked(is, file)
		require.NoError(t, err)
		require.Contains(t, said, "built from a commit")
	}

	for _, wrong := range []string{`{}`, `{"version": "new"}`, `[1]`, ``} {
		require.NoError(t, os.WriteFile(file, []byte(wrong), 0o600))
		_, err := asked("v1.9.2", file)
		require.ErrorContains(t, err, "names no version")
		require.Equal(t, schemas.Invalid, schemas.AsError(err).Code)
	}
	for _, missing := range []string{filepath.Join(t.TempDir(), "none"), "", "https://example.com/latest.json"} {
		_, err := asked("v1.9.2", missing)
		require.ErrorContains(t, err, "the newest version is not known")
	}
}
