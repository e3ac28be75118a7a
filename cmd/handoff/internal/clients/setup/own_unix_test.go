//go:build unix

package setup_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/process/processtest"
)

// A client's program may be a script that starts another, which holds the output.
func TestAClientsCommandThatIsCutOffEndsWithAllItStarted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	child := processtest.NewChild(t, cancel)
	w := newWorld(t)
	w.standIn("claude", child.Start()+"wait")
	claude := known(t, "claude-code")
	path := w.servers(claude)
	w.write(path, mine, 0o600)
	_, err := w.Apply(ctx, of(t, w.Plan(claude, w.desired), path))
	require.ErrorContains(t, err, "it was interrupted")
	child.RequireEnd(t)
}

// standIn puts a shell script in the place of a client's program, which is somebody else's: it writes its arguments
// to a file and does what the text says.
func (w *world) standIn(program, does string) (arguments string) {
	w.t.Helper()
	bin := filepath.Join(w.desired.Machine.Home, "bin")
	arguments = filepath.Join(bin, "arguments")
	w.vars["PATH"], w.vars["HOME"] = bin+":"+os.Getenv("PATH"), w.desired.Machine.Home
	w.write(filepath.Join(bin, program), "#!/bin/sh\nprintf '%s\\n' \"$@\" >"+arguments+"\n"+does, 0o700)
	return arguments
}

func TestTheClientsOwnCommandIsPreferred(t *testing.T) {
	const added = `{"mcpServers": {"handoff": {"type": "stdio", "command": "handoff", "args": ["mcp"], "env": {}}}, "own": true}`
	w := newWorld(t)
	arguments := w.standIn("claude", "cat >$HOME/.claude.json <<'END'\n"+added+"\nEND\n")
	claude := known(t, "claude-code")
	path := w.servers(claude)
	w.write(path, mine, 0o600)
	change := of(t, w.Plan(claude, w.desired), path)
	require.Contains(t, change.Diff(), `+    "handoff": {`)
	done, err := w.Apply(t.Context(), change)
	require.NoError(t, err)
	require.NoError(t, done.OwnErr)
	require.Equal(t, strings.Fields("mcp add --scope user handoff -- handoff mcp"), strings.Fields(w.read(arguments)))
	w.requireText(added+"\n", path)
	require.True(t, of(t, w.Plan(claude, w.desired), path).Same())
	w.revert(claude)
	w.requireText(mine, path)
}

// Who is killed while the client's command runs has a receipt with what was there.
func TestTheReceiptIsThereBeforeTheClientsCommand(t *testing.T) {
	w := newWorld(t)
	w.standIn("claude", "cp '"+w.Dir+"'/*.json $HOME/receipt\n")
	claude := known(t, "claude-code")
	path := w.servers(claude)
	w.write(path, mine, 0o600)
	_, err := w.Apply(t.Context(), of(t, w.Plan(claude, w.desired), path))
	require.NoError(t, err)
	require.Contains(t, w.read(filepath.Join(w.desired.Machine.Home, "receipt")), base64.StdEncoding.EncodeToString([]byte(mine)))
}

func TestTheFileIsWrittenWhereTheClientsCommandFails(t *testing.T) {
	for name, does := range map[string]string{"fails": "echo no such option >&2; exit 1", "does nothing": "exit 0"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.standIn("claude", does)
			claude := known(t, "claude-code")
			path := w.servers(claude)
			w.write(path, mine, 0o600)
			change := of(t, w.Plan(claude, w.desired), path)
			done, err := w.Apply(t.Context(), change)
			require.NoError(t, err)
			w.requireText(string(change.After), path)
			if name == "fails" {
				require.ErrorContains(t, done.OwnErr, "no such option")
			}
			w.revert(claude)
			w.requireText(mine, path)
		})
	}
}

// A client would replace the link; and it cannot say all that may be desired.
func TestFileIsWrittenWhereTheClientsCommandCannotDoIt(t *testing.T) {
	for name, tt := range map[string]struct {
		client  string
		desired func(w *world)
	}{
		"link": {"claude-code", func(w *world) {
			target := filepath.Join(w.desired.Machine.Home, "dotfiles.json")
			w.write(target, mine, 0o600)
			require.NoError(w.t, os.Symlink(target, w.servers(known(w.t, "claude-code"))))
		}},
		"older entry": {"claude-code", func(w *world) {
			w.write(w.servers(known(w.t, "claude-code")), `{"mcpServers": {"handoff": {"command": "/old/handoff", "args": ["mcp"]}}}`, 0o600)
		}},
		"variables":  {"codex", func(w *world) { w.desired.Server.Pass = []string{"XDG_STATE_HOME"} }},
		"project":    {"codex", func(w *world) { w.desired.Scope = client.Project }},
		"no command": {"cursor", func(*world) {}},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := worldWith(t, tt.client)
			w.standIn(c.Program, "exit 1")
			tt.desired(w)
			for _, change := range w.Plan(c, w.desired) {
				require.NoError(t, change.Err)
				require.Nil(t, change.Own)
			}
		})
	}
}

// Somebody writes between the last reading and the writing: when the receipt is kept, the time is asked for.
func TestTheLastLookIsBeforeTheRename(t *testing.T) {
	for name, does := range map[string]string{"written": "", "after the client's command": "exit 1"} {
		t.Run(name, func(t *testing.T) {
			w, claude := worldWith(t, "claude-code")
			asked := 2
			if does != "" {
				w.standIn("claude", does)
				asked = 3 // a receipt is kept before the command, too
			}
			path := w.servers(claude)
			w.write(path, mine, 0o600)
			change := of(t, w.Plan(claude, w.desired), path)
			w.meanwhile(path, `{"theirs": 1}`, asked)
			_, err := w.Apply(t.Context(), change)
			require.ErrorContains(t, err, "meanwhile")
			w.requireText(`{"theirs": 1}`, path)
			left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".handoff-*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
