//go:build unix

package project_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/project"
	"handoff/schemas"
)

func TestEncloseFiles_TakesOnlyFilesOfProject(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "docs"), 0o755))
	for path, text := range map[string]string{
		"docs/spec.md": "# Spec\n", "../outside": "secret", "bytes": "\xff\xfe", "empty": "", ".env local": "A=1", "large": strings.Repeat("x", 5<<20),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("../outside", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("docs/spec.md", filepath.Join(dir, "within")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))

	for path, refused := range map[string]string{
		"docs/spec.md": "", "./docs/../docs/spec.md": "", filepath.Join(dir, "docs/spec.md"): "", "within": "", ".env local": "",
		"../outside": "escapes", "link": "escapes", "/etc/passwd": "escapes", "docs": "no regular file", "pipe": "no regular file",
		"bytes": "no text", "empty": "no text", "large": "too large", "none": "no such file",
	} {
		args, err := schemas.Encode(schemas.SendIn{Task: "x", Context: &schemas.Context{References: []schemas.Reference{{Path: path}}}})
		require.NoError(t, err)
		for _, at := range []string{"%", `{"changes":%}`, `{"continuation":%}`} {
			out, err := project.EncloseFiles(json.RawMessage(strings.Replace(at, "%", string(args), 1)), dir)
			if refused != "" {
				require.ErrorContains(t, err, refused, path)
				continue
			}
			require.NoError(t, err, path)
			require.NotContains(t, string(out), `"path"`)
			require.Contains(t, string(out), `"content":`)
		}
	}
}

// A call that names thousands of files took all memory before the mailbox said how many there may be.
func TestEncloseFiles_LimitsBytesOfCall(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte(strings.Repeat("x", 1<<20)), 0o600))
	args := func(n int) json.RawMessage {
		return json.RawMessage(`{"context": {"references": [` + strings.TrimSuffix(strings.Repeat(`{"path": "x"},`, n), ",") + `]}}`)
	}
	_, err := project.EncloseFiles(args(4), dir)
	require.NoError(t, err)
	_, err = project.EncloseFiles(args(5), dir)
	require.ErrorContains(t, err, "too much")
}

func TestEncloseFiles_KeepsArgumentsWithoutFiles(t *testing.T) {
	for _, args := range []string{
		``, `{}`, `{"path": 1}`, `"path"`, `{"context": "path"}`, `{"context": {"references": {"path": "x"}}}`, `{"context": {"files": ["a.go:12"]}}`,
	} {
		out, err := project.EncloseFiles(json.RawMessage(args), t.TempDir())
		require.NoError(t, err)
		if args != "" && json.Valid([]byte(args)) {
			require.JSONEq(t, args, string(out))
		}
	}
	out, err := project.EncloseFiles(json.RawMessage(`{"context": {"files": [{"path": "gone.go", "lnies": "1-2"}, {"path": "*.go"}]}}`), t.TempDir())
	require.NoError(t, err)
	require.JSONEq(t, `{"context": {"files": [{"path": "gone.go", "lnies": "1-2", "missing": true}, {"path": "*.go"}]}}`, string(out))
}
