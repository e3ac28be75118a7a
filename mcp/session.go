package mcp

import (
	"context"
	"crypto/rand"
	"sync/atomic"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is what the SDK and this package know of a client: of one connection, or of one request of revision
// 2026-07-28 over HTTP. Its id is a secret. For the SDK it is in this process, because a transport of ours stands
// between it and the client.
type session struct {
	*server.InProcessSession
	naming  naming
	watch   watch
	greeted atomic.Bool // the model was told its name, by the greeting or by server/discover
}

var _ server.SessionWithProtocolVersion = (*session)(nil)

func newSession(s *Server) *session {
	return &session{
		InProcessSession: server.NewInProcessSession(rand.Text(), nil),
		naming:           naming{server: s, conn: s.newConnID()},
	}
}

// sessionOf returns the session of a request: [conn.begin] and [exchange.requestContext] put it into the context.
func sessionOf(ctx context.Context) *session {
	return server.ClientSessionFromContext(ctx).(*session)
}

// subscriptionOrder puts the acknowledgement of a subscription before its notifications, as the MCP specification wants
// (revision 2026-07-28, subscriptions/listen). The SDK acknowledges only when the resources are watched already.
type subscriptionOrder struct {
	early map[string][]sdk.JSONRPCNotification // those before the acknowledgement, by subscription; nil after it
}

// next takes a notification and returns those that may be sent now.
func (a *subscriptionOrder) next(n sdk.JSONRPCNotification) []sdk.JSONRPCNotification {
	id, listened := n.Params.Meta[sdk.MetaKeySubscriptionID]
	if !listened {
		return []sdk.JSONRPCNotification{n}
	}
	if a.early == nil {
		a.early = map[string][]sdk.JSONRPCNotification{}
	}
	key := readable(id)
	held, known := a.early[key]
	switch {
	case n.Method == sdk.MethodNotificationSubscriptionsAcknowledged:
		a.early[key] = nil
		return append([]sdk.JSONRPCNotification{n}, held...)
	case known && held == nil:
		return []sdk.JSONRPCNotification{n}
	}
	a.early[key] = append(held, n)
	return nil
}

// drain takes the notifications that are there already and returns those that may be sent now.
func (a *subscriptionOrder) drain(from <-chan sdk.JSONRPCNotification) (all []sdk.JSONRPCNotification) {
	for {
		select {
		case n := <-from:
			all = append(all, a.next(n)...)
		default:
			return all
		}
	}
}

// forget drops a subscription when the response that ends it is sent.
func (a *subscriptionOrder) forget(answer sdk.JSONRPCMessage) {
	switch m := answer.(type) {
	case sdk.JSONRPCResponse:
		delete(a.early, readable(m.ID))
	case sdk.JSONRPCError:
		delete(a.early, readable(m.ID))
	}
}
