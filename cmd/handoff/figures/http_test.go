//go:build linux

package figures_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// overHTTP measures many clients, each with a connection of its own.
func (r *run) overHTTP(state string, stored int) {
	ours, empty := r.serve(state), r.start(state, r.empty, "-http")
	addr, err := empty.out.ReadString('\n')
	require.NoError(r, err)
	theirs := &site{run: r, addr: strings.TrimSpace(addr)}
	defer func() { ours.end(); empty.end() }()
	var n atomic.Int64
	for _, clients := range []int{1, 8, 64, 200} {
		a, b := ours.join(clients), theirs.join(clients)
		aim := map[int]string{200: "≥ 0.45"}[clients]
		r.add(fmt.Sprintf("HTTP, %d stored: sends of 2 KB, %d clients", stored, clients), "/s", "echoes of 2 KB", aim, func() (float64, float64) {
			sends := ours.flood(a, func(string) string { i := int(n.Add(1)); return send(box(i), i) })
			return sends, theirs.flood(b, echo)
		})
		leave(a)
		leave(b)
	}
}

// site is a server on a port of this machine.
type site struct {
	*run
	addr string
	cmd  *exec.Cmd
}

// serve starts our server, which says on standard error where it serves.
func (r *run) serve(state string) *site {
	cmd := r.command(state, r.program, "serve", "--http", "127.0.0.1:0", "--workspace", "figures")
	said, err := cmd.StderrPipe()
	require.NoError(r, err)
	require.NoError(r, cmd.Start())
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "serving http://"); ok {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			addr, _, _ := strings.Cut(url, "/")
			return &site{run: r, addr: addr, cmd: cmd}
		}
	}
	r.Fatal("it does not serve")
	return nil
}

func (s *site) end() {
	require.NoError(s, s.cmd.Process.Signal(syscall.SIGTERM))
	_ = s.cmd.Wait() // the signal is its status
}

// A client is a session over one connection. It does little work, because it uses the same processors as the server.
type client struct {
	net.Conn
	in   *bufio.Reader
	head string
}

func (s *site) join(clients int) (all []*client) {
	for range clients {
		conn, err := new(net.Dialer).DialContext(s.Context(), "tcp", s.addr)
		require.NoError(s, err)
		c := &client{Conn: conn, in: bufio.NewReader(conn)}
		c.head = "POST /mcp HTTP/1.1\r\nHost: " + s.addr + "\r\nContent-Type: application/json\r\n" +
			"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n"
		head, _, err := c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + hello + `}`)
		require.NoError(s, err)
		c.head += "Mcp-Session-Id: " + head.Get("Mcp-Session-Id") + "\r\n"
		_, _, err = c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		require.NoError(s, err)
		all = append(all, c)
	}
	return all
}

func leave(all []*client) {
	for _, c := range all {
		_ = c.Close()
	}
}

func (c *client) post(text string) (http.Header, string, error) {
	if _, err := fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", c.head, len(text), text); err != nil {
		return nil, "", err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.Header, string(body), err
}

// flood has the clients make calls, and gives how many were answered in a second.
func (s *site) flood(all []*client, params func(string) string) float64 {
	var left atomic.Int64
	left.Store(int64(s.calls))
	var working sync.WaitGroup
	began := time.Now()
	for _, c := range all {
		working.Go(func() {
			for i := left.Add(-1); i >= 0; i = left.Add(-1) {
				_, text, err := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, i+2, params("")))
				if err != nil || !strings.Contains(text, `"result"`) || strings.Contains(text, `"isError":true`) {
					s.Errorf("%v: %s", err, text)
					return
				}
			}
		})
	}
	working.Wait()
	return float64(s.calls) / time.Since(began).Seconds()
}
