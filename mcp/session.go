package mcp

import (
	"sync"
	"sync/atomic"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is what the SDK and this package know of a client: of one connection, or of one request of revision
// 2026-07-28 over HTTP.
type session struct {
	id            string
	notifications chan sdk.JSONRPCNotification
	initialized   atomic.Bool
	naming        naming
	greeted       atomic.Bool

	mu           sync.Mutex // guards the fields below
	client       sdk.Implementation
	capabilities sdk.ClientCapabilities
	version      string
}

var _ interface {
	server.SessionWithClientInfo
	server.SessionWithProtocolVersion
} = (*session)(nil)

func newSession(s *Server) *session {
	return &session{
		id: s.config.NewRequestID(), notifications: make(chan sdk.JSONRPCNotification, 16),
		naming: naming{server: s, conn: s.newConnID()},
	}
}

func (s *session) SessionID() string { return s.id }
func (s *session) Initialize()       { s.initialized.Store(true) }
func (s *session) Initialized() bool { return s.initialized.Load() }

func (s *session) NotificationChannel() chan<- sdk.JSONRPCNotification { return s.notifications }

func (s *session) GetClientInfo() sdk.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

func (s *session) SetClientInfo(client sdk.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client
}

func (s *session) GetClientCapabilities() sdk.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}

func (s *session) SetClientCapabilities(capabilities sdk.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = capabilities
}

func (s *session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

func (s *session) SetProtocolVersion(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
}
