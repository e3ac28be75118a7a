//go:build unix

package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
)

// What a hook does that works is tried with this program itself, by the scripts of the command line.
func TestHooksThatDoNotBringMailAreErrors(t *testing.T) {
	for name, tt := range map[string]struct{ program, says, remedy string }{
		"none":     {"", "does not run: handoff is not there", "handoff setup claude-code --hooks --yes"},
		"broken":   {"#!/bin/sh\necho first >&2\necho oops >&2\nexit 3\n", "does not run: exit status 3: oops", ""},
		"silent":   {"#!/bin/sh\necho '2026 handoff [\"hook\"]: no mail today' >\"$HANDOFF_HOOK_DEBUG\"\n", "did not say that a handoff had come: no mail today", ""},
		"chatters": {"#!/bin/sh\necho 'handoff doctor calls'\n", "said the same twice", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			t.Setenv("TMPDIR", t.TempDir())
			if tt.program != "" {
				w.write(w.bench.Program.Path, tt.program)
			}
			w.write(".claude/settings.json", hooks("UserPromptSubmit", "handoff hook prompt --client claude-code"))
			requireFinding(t, w.examine("claude-code"), doctor.Error, tt.says, tt.remedy)
			left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// A program on PATH that starts this one is not to be replaced by it.
func TestProgramThatStartsThisOneIsNotReplaced(t *testing.T) {
	w := newWorld(t)
	w.write(w.bench.Program.Path, answers("v1.0.0"))
	w.bench.Program.Path = w.write("here/handoff", "")
	w.inProject(".claude/settings.json", hooks("UserPromptSubmit", "handoff hook prompt --client claude-code"))
	requireFinding(t, w.examine("claude-code"), doctor.Error, "did not say that a handoff had come", "")
}

func TestServerOfSomethingElseIsAnError(t *testing.T) {
	w := newWorld(t)
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "/bin/echo", "args": ["hello"]}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "its server does not answer: ", "handoff setup cursor --print")
	w.write(".cursor/mcp.json", `{"mcpServers": {"handoff": {"command": "/bin/sh", "args": ["mcp"]}}}`)
	requireFinding(t, w.examine("cursor"), doctor.Error, "its server does not answer: ", "handoff setup cursor --print")
}
