package mcp

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// A client may start the server in a directory that is no project. The first tool call then asks the client for its
// roots, if the client declared that it has roots. Up to revision 2025-11-25 the server sends the request roots/list.
// Since revision 2026-07-28 a server sends no requests: the result of the call names the input that the call needs, and
// the client repeats the call with the input.

// rootsID names the question for the roots: it is the id of the request, and the key of the input.
const rootsID = "handoff-roots"

// rootsTimeout is the time that the first call waits for the roots.
const rootsTimeout = 5 * time.Second

// rootsQuestion is the question for the roots of one client.
type rootsQuestion struct {
	send    func(any) bool // to the client; nil if the server cannot send requests
	once    sync.Once
	answers chan []string // of the client up to revision 2025-11-25; has room for one
	settled bool          // the client has answered since revision 2026-07-28
	mu      sync.Mutex    // guards settled
}

// requestRoots makes the directories of the client known to the server if the server has no project. It returns the
// result that asks the client for its roots, or nil if the call can go on.
func (s *Server) requestRoots(ctx context.Context, inputs sdk.InputResponses) *sdk.CallToolResult {
	if s.config.UseRoots == nil || s.config.UseRoots(nil) {
		return nil
	}
	q := &sessionOf(ctx).roots
	if server.IsModernRequest(ctx) {
		return s.requestInput(ctx, q, inputs)
	}
	if !hasRoots(ctx) || q.send == nil {
		return nil
	}
	q.once.Do(func() {
		q.send(sdk.JSONRPCRequest{JSONRPC: sdk.JSONRPC_VERSION, ID: sdk.NewRequestId(rootsID), Request: sdk.Request{Method: string(sdk.MethodListRoots)}})
		select {
		case dirs := <-q.answers:
			s.config.UseRoots(dirs)
		case <-time.After(rootsTimeout):
		case <-ctx.Done():
		}
	})
	select {
	case dirs := <-q.answers: // they came late
		s.config.UseRoots(dirs)
	default:
	}
	return nil
}

// requestInput is [Server.requestRoots] since revision 2026-07-28. It asks until the client has answered once.
func (s *Server) requestInput(ctx context.Context, q *rootsQuestion, inputs sdk.InputResponses) *sdk.CallToolResult {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, answered := inputs[rootsID]; answered {
		q.settled = true
		s.config.UseRoots(rootDirs(schemas.ValueOrZero(server.RootsResponse(inputs, rootsID))))
	}
	if q.settled || !hasRoots(ctx) {
		return nil
	}
	return server.NewInputRequestBuilder("").Roots(rootsID).ToolResult()
}

// hasRoots reports whether the client declared that it tells its roots.
func hasRoots(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return schemas.ValueOrZero(info.ClientCapabilities).Roots != nil
	}
	return sessionOf(ctx).GetClientCapabilities().Roots != nil
}

// takeAnswer takes a response of the client. It ignores a response that does not answer the question.
func (q *rootsQuestion) takeAnswer(m jsonrpc.Message) {
	var list sdk.ListRootsResult
	if string(m.ID) != `"`+rootsID+`"` || m.Result != nil && schemas.Decode(m.Result, &list) != nil {
		return
	}
	select {
	case q.answers <- rootDirs(list):
	default:
	}
}

// rootDirs returns the paths of the roots that are files of this machine.
func rootDirs(list sdk.ListRootsResult) (dirs []string) {
	for _, root := range list.Roots {
		at, err := url.Parse(root.URI)
		if err != nil || at.Scheme != "file" {
			continue
		}
		dir := filepath.FromSlash(at.Path)
		if below := strings.TrimPrefix(dir, string(filepath.Separator)); filepath.VolumeName(below) != "" { // file:///C:/shop
			dir = below
		}
		dirs = append(dirs, dir)
	}
	return dirs
}
