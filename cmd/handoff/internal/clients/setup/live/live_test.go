//go:build unix

package live_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/tools/platform/platformtest"
)

// server is a program that a stranger may have configured: a shell script.
func server(t *testing.T, script string) live.Trial {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "server")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o700))
	return program(file)
}

// program calls a program as a client of an odd name.
func program(file string) live.Trial {
	trial := live.Trial{Machine: client.Machine{Getenv: os.Getenv, Project: os.TempDir()}, As: `a "client"`}
	trial.Entry.Command = []string{file}
	return trial
}

func TestAsk_StartsProgram(t *testing.T) {
	answer, err := server(t, `
		read -r ask; case "$ask" in *'"name":"a \"client\""'*) ;; *) exit 9;; esac
		echo '{"jsonrpc":"2.0","method":"notifications/message"}'
		printf '%s\n' '`+greeting+`'
		read -r done; read -r ask; echo '`+listing+`'
		cat >/dev/null`).Ask(t.Context())
	require.NoError(t, err)
	require.Equal(t, both, answer)
}

// A server may send requests of its own to the client, under its own ids.
func TestAsk_SkipsOtherMessages(t *testing.T) {
	answer, err := server(t, `
		read -r ask
		echo '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
		echo '{"jsonrpc":"2.0","id":"one","method":"ping"}'
		echo '{"jsonrpc":"2.0","id":7,"result":{"serverInfo":{"name":"another"}}}'
		printf '%s\n' '`+greeting+`'
		read -r done; read -r ask
		echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'
		echo '`+listing+`'
		cat >/dev/null`).Ask(t.Context())
	require.NoError(t, err)
	require.Equal(t, both, answer)
}

func TestAsk_OfBadProgramFails(t *testing.T) {
	for name, tt := range map[string]struct{ script, why string }{
		"fails":           {"echo first >&2; echo no store >&2; exit 3", "it ended without an answer (exit status 3): no store"},
		"ends":            {"exit 0", "it ended without an answer"},
		"is another":      {"echo Hello; cat >/dev/null", "something else than MCP"},
		"another":         {`echo '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"files"}}}'; cat >/dev/null`, `the server is "files", and not handoff`},
		"refuses":         {`echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"not today"}}'; cat >/dev/null`, "not today"},
		"knows no such":   {`echo '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}'; cat >/dev/null`, "what?"},
		"never ends line": {`head -c 5000000 /dev/zero | tr '\0' x`, "it ended without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := server(t, tt.script).Ask(t.Context())
			require.ErrorContains(t, err, tt.why)
		})
	}
	_, err := program(filepath.Join(t.TempDir(), "nothing")).Ask(t.Context())
	require.ErrorContains(t, err, "start it")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	_, err = server(t, "exit 0").Ask(t.Context())
	require.ErrorContains(t, err, "it was not tried")
}

// A program may write errors without end. They are neither kept in memory nor printed.
func TestAsk_ErrorHasLastLineOfStderr(t *testing.T) {
	_, err := server(t, "head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 3").Ask(t.Context())
	require.ErrorContains(t, err, "(exit status 3): xxx")
	require.Less(t, len(err.Error()), 500)
	_, err = server(t, "head -c 5000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo no store >&2; exit 3").Ask(t.Context())
	require.ErrorContains(t, err, "(exit status 3): no store")
}

// A silent program does not keep the caller longer than its context. The configured program may be a shell that starts
// another one.
func TestAsk_KillsSilentProgramWithChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	child := platformtest.NewChild(t, cancel)
	_, err := server(t, child.StartLine()+"wait").Ask(ctx)
	require.Error(t, err)
	child.RequireEnd(t)
}

func TestAsk_KillsProcessesLeftByProgram(t *testing.T) {
	child := platformtest.NewChild(t, func() {})
	_, err := server(t, child.StartLine()+`
		read -r ask; printf '%s\n' '`+greeting+`'
		read -r done; read -r ask; echo '`+listing+`'
		cat >/dev/null`).Ask(t.Context())
	require.NoError(t, err)
	child.RequireEnd(t)
}
