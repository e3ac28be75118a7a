package mcp

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// A client may start the server in a directory that is no project. Then the first tool call asks the client for its
// roots, if the client declared that it has roots: the result of the call names the roots as a missing input, and the
// client repeats the call with them (revision 2026-07-28, multi round-trip requests). For a client of an earlier
// revision the SDK calls [session.ListRoots], which sends the request roots/list, and repeats the call itself.

// rootsID names the question for the roots: it is the id of the request, and the key of the input.
const rootsID = "handoff-roots"

// rootsTimeout is the time that a call waits for the answer to roots/list.
const rootsTimeout = 5 * time.Second

// lacksProject reports whether the server has no project yet, and its client may name one.
func (s *Server) lacksProject(ctx context.Context) bool {
	return s.config.UseRoots != nil && !s.config.UseRoots(nil) && !sessionOf(ctx).rootsKnown.Load() && hasRoots(ctx)
}

// requestRoots returns the result that asks the client for its roots, or nil if the call can go on. Inputs are what the
// client gave with the call.
func (s *Server) requestRoots(ctx context.Context, inputs sdk.InputResponses) *sdk.CallToolResult {
	if !s.lacksProject(ctx) {
		return nil
	}
	list := server.RootsResponse(inputs, rootsID)
	if list == nil {
		return server.NewInputRequestBuilder("").Roots(rootsID).ToolResult()
	}
	sessionOf(ctx).rootsKnown.Store(true)
	s.config.UseRoots(rootDirs(list.Roots))
	return nil
}

// hasRoots reports whether the client declared that it has roots.
func hasRoots(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return schemas.ValueOrZero(info.ClientCapabilities).Roots != nil
	}
	return sessionOf(ctx).GetClientCapabilities().Roots != nil
}

// ListRoots asks the client of a connection for its roots. It returns no roots if the client does not answer in time.
func (c *session) ListRoots(ctx context.Context, r sdk.ListRootsRequest) (*sdk.ListRootsResult, error) {
	list := sdk.ListRootsResult{}
	c.send(sdk.JSONRPCRequest{JSONRPC: sdk.JSONRPC_VERSION, ID: sdk.NewRequestId(rootsID), Request: r.Request})
	select {
	case list = <-c.answers:
	case <-time.After(rootsTimeout):
	case <-ctx.Done():
	}
	return &list, nil
}

// takeAnswer takes a response of the client. Only the question for its roots has one.
func (c *session) takeAnswer(m jsonrpc.Message) {
	var list sdk.ListRootsResult
	_ = schemas.Decode(m.Result, &list) // an error is an answer without roots
	select {
	case c.answers <- list:
	default: // it answers no question
	}
}

// rootDirs returns the paths of the roots that are on this machine.
func rootDirs(roots []sdk.Root) (dirs []string) {
	for _, root := range roots {
		if at, err := url.Parse(root.URI); err == nil && at.Scheme == "file" {
			dir := filepath.FromSlash(at.Path)
			if below := strings.TrimPrefix(dir, `\`); filepath.VolumeName(below) != "" { // of file:///C:/shop
				dir = below
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
