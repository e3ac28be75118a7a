//go:build unix

package network_test

import (
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// A server is "handoff serve --http". It always ends with its test.
type server struct {
	*site
	pid   int
	url   string // of MCP
	addr  string // host:port
	log   *transcript
	cmd   *exec.Cmd
	ended chan struct{} // closed when it was waited for
}

// serve starts a server on a free port of this machine, and waits until it serves.
func (s *site) serve(args ...string) *server {
	s.t.Helper()
	v := s.begin(args...)
	select {
	case v.url = <-v.log.serving:
	case <-v.ended:
		s.t.Fatalf("it does not serve: %s", v.log)
	case <-s.ctx.Done():
		s.t.Fatalf("it never serves: %s", v.log)
	}
	_, rest, _ := strings.Cut(v.url, "//")
	v.addr, _, _ = strings.Cut(rest, "/")
	return v
}

// begin starts a server that may refuse to serve.
func (s *site) begin(args ...string) *server {
	s.t.Helper()
	v := &server{site: s, log: &transcript{serving: make(chan string, 1)}, ended: make(chan struct{})}
	v.cmd = s.command(s.ctx, append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
	v.cmd.Stderr = v.log
	require.NoError(s.t, v.cmd.Start())
	v.pid = v.cmd.Process.Pid
	go func() {
		defer close(v.ended)
		_ = v.cmd.Wait() // the status says it better
	}()
	s.t.Cleanup(func() {
		_ = v.cmd.Process.Kill() // one that has ended cannot be killed, and need not
		<-v.ended
		v.sound()
	})
	return v
}

// sound looks for text that no server may ever log, and shows the log of a failed test.
func (v *server) sound() {
	for _, bug := range []string{"panic", "handler broke", "DATA RACE", "fatal error", "level=ERROR", `"level":"ERROR"`} {
		if strings.Contains(v.log.String(), bug) {
			v.t.Errorf("the server logged %q", bug)
		}
	}
	if text := v.log.String(); v.t.Failed() {
		v.t.Logf("server %d:\n%s", v.pid, text[max(0, len(text)-3000):])
	}
}

// stop has the server end in good order, and tells how long that took.
func (v *server) stop() (took time.Duration) {
	v.t.Helper()
	began := time.Now()
	require.NoError(v.t, v.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(v.t, v.code(), v.log.String())
	return time.Since(began)
}

// code waits for the end of the process and gives its exit status, -1 if a signal ended it.
func (v *server) code() int {
	<-v.ended
	return v.cmd.ProcessState.ExitCode()
}

// page reads another path than MCP of the server.
func (v *server) page(path, secret string) (status int, text string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.ctx, http.MethodGet, strings.TrimSuffix(v.url, "/mcp")+path, nil)
	require.NoError(v.t, err)
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(v.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(v.t, err)
	return resp.StatusCode, string(body)
}

// A transcript is the standard error of a server.
type transcript struct {
	serving chan string // gets the address when the server says it

	mu   sync.Mutex // guards the fields below
	text bytes.Buffer
	told bool
}

var servingLine = regexp.MustCompile(`(?m)^serving (\S+)$`)

func (l *transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if !l.told {
		if found := servingLine.FindSubmatch(l.text.Bytes()); found != nil {
			l.told = true
			l.serving <- string(found[1])
		}
	}
	return len(p), nil
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
