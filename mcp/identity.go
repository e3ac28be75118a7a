package mcp

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
)

// threadKey is the field in which Codex names, in every request, the thread that makes it.
const threadKey = "threadId"

const maxAgentID = 128 // bytes

// callerOf returns the caller of a request: the caller in the configuration, completed with data that the client sent.
// It waits at most openTimeout until the mailbox knows the connection.
func (s *Server) callerOf(ctx context.Context, meta *sdk.Meta) schemas.Caller {
	sessionOf(ctx).naming.used.Store(true)
	return s.callerWithin(context.WithoutCancel(ctx), meta, openTimeout) // other requests wait for the same result
}

// callerWithin returns the same caller as [Server.callerOf], but waits at most for the given limit. Unlike callerOf, it
// does not count the request as a use of the connection.
func (s *Server) callerWithin(ctx context.Context, meta *sdk.Meta, limit time.Duration) schemas.Caller {
	by, proved := ctx.Value(callerKey{}).(schemas.Caller)
	if !proved {
		by = s.config.Caller
	}
	if client := clientNameOf(ctx); by.Agent == "" && client != "" {
		by.Agent = s.config.Name(client)
		if by.Via != schemas.ViaHTTP { // over HTTP the environment does not belong to the client
			by.AgentID = s.config.Session(by.Agent)
		}
	}
	trace, _ := meta.GetMetaField(traceKey).(string)
	by.Trace = cmp.Or(validTraceparent(trace), by.Trace)
	if thread, _ := meta.GetMetaField(threadKey).(string); thread != "" {
		by.AgentID = schemas.Clip(threadPrefix(by)+schemas.EscapeHidden(thread), maxAgentID)
	}
	return sessionOf(ctx).naming.announce(ctx, by, limit)
}

// threadPrefix returns a prefix for the thread that a client names. Over HTTP the prefix is the MCP session or the
// token of the request, so that no client can act as a thread of another client.
func threadPrefix(by schemas.Caller) string {
	switch {
	case by.Via != schemas.ViaHTTP:
		return ""
	case by.AgentID != "":
		return by.AgentID + "/"
	case by.Token != "":
		return "token:" + url.PathEscape(by.Token) + "/" // names in tokens of other issuers may have a slash
	}
	return "local/"
}

// callerKey is the context key of an HTTP request for its proved caller.
type callerKey struct{}

// traceKey is the name of the caller's span, in the header and in _meta (W3C Trace Context).
const traceKey = "traceparent"

var traceForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`) })

// validTraceparent returns the name of a span if the name is well-formed, otherwise "".
func validTraceparent(named string) string {
	if named == "" || !traceForm().MatchString(named) || strings.Trim(named[3:35], "0") == "" || strings.Trim(named[36:52], "0") == "" {
		return ""
	}
	return named
}

// clientNameOf returns the client's own name. Since revision 2026-07-28 each request contains the name. Before,
// initialize contains it.
func clientNameOf(ctx context.Context) string {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil {
		return info.ClientInfo.Name
	}
	return sessionOf(ctx).GetClientInfo().Name
}

// AgentNameOf turns the name of a client into the name of an agent of at most 64 bytes. It replaces characters that are
// not allowed by "-". A name that is reserved, such as human, gets the suffix "-client". A client without a name is
// "client".
func AgentNameOf(client string) schemas.Agent {
	name := strings.Map(func(r rune) rune {
		if schemas.IsForbiddenInName(r) {
			return '-'
		}
		return r
	}, client)
	name = strings.TrimLeft(name, ".-") // a name must not begin with these
	agent := schemas.Agent(cmp.Or(name[:min(len(name), 64)], "client"))
	if _, err := schemas.ParseAgent("client", string(agent)); err != nil || agent == schemas.Human || agent == schemas.System {
		return agent[:min(len(agent), 64-len("-client"))] + "-client"
	}
	return agent
}
