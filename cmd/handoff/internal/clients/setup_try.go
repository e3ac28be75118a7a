package clients

import (
	"context"
	"time"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
)

// A serverTrial is the answer of a server that setup called.
type serverTrial struct {
	live.ServerReply

	Untried string `json:"not_tried,omitempty"` // why
	Problem string `json:"problem,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// tryTimeout is the time that a server has to answer setup. A program that was just installed may start slowly.
const tryTimeout = 15 * time.Second

// tryServers starts or calls the server of each client that is set up, as the client would.
func (s *setupRun) tryServers(ctx context.Context) {
	for _, c := range s.clients {
		if server, ok := c.desired.FindEntry(c.Client); ok && c.Files[0].State != fileLeftAlone {
			end := s.ShowProgress("trying the server of " + c.Title)
			c.Live = s.tryServer(ctx, c, server)
			end()
		}
	}
}

// tryServer starts or calls the server of an entry as doctor does. An entry that another person may have written is not
// tried, and no fault.
func (s *setupRun) tryServer(ctx context.Context, c *clientSetup, server installed.ServerEntry) *serverTrial {
	env := newClientEnv(ctx, s.App, s.base.Machine)
	env.Web, env.Timeout = newHTTPClient(s.base.Machine, c.Client), tryTimeout
	reply, found := doctor.TryEntry(ctx, c.Client, env, server)
	switch {
	case reply.Name != "":
		return &serverTrial{ServerReply: reply}
	case found.State == doctor.Error || found.State == doctor.Warning && !server.Shared:
		return &serverTrial{Problem: found.Message, Remedy: found.Remedy}
	}
	return &serverTrial{Untried: found.Message}
}
