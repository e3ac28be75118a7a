//go:build unix

package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/doctor"
)

// What a hook does that works is tried with this program itself, by the scripts of the command line.
func TestHooksThatDoNotBringMail(t *testing.T) {
	for name, tt := range map[string]struct{ program, says string }{
		"none":     {"", "does not run: handoff is not there"},
		"broken":   {"#!/bin/sh\necho oops >&2\nexit 3\n", "does not run: exit status 3: oops"},
		"silent":   {"#!/bin/sh\necho '2026 handoff [\"hook\"]: no mail today' >\"$HANDOFF_HOOK_DEBUG\"\n", "did not say that a handoff had come: no mail today"},
		"chatters": {"#!/bin/sh\necho 'handoff doctor calls'\n", "said the same twice"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			t.Setenv("TMPDIR", t.TempDir())
			if tt.program != "" {
				w.write(w.bench.Program.Path, tt.program)
			}
			w.write(".claude/settings.json", hooks("UserPromptSubmit", "handoff hook prompt --client claude-code"))
			requireFinding(t, w.examine("claude-code"), doctor.Error, tt.says, "handoff setup claude-code --hooks --yes")
			left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestAServerOfSomethingElse(t *testing.T) {
	w := newWorld(t)
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "/bin/echo", "args": ["hello"]}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "its server does not answer: ", "/bin/echo hello")
}
