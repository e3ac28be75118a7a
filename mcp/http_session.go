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

// webSession is what the requests of one client have in common before revision 2026-07-28. Its id is a secret
// of the client, and good only together with the token it began with.
type webSession struct {
	*session
	requests jsonrpc.Requests
	token    string        // bearer token that it belongs to, empty without one
	instance string        // how it is known to others, as "session:K3V9X2M7"
	heard    atomic.Bool   // a stream was opened
	ended    chan struct{} // closed at the end

	busy  int         // requests under way; guarded by sessions.mu, as are the fields below
	used  uint64      // when it was last used, in uses of any
	timer *time.Timer // ends it when it stays unused; nil before its first request is answered
}

func (w *webSession) wake() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// sessions are all that have not ended.
type sessions struct {
	Bound
	server *Server
	idle   time.Duration

	mu   sync.Mutex // guards the fields below
	byID map[string]*webSession
	uses uint64
}

// open begins a session and uses it. Where there are too many, the one that was idle longest ends.
func (s *sessions) open(token string) (*webSession, *schemas.Error) {
	w := &webSession{session: newSession(s.server), token: token, instance: "session:" + rand.Text()[:8], ended: make(chan struct{}), busy: 1}
	w.id = rand.Text()
	if err := s.server.sdk.RegisterSession(context.Background(), w.session); err != nil {
		return nil, schemas.InternalError(err)
	}
	s.mu.Lock()
	victim, ok := s.makeRoom(token)
	if ok {
		if s.byID == nil {
			s.byID = map[string]*webSession{}
		}
		s.byID[w.id] = w
		s.touch(w)
	}
	s.mu.Unlock()
	if victim != nil {
		s.forget(victim)
	}
	if !ok {
		s.forget(w)
		return nil, s.full("sessions")
	}
	return w, nil
}

// makeRoom takes out the idle session that was used longest ago, if there are too many: of this token, or in all of
// the token that has most.
func (s *sessions) makeRoom(token string) (victim *webSession, ok bool) {
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
	return victim, victim != nil && s.remove(victim)
}

// use gives the session of an id to a request, until it is released.
func (s *sessions) use(id, token string) (*webSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.byID[id]
	if !ok || w.token != token {
		return nil, false
	}
	w.wake()
	w.busy++
	s.touch(w)
	return w, true
}

func (s *sessions) touch(w *webSession) {
	s.uses++
	w.used = s.uses
}

// release ends a use. With the last, the session begins to be idle, or is forgotten if it has ended meanwhile.
func (s *sessions) release(w *webSession) {
	s.mu.Lock()
	w.busy--
	s.touch(w)
	last, ended := w.busy == 0, s.byID[w.id] != w
	if last && !ended {
		used := w.used
		w.timer = time.AfterFunc(s.idle, func() { s.expire(w, used) })
	}
	s.mu.Unlock()
	if last && ended {
		s.forget(w)
	}
}

// expire ends a session that was not used since.
func (s *sessions) expire(w *webSession, used uint64) {
	s.mu.Lock()
	over := w.used == used && s.remove(w)
	s.mu.Unlock()
	if over {
		s.forget(w)
	}
}

// end ends a session, once: its streams now, the rest with the last request that uses it.
func (s *sessions) end(w *webSession) {
	s.mu.Lock()
	over := s.remove(w)
	s.mu.Unlock()
	if over {
		s.forget(w)
	}
}

// remove takes a session out, and tells whether to forget it. What still uses it may yet begin to watch something,
// which nobody would end.
func (s *sessions) remove(w *webSession) (unused bool) {
	if s.byID[w.id] != w {
		return false
	}
	delete(s.byID, w.id)
	close(w.ended)
	w.wake()
	return w.busy == 0
}

func (s *sessions) forget(w *webSession) { s.server.sdk.UnregisterSession(context.Background(), w.id) }

func (s *sessions) endAll() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.byID))
	s.mu.Unlock()
	for _, w := range all {
		s.end(w)
	}
}

// session gives the session that a request belongs to, or answers that there is none.
func (x *exchange) session() (_ *webSession, done func()) {
	id := x.r.Header.Get(sdk.HeaderSessionID)
	switch {
	case unknownVersion(x.r.Header):
		x.fault(http.StatusBadRequest, "revision %q of the protocol is not spoken here", x.r.Header.Get(sdk.HeaderProtocolVersion))
		return nil, nil
	case id == "":
		x.fault(http.StatusBadRequest, "the header %s is missing: begin with initialize", sdk.HeaderSessionID)
		return nil, nil
	}
	s, ok := x.sessions.use(id, x.by.Token)
	if !ok {
		x.fault(http.StatusNotFound, "the session has ended, or the server was started anew: the client has to connect again, with initialize")
		return nil, nil
	}
	return s, func() { x.sessions.release(s) }
}

// older gives the session of a request that only revisions before 2026-07-28 have, or answers that it may not be.
func (x *exchange) older() (_ *webSession, done func()) {
	if sdk.IsModernProtocol(x.r.Header.Get(sdk.HeaderProtocolVersion)) {
		x.notAllowed("POST")
		return nil, nil
	}
	if err := x.identify(); err != nil {
		x.refuse(err)
		return nil, nil
	}
	return x.session()
}

// end answers DELETE, with which a client ends its session.
func (x *exchange) end() {
	if s, done := x.older(); s != nil {
		x.sessions.end(s)
		done()
		x.answer(http.StatusNoContent)
	}
}
