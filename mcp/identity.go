package mcp

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
)

// threadKey is where Codex says, on every request, which of its threads asks.
const threadKey = "threadId"

const maxAgentID = 128 // bytes

// caller is who asks for something of the mailbox: what the configuration says, completed by what the client says
// of itself. The mailbox knows the connection then, unless it does not answer.
func (s *Server) caller(ctx context.Context, meta *sdk.Meta) schemas.Caller {
	if c, ok := server.ClientSessionFromContext(ctx).(*session); ok {
		c.naming.used.Store(true)
	}
	return s.callerWithin(context.WithoutCancel(ctx), meta, opening) // others wait for the answer too
}

// callerWithin is who makes a request that may ask for nothing. It waits as long as that for the mailbox to know
// the connection.
func (s *Server) callerWithin(ctx context.Context, meta *sdk.Meta, limit time.Duration) schemas.Caller {
	by := s.proved(ctx)
	if client := clientName(ctx); by.Agent == "" && client != "" {
		by.Agent = s.config.Name(client)
		if by.Via != schemas.ViaHTTP { // there the surroundings are those of no client
			by.AgentID = s.config.Session(by.Agent)
		}
	}
	trace, _ := meta.GetMetaField(traceKey).(string)
	by.Trace = cmp.Or(traceparent(trace), by.Trace)
	if thread, _ := meta.GetMetaField(threadKey).(string); thread != "" {
		by.AgentID = schemas.Clip(owner(by)+schemas.Visible(thread), maxAgentID)
	}
	if c, ok := server.ClientSessionFromContext(ctx).(*session); ok {
		return c.naming.announce(ctx, by, limit)
	}
	return by
}

// owner is what comes before the thread that a client names: over HTTP something that was proved, so that nobody
// passes for a thread of somebody else.
func owner(by schemas.Caller) string {
	switch {
	case by.Via != schemas.ViaHTTP:
		return ""
	case by.AgentID != "":
		return by.AgentID + "/"
	case by.Token != "":
		return "token:" + url.PathEscape(by.Token) + "/" // the names of others than ours may have a slash
	}
	return "local/"
}

// callerKey is where a request carries who proved to make it, where that is not the same for a connection.
type callerKey struct{}

func (s *Server) proved(ctx context.Context) schemas.Caller {
	if by, ok := ctx.Value(callerKey{}).(schemas.Caller); ok {
		return by
	}
	return s.config.Caller
}

// traceKey is where a request names the span of its caller (W3C Trace Context), in its header or its _meta.
const traceKey = "traceparent"

var traceForm = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// traceparent gives a span as it was named, nothing for what names none: zeros name nothing.
func traceparent(named string) string {
	if !traceForm.MatchString(named) || strings.Trim(named[3:35], "0") == "" || strings.Trim(named[36:52], "0") == "" {
		return ""
	}
	return named
}

// clientName is what the client calls itself: in this request since 2026-07-28, in initialize before.
func clientName(ctx context.Context) string {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil {
		return info.ClientInfo.Name
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return session.GetClientInfo().Name
	}
	return ""
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// AgentOf makes an agent name of a client's name: other characters become "-", and a client that calls
// itself by a reserved name does not get it.
func AgentOf(client string) schemas.Agent {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(nameCharacters, r) {
			return r
		}
		return '-'
	}, client)
	name = strings.TrimLeft(name, ".-") // a name does not begin so
	name = name[:min(len(name), 64)]
	switch agent := schemas.Agent(name); agent {
	case "":
		return "client"
	case schemas.Human, schemas.System:
		return agent + "-client"
	default:
		return agent
	}
}
