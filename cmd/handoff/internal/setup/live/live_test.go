//go:build unix

package live_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/setup/live"
)

const (
	greeting = `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"handoff","version":"1.2.3"},"instructions":"About.\n\nYou are qa in workspace shop.\nMore."}}`
	listing  = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}]}}`
)

var both = live.Answer{Name: "handoff", Version: "1.2.3", You: "You are qa in workspace shop.", Tools: 2}

// server is a program of somebody else, as any may be configured: a shell script.
func server(t *testing.T, script string) live.Program {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "server")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o700))
	return live.Program{Command: []string{file}, Dir: dir, Environ: os.Environ(), As: `a "client"`}
}

func TestAProgramIsAsked(t *testing.T) {
	answer, err := server(t, `
		read -r ask; case "$ask" in *'"name":"a \"client\""'*) ;; *) exit 9;; esac
		echo '{"jsonrpc":"2.0","method":"notifications/message"}'
		printf '%s\n' '`+greeting+`'
		read -r done; read -r ask; echo '`+listing+`'
		cat >/dev/null`).Ask(t.Context())
	require.NoError(t, err)
	require.Equal(t, both, answer)
}

func TestProgramsThatDoNotAnswer(t *testing.T) {
	for name, tt := range map[string]struct{ script, why string }{
		"fails":           {"echo first >&2; echo no store >&2; exit 3", "it ended without an answer (exit status 3): no store"},
		"ends":            {"exit 0", "it ended without an answer"},
		"is another":      {"echo Hello; cat >/dev/null", "something else than MCP"},
		"refuses":         {`echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"not today"}}'; cat >/dev/null`, "not today"},
		"never ends line": {`head -c 5000000 /dev/zero | tr '\0' x`, "it ended without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := server(t, tt.script).Ask(t.Context())
			require.ErrorContains(t, err, tt.why)
		})
	}
	_, err := live.Program{Command: []string{filepath.Join(t.TempDir(), "nothing")}}.Ask(t.Context())
	require.ErrorContains(t, err, "start it")
}

// A program that says nothing is waited for no longer than the caller does.
// What is configured may be a shell that starts something else.
func TestASilentProgramIsKilledWithAllItStarted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := server(t, "sleep 1000 & echo $! >started; wait")
	started := filepath.Join(p.Dir, "started")
	require.NoError(t, syscall.Mkfifo(started, 0o600))
	var said []byte
	var reading sync.WaitGroup
	reading.Go(func() {
		said, _ = os.ReadFile(started) // it ends once the program has begun
		cancel()
	})
	_, err := p.Ask(ctx)
	require.Error(t, err)
	reading.Wait()
	pid, err := strconv.Atoi(strings.TrimSpace(string(said)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, 10*time.Second, time.Millisecond)
}

func TestAnAddressIsAsked(t *testing.T) {
	for name, wrap := range map[string]func(string) string{
		"JSON":   func(s string) string { return s },
		"events": func(s string) string { return "event: message\ndata: " + s + "\n\n" },
		"modern": func(s string) string {
			return strings.Replace(s, `"serverInfo":{"name":"handoff","version":"1.2.3"}`, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"handoff","version":"1.2.3"}}`, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Handoff-Agent") != "qa" {
					w.WriteHeader(http.StatusUnauthorized)
				}
				said := map[string]string{"server/discover": greeting, "tools/list": listing}
				_, _ = io.WriteString(w, wrap(said[r.Header.Get("Mcp-Method")]))
			}))
			defer s.Close()
			answer, err := live.Address{URL: s.URL, Token: "secret", Agent: "qa", As: "x", HTTP: s.Client()}.Ask(t.Context())
			require.NoError(t, err)
			require.Equal(t, both, answer)
		})
	}
}

func TestAddressesThatDoNotAnswer(t *testing.T) {
	for status, why := range map[int]string{401: "does not take the token", 403: "does not take the token", 404: "404 Not Found: nothing here", 200: "something else than MCP"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "nothing here")
		}))
		_, err := live.Address{URL: s.URL, HTTP: s.Client()}.Ask(t.Context())
		s.Close()
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "secret")
	}
}
