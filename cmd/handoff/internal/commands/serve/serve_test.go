package serve_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// stopIgnoring lets the programs that the test starts receive a signal, even if the test runs under nohup.
func stopIgnoring(t *testing.T, sig os.Signal) {
	t.Helper()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, sig)
	t.Cleanup(func() { signal.Stop(heard) })
}

func TestServe_EndsOnSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal")
	}
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			stopIgnoring(t, sig)
			p := commandtest.NewHome(t)
			keeper, said := p.StartAndKeepOpen("serve", "--workspace", "w", "--max-title-bytes", "10")
			dir := filepath.Join(p.State, "handoff", "w")
			require.Equal(t, fmt.Sprintf("workspace w is served by this process, %d, from %s\n", keeper.Process.Pid, dir), said)
			p.Must("send", "qa", "Test it", "--agent", "dev")
			require.FileExists(t, filepath.Join(dir, "owner.json"))
			code, _, errs := p.Run("send", "qa", "x", "--agent", "dev", "--title", "longer than ten")
			require.Equal(t, 1, code, "the limits are those of the owner: %s", errs)

			require.NoError(t, keeper.Process.Signal(sig))
			require.NoError(t, keeper.Wait())
			require.NoFileExists(t, filepath.Join(dir, "owner.json"))
			require.Contains(t, p.Must("list"), "Test it")
		})
	}
}

func TestServe_WaitsUntilOwnerEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signal")
	}
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	s.Request("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	keeper, said := p.StartAndKeepOpen("serve", "--workspace", "w")
	require.Equal(t, fmt.Sprintf("workspace w is served by another process (pid %d); this one, %d, is in line\n", s.Cmd.Process.Pid, keeper.Process.Pid), said)
	require.NoError(t, keeper.Process.Signal(syscall.SIGTERM))
	require.NoError(t, keeper.Wait())
	s.CloseInput()
}

func TestServer_ServesWithInvalidTraceEndpoint(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	odd := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "nowhere"}
	code, _, errs := p.RunWith(odd, "mcp", "--agent", "dev")
	require.Zero(t, code)
	require.Contains(t, errs, "no traces are sent")
	code, _, errs = p.RunWith(odd, "serve")
	require.NotZero(t, code)
	require.Contains(t, errs, "OTEL_EXPORTER_OTLP_ENDPOINT")
	_, _, errs = p.Run("mcp", "--agent", "dev")
	require.NotContains(t, errs, "traces")
}

// The last call of a client ends a handoff, and then its server. The server still sends its spans.
func TestServer_SendsLastSpans(t *testing.T) {
	t.Parallel()
	var sent strings.Builder // read when the collector is closed
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(&sent, r.Body) // checks below miss lost spans
	}))
	s := commandtest.NewHome(t).StartServerFor("codex-mcp-client", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL})
	s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "codex", "task": "build it"}}`)
	s.Request("tools/call", `{"name": "claim_handoff", "arguments": {"handoff_id": "1"}}`)
	done := s.Request("tools/call", `{"name": "complete_handoff", "arguments": {"handoff_id": "1", "summary": "built"}}`)
	require.NotContains(t, done, "isError")
	require.NoError(t, s.In.Close())
	require.Zero(t, s.Wait(), s.LogOutput())
	collector.Close()
	for _, span := range []string{"queued", "working", "handoff"} {
		require.Contains(t, sent.String(), `"name":"`+span+`"`)
	}
}

func TestServe_MetricsNeedToken(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	secret := strings.TrimSpace(p.Must("token", "add", "ci", "--agents", "qa"))
	keeper := exec.CommandContext(t.Context(), commandtest.Program, "serve", "--workspace", "w", "--http", "127.0.0.1:0")
	keeper.Env = p.Environ()
	stderr, err := keeper.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, keeper.Start())
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "serving ") {
	}
	address := strings.TrimSuffix(strings.TrimPrefix(lines.Text(), "serving "), "/mcp")
	for token, status := range map[string]int{secret: http.StatusOK, "hnd_wrong": http.StatusUnauthorized} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/metrics", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, errors.Join(err, response.Body.Close()))
		require.Equal(t, status, response.StatusCode)
		require.Equal(t, status == http.StatusOK, strings.Contains(string(text), "handoff_calls_total"))
		require.Equal(t, status == http.StatusOK, strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain"))
	}
	require.NoError(t, keeper.Process.Kill())
	_ = keeper.Wait() // it was killed
}
