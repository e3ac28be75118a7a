package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/web"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mcp"
	"handoff/mcp/auth"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
	"handoff/tools/relay"
	"handoff/tools/telemetry"
)

// workspaceHandler serves one workspace to agents over HTTP.
type workspaceHandler struct {
	*servingCommand
	workspace workspace.Workspace
	boxes     *relay.Relay
	log       *slog.Logger

	metrics  *telemetry.Metrics
	gate     *auth.Gate
	endpoint *mcp.Endpoint
	checked  *checking.CompletionChecker
}

// httpServer is an HTTP server for one workspace.
type httpServer struct {
	*workspaceHandler
	site   *web.Server
	health storeChecker
}

// shutdownTimeout is the time that running requests have to finish when the server ends. The remaining part of
// [platform.DrainLimit] is reserved for sending the last spans and closing the store.
const shutdownTimeout = platform.DrainLimit - 1300*time.Millisecond

// listenHTTP begins to listen; it answers no request before serve.
func (s *servingCommand) listenHTTP(
	ctx context.Context, ws workspace.Workspace, boxes *relay.Relay, log *slog.Logger,
) (_ *httpServer, err error) {
	platform.SetMemoryLimit(true)
	h := &httpServer{health: storeChecker{boxes: boxes, log: log}}
	if h.workspaceHandler, err = s.newWorkspaceHandler(ws, boxes, log); err != nil {
		return nil, err
	}
	needed, err := h.gate.NeedsToken(ctx) // while the store is away, tokens count as needed
	site := s.network.site
	site.Open, site.MCP, site.Ready = err == nil && !needed, h.endpoint, h.health.checkReady
	site.Metadata, _ = s.network.metadataHandler()
	site.Metrics = http.HandlerFunc(h.serveMetrics)
	site.Logger, site.Now = log, s.Now
	h.site, err = web.Listen(ctx, site)
	return h, err
}

// newWorkspaceHandler makes a workspace ready for agents that come over HTTP.
func (s *servingCommand) newWorkspaceHandler(
	ws workspace.Workspace, boxes *relay.Relay, log *slog.Logger,
) (*workspaceHandler, error) {
	issuer, err := s.network.newTokenVerifier(s.App, log)
	if err != nil {
		return nil, err
	}
	h := &workspaceHandler{servingCommand: s, workspace: ws, boxes: boxes, log: log}
	h.metrics = telemetry.NewMetrics(telemetry.MetricsConfig{Invoker: boxes, Version: s.Release.Version, Now: s.Now, Logger: log})
	h.gate = auth.New(auth.Config{
		Invoker: boxes, NewRequestID: newRequestIDs(s.App), Now: s.Now, Issuer: issuer, Rate: s.network.rate, Logger: log,
		Denied: func(why auth.RefusalReason) { h.metrics.CountDenied(string(why)) },
	})
	h.endpoint = h.newMCPServer().NewEndpoint(mcp.HTTPConfig{Caller: h.authenticate, Recheck: h.gate.Recheck, Challenge: s.authChallenge, Now: s.Now})
	return h, nil
}

// authChallenge returns the status of a refusal, and tells the client how to ask for a token.
func (s *servingCommand) authChallenge(h http.Header, refused error) (status int) {
	_, at := s.network.metadataHandler()
	value, unauthorized := auth.ChallengeHeader(refused, at)
	if value != "" {
		h.Set("WWW-Authenticate", value)
	}
	if unauthorized {
		return http.StatusUnauthorized
	}
	return schemas.Codes[schemas.AsError(refused).Code].HTTP
}

// newMCPServer returns the MCP server for remote callers. The checks of their completions run in the checkout of this
// process, if there is one.
func (h *workspaceHandler) newMCPServer() *mcp.Server {
	h.checked = &checking.CompletionChecker{Invoker: h.Declarer(h.metrics.WrapInvoker(h.boxes)), Patience: checksTimeout, Remote: true}
	if dir, err := h.WorkspaceConfig().FilesDir(); err == nil {
		h.checked.ProjectChecks, _ = h.Checks(dir) // without a directory no check runs
	}
	return mcp.New(mcp.Config{
		Invoker: h.checked, Caller: schemas.Caller{Via: schemas.ViaHTTP},
		Name: defaultAgentName, NewRequestID: newRequestIDs(h.App), Now: h.Now,
		Version: h.Release.Version, Logger: h.log, Extension: h.Extension,
		Workspace: func() (name, warning string) { return h.workspace.Name, "" },
	})
}

// authenticate returns the caller of a request, and adds it to the log of requests.
func (h *workspaceHandler) authenticate(r *http.Request) (schemas.Caller, error) {
	by, err := h.gate.Caller(r)
	if by.Token != "" {
		web.AddLogAttributes(r.Context(), slog.String("token", by.Token), slog.String("agent", string(by.Agent)))
	}
	return by, err
}

// metricsTimeout limits the time to write metrics.
const metricsTimeout = 10 * time.Second

// serveMetrics writes the metrics in the text format of Prometheus. It refuses a request without a valid token, because
// the metrics name agents and mailboxes.
func (h *workspaceHandler) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if _, err := h.authenticate(r); err != nil {
		web.WriteRefusal(w, err, h.authChallenge)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	ctx, cancel := context.WithTimeout(r.Context(), metricsTimeout)
	defer cancel()
	if err := h.metrics.Write(ctx, w); err != nil {
		h.log.DebugContext(ctx, "the figures were not read to their end", slog.Any("error", err))
	}
}

// serve answers requests until ctx is done, and then finishes the requests under way.
func (h *httpServer) serve(ctx context.Context, stderr io.Writer) error {
	fmt.Fprintf(stderr, "serving %s/mcp\n", h.network.clientURL(h.site.Addr()))
	end := h.startBackgroundTasks(ctx, h.health.checkPeriodically)
	broke := make(chan error, 1)
	go func() { broke <- h.site.Serve() }()
	var err error
	select {
	case <-ctx.Done():
		err = errors.Join(h.shutDown(), <-broke)
	case err = <-broke:
		err = errors.Join(err, h.shutDown())
	}
	end()
	return err
}

// startBackgroundTasks updates the metrics and runs the given functions, all in the background. The returned function
// end stops these tasks.
func (h *workspaceHandler) startBackgroundTasks(ctx context.Context, also ...func(context.Context)) (end func()) {
	watching, stop := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	watchers.Go(func() { h.metrics.Follow(watching, h.boxes) })
	for _, do := range also {
		watchers.Go(func() { do(watching) })
	}
	return func() {
		stop()
		h.checked.Stop()
		watchers.Wait()
	}
}

func (h *httpServer) shutDown() error { return shutDownSite(h.site, h.log, h.endpoint.Shutdown) }

// shutDownSite waits for running requests, but at most shutdownTimeout. It then cuts off the remaining requests. This
// is no error, and shutDownSite only logs it. Meanwhile the function leave tells long polls that the server leaves.
func shutDownSite(site *web.Server, log *slog.Logger, leave func(context.Context)) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	var ending sync.WaitGroup
	ending.Go(func() { leave(ctx) })
	err := site.Shutdown(ctx)
	ending.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("some clients did not take their answers in time")
		return nil
	}
	return err
}

// clientURL returns the address for clients of a server that listens at an address. A server that listens on all
// addresses gets the first allowed host name as its host.
func (n *networkOptions) clientURL(at net.Addr) string {
	scheme, addr := "http", at.String()
	if n.site.Cert != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(addr)
	if names := n.site.Hosts; err == nil && net.ParseIP(host).IsUnspecified() && len(names) > 0 {
		addr = net.JoinHostPort(names[0], port)
	}
	return scheme + "://" + addr
}

// checkEvery is the interval at which a server compares the whole registry with the records. The check reads the whole
// store. A server for all workspaces of a database makes no such check, because it would read the store again for each
// change of the owner. After a check that could not run, the server waits for checkAgain. After a check that found
// problems, it waits for checkDamaged.
const (
	checkEvery   = time.Hour
	checkDamaged = time.Minute
	checkAgain   = 10 * time.Second
)

// storeChecker checks the store, and says whether the server is ready.
type storeChecker struct {
	boxes *relay.Relay
	log   *slog.Logger

	problems atomic.Int64 // of the last check; zero before the first
}

// checkPeriodically checks the store from time to time, until ctx is done.
func (c *storeChecker) checkPeriodically(ctx context.Context) {
	for pause := time.Duration(0); platform.Sleep(ctx, pause); {
		out, err := tools.InvokeTyped[schemas.AuditOut](ctx, c.boxes, tools.Call{Tool: "audit_verify"}, schemas.AuditIn{})
		if err != nil {
			pause = checkAgain
			if ctx.Err() == nil {
				c.log.WarnContext(ctx, "the store could not be checked", slog.Any("error", err))
			}
			continue
		}
		if pause = checkEvery; !out.OK {
			pause = checkDamaged
			const said = "the store failed its check: handoff audit verify shows how"
			c.log.ErrorContext(ctx, said, slog.Int("problems", len(out.Problems)))
		}
		c.problems.Store(int64(len(out.Problems)))
	}
}

// checkReady returns an error if the store cannot be reached, cannot keep changes, or failed its last check.
func (c *storeChecker) checkReady(ctx context.Context) error {
	if problems := c.problems.Load(); problems > 0 {
		return fmt.Errorf("the store failed its check: %s", schemas.CountNoun(problems, "problem"))
	}
	out, err := tools.InvokeTyped[schemas.NewestOut](ctx, c.boxes, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
	if err == nil && out.Failing != "" {
		err = schemas.Errorf(schemas.Unavailable, "changes cannot be kept: %s", out.Failing)
	}
	return err
}
