package mcp

import (
	"context"
	"crypto/rand"
	"sync/atomic"

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

// sessionOf returns the session of a request: [conn.begin] and [exchange.during] put it into the context.
func sessionOf(ctx context.Context) *session {
	return server.ClientSessionFromContext(ctx).(*session)
}
