package mcp

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// mcpSession is the MCP session of one client of a revision before 2026-07-28. Its id is a secret of the client, and is
// valid only with the bearer token with which the session began.
type mcpSession struct {
	*session
	requests jsonrpc.OpenRequests
	token    string      // name of the bearer token it began with, empty for none
	instance string      // its name in the mailbox, as "session:K3V9X2M7"
	streamed atomic.Bool // it had a stream
	life     context.Context
	end      context.CancelFunc // ends life

	busy  int         // requests under way; guarded by sessions.mu, like the fields below
	used  uint64      // value of sessions.uses at its last use
	timer *time.Timer // ends the idle session; no effect before its first request ended
}

// sessions holds the MCP sessions that have not ended.
type sessions struct {
	UseLimit
	server *Server
	idle   time.Duration

	mu   sync.Mutex // guards the fields below
	byID map[string]*mcpSession
	uses uint64 // counts uses of all sessions
}

// openSession begins a session and counts this request as a use of it. If there are too many sessions, it first ends
// the session that was idle longest.
func (s *sessions) openSession(token string) (*mcpSession, *schemas.Error) {
	w := &mcpSession{
		session: newSession(s.server), token: token,
		instance: "session:" + rand.Text()[:8],
		busy:     1,
		timer:    time.NewTimer(s.idle),
	}
	w.life, w.end = context.WithCancel(context.Background())
	if err := s.server.sdk.RegisterSession(context.Background(), w.session); err != nil {
		return nil, schemas.InternalError(err)
	}
	s.mu.Lock()
	victim, ok := s.evictIdle(token)
	if ok {
		s.byID[w.SessionID()] = w
		s.markUsed(w)
	}
	s.mu.Unlock()
	if victim != nil {
		s.unregisterSession(victim)
	}
	if !ok {
		s.unregisterSession(w)
		return nil, s.limitError("sessions")
	}
	return w, nil
}

// evictIdle removes the least recently used idle session if there are too many sessions. If the given token has too
// many sessions, evictIdle removes one of them. Otherwise it removes a session of the token with most sessions. ok is
// false if it removed no session because all sessions of that token are in use. The caller must unregister the removed
// session.
func (s *sessions) evictIdle(token string) (victim *mcpSession, ok bool) {
	of := map[string]int{}
	for _, w := range s.byID {
		of[w.token]++
	}
	from := token
	switch {
	case of[token] >= s.Each:
	case len(s.byID) < s.All:
		return nil, true
	default:
		for other, n := range of {
			if n > of[from] {
				from = other
			}
		}
	}
	for _, w := range s.byID {
		if w.busy == 0 && w.token == from && (victim == nil || w.used < victim.used) {
			victim = w
		}
	}
	return victim, victim != nil && s.removeSession(victim)
}

// useByID returns the session with an id, if this session began with the given token. The caller must call
// releaseSession later.
func (s *sessions) useByID(id, token string) (*mcpSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.byID[id]
	if !ok || w.token != token {
		return nil, false
	}
	w.timer.Stop()
	w.busy++
	s.markUsed(w)
	return w, true
}

func (s *sessions) markUsed(w *mcpSession) {
	s.uses++
	w.used = s.uses
}

// releaseSession ends one use of a session. After the last use, a timer ends the session unless it is used again. If
// the session has already ended, the release of its last use unregisters it.
func (s *sessions) releaseSession(w *mcpSession) {
	s.mu.Lock()
	w.busy--
	s.markUsed(w)
	last, ended := w.busy == 0, s.byID[w.SessionID()] != w
	if last && !ended {
		used := w.used
		w.timer = time.AfterFunc(s.idle, func() { s.endIf(w, func() bool { return w.used == used }) })
	}
	s.mu.Unlock()
	if last && ended {
		s.unregisterSession(w)
	}
}

// endSession ends a session and its streams. The session is unregistered after its last request. Ending it twice does
// nothing.
func (s *sessions) endSession(w *mcpSession) { s.endIf(w, func() bool { return true }) }

// endIf ends a session if the function `still` returns true. It calls `still` with mu held.
func (s *sessions) endIf(w *mcpSession, still func() bool) {
	s.mu.Lock()
	over := still() && s.removeSession(w)
	s.mu.Unlock()
	if over {
		s.unregisterSession(w)
	}
}

// removeSession removes a session, and reports whether the caller must unregister it now. If the session is in use, its
// last request unregisters it, because that request may still begin to watch a resource, and only unregistering ends
// the watch.
func (s *sessions) removeSession(w *mcpSession) (unused bool) {
	if s.byID[w.SessionID()] != w {
		return false
	}
	delete(s.byID, w.SessionID())
	w.end()
	w.timer.Stop()
	return w.busy == 0
}

func (s *sessions) unregisterSession(w *mcpSession) {
	s.server.sdk.UnregisterSession(context.Background(), w.SessionID())
}

func (s *sessions) endAll() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.byID))
	s.mu.Unlock()
	for _, w := range all {
		s.endSession(w)
	}
}

// useSession returns the MCP session of a request, and sets the caller's AgentID from the session. If there is no such
// session, it responds with an error and returns nil.
func (x *exchange) useSession() (_ *mcpSession, done func()) {
	id, named := x.r.Header.Get(sdk.HeaderSessionID), x.r.Header.Get(sdk.HeaderProtocolVersion)
	switch {
	case named != "" && !sdk.IsValidProtocolVersion(named): // without the header it is the session's
		x.refuseBadRequest(http.StatusBadRequest, "revision %q of the protocol is not spoken here", named)
	case id == "":
		x.refuseBadRequest(http.StatusBadRequest, "the header %s is missing: begin with initialize", sdk.HeaderSessionID)
	default:
		if s, ok := x.sessions.useByID(id, x.by.Token); ok {
			x.by.AgentID = s.instance
			return s, func() { x.sessions.releaseSession(s) }
		}
		x.refuseBadRequest(http.StatusNotFound, "the session has ended, or the server was started anew: "+
			"the client has to connect again, with initialize")
	}
	return nil, nil
}

// useLegacySession returns the MCP session of a GET or DELETE request. Only revisions before 2026-07-28 have such
// requests. If there is no such session, it responds with an error and returns nil.
func (x *exchange) useLegacySession() (_ *mcpSession, done func()) {
	if sdk.IsModernProtocol(x.r.Header.Get(sdk.HeaderProtocolVersion)) {
		x.refuseMethod("POST")
		return nil, nil
	}
	if err := x.setCaller(); err != nil {
		x.respondWithRefusal(err)
		return nil, nil
	}
	return x.useSession()
}

// handleDelete ends the MCP session of a client.
func (x *exchange) handleDelete() {
	if s, done := x.useLegacySession(); s != nil {
		x.sessions.endSession(s)
		done()
		x.writeHeader(http.StatusNoContent)
	}
}
