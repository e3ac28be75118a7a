//go:build unix

package together_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	sdkclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/mcp/auth"
	"handoff/schemas"
	"handoff/store/postgres/postgrestest"
)

// A cluster is a database and the nodes that serve it. Commands and sessions of its place use the same database.
type cluster struct {
	*place
	address string // of the database
	restart func(hard bool) error
	nodes   []atomic.Pointer[node]

	database    *pgxpool.Pool
	front       *httptest.Server // the balancer
	connections *http.Transport  // of it, to nodes
	turn        atomic.Int64     // of the node that it asks next
	hashed      bool             // it asks by the path instead
}

// A node is "handoff serve --http".
type node struct {
	cmd   *exec.Cmd
	host  string        // where it listens
	ended chan struct{} // closed when it was waited for

	frozen atomic.Bool // it is paused, and not to be killed
}

// newCluster starts nodes, and a balancer before them.
func newCluster(t testing.TB, nodes int) *cluster {
	t.Helper()
	c := &cluster{place: newPlace(t), nodes: make([]atomic.Pointer[node], nodes)}
	c.address, c.restart = postgrestest.StartRestartable(t)
	c.env = append(c.env, "HANDOFF_STORE="+c.address)
	c.database = postgrestest.ConnectPool(t, c.address)
	t.Cleanup(func() {
		for i := range c.nodes {
			c.kill(i)
		}
	})
	for i := range c.nodes {
		require.NoError(t, c.begin(i))
	}
	c.connections = &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(c.connections.CloseIdleConnections)
	c.front = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "node"}) },
		Transport: roundTrip(c.balance), FlushInterval: -1, ErrorHandler: busy, ErrorLog: log.New(io.Discard, "", 0),
	})
	t.Cleanup(c.front.Close)
	return c
}

// begin starts a node, and returns when it serves, or has ended because the database is away.
func (c *cluster) begin(i int) error {
	n, err := c.serve("--store", c.address)
	if err == nil && n.host != "" {
		c.nodes[i].Store(n)
	}
	return err
}

// serve starts a server, and returns when it serves, or has ended.
func (p *place) serve(args ...string) (*node, error) {
	file, err := os.CreateTemp(p.logs, "node-*")
	if err != nil {
		return nil, err
	}
	said := &announcement{log: file, host: make(chan string, 1)}
	n := &node{cmd: p.command(append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...), ended: make(chan struct{})}
	n.cmd.Stderr = said
	if err := n.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(n.ended)
		_ = errors.Join(n.cmd.Wait(), file.Close()) // the function that kills it reports errors
	}()
	select {
	case n.host = <-said.host:
	case <-n.ended:
	}
	return n, nil
}

// kill kills a node without warning, if it is there.
func (c *cluster) kill(i int) {
	if n := c.nodes[i].Swap(nil); n != nil {
		n.kill()
	}
}

func (n *node) kill() {
	_ = n.cmd.Process.Kill()
	<-n.ended
}

// balance sends a request to one node after the other until one answers, as a balancer does. It names the request, so
// that a request without an answer may be repeated.
func (c *cluster) balance(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%d %s", time.Now().Unix(), rand.Text())
	at := c.turn.Add(1)
	if c.hashed {
		at = int64(crc32.ChecksumIEEE([]byte(r.URL.Path)))
	}
	for i := range int64(2 * len(c.nodes)) {
		n := c.nodes[(at+i)%int64(len(c.nodes))].Load()
		if n == nil {
			continue
		}
		try := r.Clone(r.Context())
		try.URL.Host, try.Host, try.Body = n.host, n.host, io.NopCloser(bytes.NewReader(body))
		try.Header.Set(mcp.RequestHeader, name)
		resp, err := c.connections.RoundTrip(try)
		if err == nil || r.Context().Err() != nil {
			return resp, err
		}
	}
	return nil, errors.New("no node answers")
}

// busy is the response of the balancer if no node answers.
func busy(w http.ResponseWriter, _ *http.Request, err error) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, err.Error(), http.StatusServiceUnavailable)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// owner is the number of the node that owns the workspace.
func (c *cluster) owner() (number int, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, time.Second)
	defer cancel()
	var pid int
	err = c.database.QueryRow(ctx, "select coalesce(note::json->>'pid', '0')::int from handoff_workspace").Scan(&pid)
	for i := range c.nodes {
		if n := c.nodes[i].Load(); n != nil && n.cmd.Process.Pid == pid {
			return i, err
		}
	}
	return -1, err
}

// An announcement takes the output of a node, until the node has named its address.
type announcement struct {
	log  io.Writer
	host chan string // gets it

	mu   sync.Mutex // guards the fields below
	said []byte
	told bool
}

var serves = regexp.MustCompile(`(?m)^serving http://([^/]+)/`)

func (a *announcement) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.told {
		a.said = append(a.said, p...)
		if found := serves.FindSubmatch(a.said); found != nil {
			a.told = true
			a.host <- string(found[1])
		}
	}
	return a.log.Write(p)
}

// A remote is a client over HTTP whose calls go through the balancer. It has no session: each call may meet another
// node.
type remote struct{ *sdkclient.Client }

func (c *cluster) remote(agent string) (*remote, error) { return c.join(c.front.URL+"/w/w/mcp", agent) }

// join connects to a server as an agent.
func (p *place) join(address, agent string) (*remote, error) {
	way, err := transport.NewStreamableHTTP(address, transport.WithHTTPHeaders(map[string]string{auth.AgentHeader: agent}),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	r := &remote{sdkclient.NewClient(way, sdkclient.WithProtocolVersion(sdk.ProtocolVersion20260728))}
	if err := r.Start(p.ctx); err != nil {
		return nil, err
	}
	p.t.Cleanup(func() { _ = r.Close() })
	hello := sdk.InitializeRequest{}
	hello.Params.ProtocolVersion = sdk.ProtocolVersion20260728
	hello.Params.ClientInfo = sdk.Implementation{Name: "test", Version: "1"}
	_, err = r.Initialize(p.ctx, hello)
	return r, err
}

func (r *remote) call(ctx context.Context, tool string, in, out any) error {
	q := sdk.CallToolRequest{}
	q.Params.Name, q.Params.Arguments = tool, in
	result, err := r.CallTool(ctx, q)
	if err != nil && strings.Contains(err.Error(), "status 503") { // the SDK does not give the header
		return schemas.Errorf(schemas.Unavailable, "no node answers").WithRetryAfter(time.Second)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	text := result.Content[0].(sdk.TextContent).Text
	if result.IsError {
		return refusal(tool, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal([]byte(text), out)
}
