package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
)

// patience is the time that a test waits for an expected message.
const patience = time.Minute

// client speaks in lines with a server in this process.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan string // closed at the end of output
	ended chan error  // of ServeStdio
	stop  context.CancelFunc
}

// config returns the configuration of a server over a stand-in, with ids that count up.
func config(s *standIn) mcp.Config {
	var ids atomic.Int64
	return mcp.Config{
		Invoker:      s,
		Caller:       schemas.Caller{Via: schemas.ViaStdio},
		Now:          time.Now,
		NewRequestID: func() string { return "r" + strconv.FormatInt(ids.Add(1), 10) },
		Version:      "1.0.0",
		Workspace:    func() (name, warning string) { return "shop", "" },
	}
}

// connect starts a server and checks, at the end of the test, that it left nothing behind.
func connect(t *testing.T, c mcp.Config) *client {
	t.Helper()
	return connectTo(t, mcp.New(c))
}

// connectTo opens one more connection to a server.
func connectTo(t *testing.T, s *mcp.Server) *client {
	t.Helper()
	before := runtime.NumGoroutine()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	cl := &client{t: t, in: in, out: out, lines: make(chan string, 10_000), ended: make(chan error, 1), stop: stop}
	go func() {
		cl.ended <- s.ServeStdio(ctx, fromClient, toClient)
		toClient.Close()
	}()
	go func() {
		defer close(cl.lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 64<<20)
		for scan.Scan() {
			cl.lines <- scan.Text()
		}
	}()
	t.Cleanup(func() {
		stop()
		in.Close()
		out.Close()
		requireGoroutines(t, before)
	})
	return cl
}

// requireGoroutines waits until at most as many goroutines run as the parameter before says. It does not use
// require.Eventually, which starts goroutines of its own.
func requireGoroutines(t *testing.T, before int) {
	t.Helper()
	late := time.After(patience)
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for runtime.NumGoroutine() > before {
		select {
		case <-again.C:
		case <-late:
			stacks := make([]byte, 1<<20)
			require.Fail(t, "goroutines are left", "%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		_, err := io.WriteString(c.in, l+"\n")
		require.NoError(c.t, err)
	}
}

// nextLine returns the next line of the server.
func (c *client) nextLine() string {
	c.t.Helper()
	select {
	case l, ok := <-c.lines:
		require.True(c.t, ok, "the server ended")
		return l
	case <-time.After(patience):
		require.Fail(c.t, "no answer")
		return ""
	}
}

// remainingLines returns the remaining lines of the server until it ends.
func (c *client) remainingLines() (lines []string) {
	c.t.Helper()
	for {
		select {
		case l, ok := <-c.lines:
			if !ok {
				return lines
			}
			lines = append(lines, l)
		case <-time.After(patience):
			require.Fail(c.t, "the server goes on")
		}
	}
}

// closeInput ends the input and returns the error of ServeStdio.
func (c *client) closeInput() error {
	c.t.Helper()
	c.in.Close()
	return c.awaitEnd()
}

func (c *client) awaitEnd() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(patience):
		require.Fail(c.t, "ServeStdio does not return")
		return nil
	}
}

func initialize(name, version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"clientInfo":{"name":%q,"version":"1"},"capabilities":{}}}`, version, name)
}

// callRequest writes a tool call; args are JSON.
func callRequest(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

func readRequest(uri string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri)
}

// cancellation writes the cancellation of a request; id is JSON.
func cancellation(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id)
}

// modernRequest adds the fields of each request of the 2026-07-28 revision.
func modernRequest(id int, method, params string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"1"}}`
	if params != "" {
		meta += "," + params
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, meta)
}

// answer is any message of the server.
type answer struct {
	ID     json.RawMessage
	Method string
	Result struct {
		IsError           bool
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		Instructions      string
		Tools             []struct {
			Name, Title string
			Annotations struct {
				Title                                                        string
				ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
			}
			InputSchema, OutputSchema json.RawMessage
		}
	}
	Error struct {
		Code    int
		Message string
	}
	Params map[string]any
}

func parse(t *testing.T, line string) (a answer) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(line), &a), line)
	return a
}

// text returns the text of a call's result, which a model reads.
func (a answer) text() string {
	var b strings.Builder
	for _, c := range a.Result.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// captureLog collects the log of a server.
func captureLog(c *mcp.Config) *strings.Builder {
	var b strings.Builder
	c.Logger = slog.New(slog.NewTextHandler(&b, nil))
	return &b
}
