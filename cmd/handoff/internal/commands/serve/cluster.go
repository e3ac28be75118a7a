package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/web"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mcp/auth"
	"handoff/schemas"
	"handoff/tools/platform"
)

// databaseServer serves all workspaces of a database over HTTP, each at its own address /w/NAME. It opens a workspace
// at the first request for the workspace, and closes the workspace after idleTimeout without requests.
type databaseServer struct {
	*servingCommand
	node *cluster.Node
	site *web.Server
	log  *slog.Logger
	life context.Context // ends with the server

	closing sync.WaitGroup // rooms that are being closed

	mu    sync.Mutex // guards the field below
	rooms map[string]*servedWorkspace
}

// servedWorkspace is a workspace that is open, or that databaseServer is opening.
type servedWorkspace struct {
	*workspaceHandler
	open  func() error // opens it at the first call; each call returns the result of the first one
	close func()       // gives it up; set by open

	inside int       // requests; guarded by the mutex of the server
	since  time.Time // the end of the last request; likewise
}

// idleTimeout is the time without requests after which a workspace closes. Closing ends the MCP sessions of the
// workspace. Their clients then begin new MCP sessions.
const idleTimeout = 15 * time.Minute

// serveDatabase serves the workspaces of a database until ctx is done.
func (s *servingCommand) serveDatabase(ctx context.Context, stderr io.Writer, log *slog.Logger) error {
	platform.SetMemoryLimit(true)
	node, err := cluster.Join(ctx, cluster.Config{
		Store: s.network.store, Advertise: s.network.advertise, Stays: true, Now: s.Now, Logger: log,
	})
	if err != nil {
		return err
	}
	defer node.Close()
	life, end := context.WithCancel(ctx)
	b := &databaseServer{servingCommand: s, node: node, log: log, life: life, rooms: map[string]*servedWorkspace{}}
	defer b.closeAll(ctx)
	defer end()
	site := s.network.site
	site.Open, site.Rooms, site.Nodes, site.Ready = !s.needsTokens(), b, node, node.Ready
	site.Logger, site.Now = log, s.Now
	if b.site, err = web.Listen(ctx, site); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "serving %s/w/NAME/mcp\n", s.network.clientURL(b.site.Addr()))
	broke := make(chan error, 1)
	go func() { broke <- b.site.Serve() }()
	if err := node.Ready(ctx); err != nil {
		log.WarnContext(ctx, "workspaces cannot be served yet", slog.Any("error", err))
	}
	for {
		select {
		case <-ctx.Done():
			return errors.Join(shutDownSite(b.site, b.log, b.closeAll), <-broke)
		case err := <-broke:
			return err
		case <-time.After(time.Minute):
			b.closeIdleWorkspaces()
		}
	}
}

// needsTokens reports whether other machines can reach the server. If they can, every caller needs a token.
func (s *servingCommand) needsTokens() bool {
	host, _, err := net.SplitHostPort(s.network.site.Addr)
	return err != nil || !auth.IsLoopback(host)
}

// ServeHTTP passes a request to the handler of its workspace.
func (b *databaseServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, what, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/w/"), "/")
	in, err := b.acquireWorkspace(name)
	if err != nil {
		web.WriteRefusal(w, err, b.authChallenge)
		return
	}
	defer b.releaseWorkspace(in)
	switch what {
	case "mcp":
		in.endpoint.ServeHTTP(w, r)
	case "metrics":
		in.serveMetrics(w, r)
	default:
		web.WriteRefusal(w, schemas.Errorf(schemas.NotFound, "nothing is served here").
			WithHint("MCP is spoken at /w/%s/mcp.", name), b.authChallenge)
	}
}

// acquireWorkspace returns a workspace for one request, and opens the workspace if it is closed. The caller must call
// releaseWorkspace when the request is over.
func (b *databaseServer) acquireWorkspace(name string) (*servedWorkspace, error) {
	if !schemas.IsValidName(name) {
		return nil, schemas.Invalidf("workspace", "%q is not a workspace name", schemas.EscapeHidden(name)).
			WithHint("Names are 1 to 64 of A-Z a-z 0-9 . _ - and do not begin with . or -.")
	}
	b.mu.Lock()
	in := b.rooms[name]
	if in == nil {
		in = &servedWorkspace{}
		in.open = sync.OnceValue(func() error { return b.openWorkspace(in, name) })
		b.rooms[name] = in
	}
	in.inside++
	b.mu.Unlock()
	if err := in.open(); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.rooms[name] == in { // the next request tries again
			delete(b.rooms, name)
		}
		return nil, err
	}
	return in, nil
}

func (b *databaseServer) releaseWorkspace(in *servedWorkspace) {
	b.mu.Lock()
	defer b.mu.Unlock()
	in.inside--
	in.since = b.Now()
}

// openWorkspace opens a workspace, until in.close is called.
func (b *databaseServer) openWorkspace(in *servedWorkspace, name string) error {
	if err := b.checkMayOpen(b.life, name); err != nil {
		return err
	}
	ws, err := workspace.Named(name, b.Getenv)
	if err != nil {
		return err
	}
	opening := cli.OpenOptions{Logger: b.log, Stays: true, Cluster: b.node}
	boxes, closeWorkspace, err := b.KeepWorkspaceOpen(context.WithoutCancel(b.life), ws, opening)
	if err != nil {
		return err
	}
	endTracing, err := startTracing(b.life, b.App, ws, boxes, b.log)
	if err == nil {
		in.workspaceHandler, err = b.newWorkspaceHandler(ws, boxes, b.log)
	}
	if err != nil {
		endTracing()
		return errors.Join(err, closeWorkspace())
	}
	stop := in.startBackgroundTasks(b.life)
	in.close = sync.OnceFunc(func() {
		shutdown, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		in.endpoint.Shutdown(shutdown)
		stop()
		endTracing()
		if err := closeWorkspace(); err != nil {
			b.log.Error("a workspace was not closed well", slog.String("workspace", name), slog.Any("error", err))
		}
	})
	return nil
}

// checkMayOpen refuses a workspace that does not exist, if other machines can reach the server. Without this check,
// callers on other machines could create workspaces.
func (b *databaseServer) checkMayOpen(ctx context.Context, name string) error {
	if !b.needsTokens() {
		return nil
	}
	known, err := b.node.HasWorkspace(ctx, name)
	if err == nil && !known {
		err = schemas.Errorf(schemas.NotFound, "there is no workspace %s", name).
			WithHint("HANDOFF_STORE=URL handoff token add NAME --workspace %s makes it, and a token for it.", name)
	}
	return err
}

// closeIdleWorkspaces closes workspaces that had no request for idleTimeout.
func (b *databaseServer) closeIdleWorkspaces() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, in := range b.rooms {
		if in.inside == 0 && !in.since.IsZero() && b.Now().Sub(in.since) > idleTimeout {
			delete(b.rooms, name)
			b.closing.Go(in.close) // a database that hangs delays nothing else
		}
	}
}

// closeAll closes all workspaces. It takes a context because [shutDownSite] gives one, and does not use it.
func (b *databaseServer) closeAll(context.Context) {
	b.mu.Lock()
	for _, in := range b.rooms {
		b.closing.Go(func() {
			if in.open() == nil {
				in.close()
			}
		})
	}
	b.mu.Unlock()
	b.closing.Wait()
}

// checkCluster finds faults in the flags about a database.
func (n *networkOptions) checkCluster() error {
	if n.store == "" || n.advertise == "" {
		return nil
	}
	at, err := url.Parse(n.advertise)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "",
		at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return schemas.Invalidf("--advertise", "%q is not the URL of a node", schemas.EscapeHidden(n.advertise)).
			WithHint("Give it as the other nodes reach it, such as https://node1.example.com:4263.")
	case at.Scheme == "http" && !n.site.Insecure && !auth.IsLoopback(at.Hostname()):
		return schemas.Invalidf("--advertise", "calls would go over the network unencrypted").
			WithHint("Give --tls-cert and --tls-key and an https URL, or --insecure where the network is yours alone.")
	}
	return nil
}
