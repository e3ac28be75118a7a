package mcp

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is the state of one client for the SDK and this package. On stdio it belongs to one connection. Over HTTP it
// belongs to one request since revision 2026-07-28, and to one MCP session in earlier revisions. Its id is a secret.
type session struct {
	*server.InProcessSession
	naming  connectionAnnouncer
	watch   resourceWatch
	greeted atomic.Bool  // the model knows its name, by the greeting or by server/discover
	warned  atomic.Value // the warning about the workspace that the model knows, a string
	read    *sync.Map    // what the models have read, see leanAnswer; nil for a session of one request

	pushes   taskPushes // the tasks of which the client gets notifications
	declined sync.Map   // the questions to a person that the person declined

	rootsKnown atomic.Bool // the client was asked for its roots
	send       func(any) bool
	answers    chan sdk.ListRootsResult
}

var _ server.SessionWithProtocolVersion = (*session)(nil)

func newSession(s *Server) *session {
	return &session{
		InProcessSession: server.NewInProcessSession(rand.Text(), nil),
		naming:           connectionAnnouncer{server: s, conn: s.newConnID()},
		read:             new(sync.Map),
		answers:          make(chan sdk.ListRootsResult, 1),
	}
}

// sessionOf returns the session of a request from its context. [conn.trackRequest] and [exchange.requestContext] put it
// there.
func sessionOf(ctx context.Context) *session {
	return server.ClientSessionFromContext(ctx).(*session)
}

// subscriptionOrder sends the acknowledgement of a subscription before its notifications, as the MCP specification
// requires (revision 2026-07-28, subscriptions/listen). The SDK may queue notifications before the acknowledgement.
type subscriptionOrder struct {
	session *session
	early   map[string][]sdk.JSONRPCNotification // those before the acknowledgement, by subscription; nil after it
}

// takeNext takes one notification and returns the notifications that may be sent now.
func (a *subscriptionOrder) takeNext(n sdk.JSONRPCNotification) []sdk.JSONRPCNotification {
	id, listened := n.Params.Meta[sdk.MetaKeySubscriptionID]
	if !listened {
		return []sdk.JSONRPCNotification{n}
	}
	if a.early == nil {
		a.early = map[string][]sdk.JSONRPCNotification{}
	}
	key := encodeForModel(id)
	held, known := a.early[key]
	switch {
	case n.Method == sdk.MethodNotificationSubscriptionsAcknowledged:
		a.session.acknowledgeTasks(key, &n)
		a.early[key] = nil
		return append([]sdk.JSONRPCNotification{n}, held...)
	case known && held == nil:
		return []sdk.JSONRPCNotification{n}
	}
	a.early[key] = append(held, n)
	return nil
}

// takeAll takes all queued notifications and returns the notifications that may be sent now.
func (a *subscriptionOrder) takeAll(from <-chan sdk.JSONRPCNotification) (all []sdk.JSONRPCNotification) {
	for {
		select {
		case n := <-from:
			all = append(all, a.takeNext(n)...)
		default:
			return all
		}
	}
}

// dropSubscription drops a subscription after the response that ends it.
func (a *subscriptionOrder) dropSubscription(answer sdk.JSONRPCMessage) {
	switch m := answer.(type) {
	case sdk.JSONRPCResponse:
		delete(a.early, encodeForModel(m.ID))
	case sdk.JSONRPCError:
		delete(a.early, encodeForModel(m.ID))
	}
}
