package mcp

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
)

// watches tell sessions that resources changed. The SDK acknowledges resources/subscribe and
// subscriptions/listen and leaves the rest to us. Changes are followed only for sessions that watch
// something, each from its own place in the log, so that a slow client holds up nobody else.
type watches struct {
	server *Server

	mu       sync.Mutex // guards the field below
	sessions map[server.ClientSession]*watch
}

// watch is what one session watches.
type watch struct {
	topics map[topic]address
	cancel context.CancelFunc
	done   chan struct{} // closed when following ended
}

func (w *watch) stop() {
	w.cancel()
	<-w.done
}

// topic is one URI as the client wrote it, and the subscriptions/listen request that named it, if any.
type topic struct {
	uri    string
	listen any
}

func (w *watches) subscribed(ctx context.Context, _ any, r *sdk.SubscribeRequest, _ *sdk.EmptyResult) {
	w.add(ctx, w.server.caller(ctx, nil), topic{uri: r.Params.URI})
}

func (w *watches) unsubscribed(ctx context.Context, _ any, r *sdk.UnsubscribeRequest, _ *sdk.EmptyResult) {
	w.remove(server.ClientSessionFromContext(ctx), topic{uri: r.Params.URI})
}

// listening watches until the request ends.
func (w *watches) listening(ctx context.Context, id any, r *sdk.SubscriptionsListenRequest) {
	uris := r.Params.Notifications.ResourceSubscriptions
	topics := make([]topic, 0, min(len(uris), maxTopics))
	for _, uri := range uris[:min(len(uris), maxTopics)] {
		topics = append(topics, topic{uri: uri, listen: id})
	}
	w.add(ctx, w.server.caller(ctx, r.Params.Meta), topics...)
	session := server.ClientSessionFromContext(ctx)
	context.AfterFunc(ctx, func() { w.remove(session, topics...) })
}

// What one session may watch. The SDK acknowledges before it asks us, so that beyond it is acknowledged and
// never told.
const (
	maxTopics = 256
	maxURI    = 512 // bytes
)

// watched gives the address that a topic is about, for a caller who may hear of it.
func (t topic) watched(by schemas.Caller) (a address, ok bool) {
	if len(t.uri) > maxURI {
		return a, false
	}
	if a = addressOf(t.uri); a == (address{kind: anInbox}) {
		a.name = string(by.Agent) // nobody's where it is empty
	}
	if a.kind == anInbox {
		_, err := by.As(a.name)
		return a, err == nil
	}
	return a, a.kind != unknownKind
}

// add starts to watch. The place in the log is taken before the client hears that it is subscribed, so that
// whatever happens after that is told.
func (w *watches) add(ctx context.Context, by schemas.Caller, topics ...topic) {
	session, asked := server.ClientSessionFromContext(ctx), map[topic]address{}
	for _, t := range topics {
		if a, ok := t.watched(by); ok {
			asked[t] = a
		}
	}
	if session == nil || len(asked) == 0 {
		return
	}
	newest, refused := ask[schemas.NewestOut](ctx, w.server, schemas.Caller{}, "registry_newest", nil) // on our own account
	if refused != nil {
		w.server.config.Logger.LogAttrs(ctx, slog.LevelError, "no subscription", slog.Any("error", refused))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sessions == nil {
		w.sessions = map[server.ClientSession]*watch{}
	}
	current, ok := w.sessions[session]
	if !ok {
		current = w.start(context.WithoutCancel(ctx), session, newest.Event)
		w.sessions[session] = current
	}
	for t, a := range asked {
		if len(current.topics) < maxTopics {
			current.topics[t] = a
		}
	}
}

func (w *watches) start(ctx context.Context, session server.ClientSession, after uint64) *watch {
	ctx, cancel := context.WithCancel(ctx)
	started := &watch{topics: map[topic]address{}, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(started.done)
		w.follow(ctx, session, after)
	}()
	return started
}

// remove ends topics, and following with the last.
func (w *watches) remove(session server.ClientSession, topics ...topic) {
	if last := w.forget(session, topics); last != nil {
		last.stop()
	}
}

func (w *watches) forget(session server.ClientSession, topics []topic) (last *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	current, ok := w.sessions[session]
	if !ok {
		return nil
	}
	for _, t := range topics {
		delete(current.topics, t)
	}
	if len(current.topics) > 0 {
		return nil
	}
	delete(w.sessions, session)
	return current
}

// gone ends all topics of a session.
func (w *watches) gone(_ context.Context, session server.ClientSession) {
	w.mu.Lock()
	current, ok := w.sessions[session]
	delete(w.sessions, session)
	w.mu.Unlock()
	if ok {
		current.stop()
	}
}

const retryChanges = time.Second

// follow tells a session of changes until ctx is done. A broken stream goes on where it broke.
func (w *watches) follow(ctx context.Context, session server.ClientSession, after uint64) {
	for {
		for change, err := range w.server.config.Invoker.Changes(ctx, after) {
			if err != nil {
				w.broke(ctx, err)
				break
			}
			after = change.N
			w.tell(ctx, session, change)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryChanges):
		}
	}
}

func (w *watches) broke(ctx context.Context, err error) {
	if ctx.Err() == nil {
		w.server.config.Logger.LogAttrs(ctx, slog.LevelWarn, "changes broke off", slog.Any("error", err))
	}
}

func (w *watches) tell(ctx context.Context, session server.ClientSession, change schemas.Change) {
	for _, t := range w.touched(session, change) {
		select {
		case session.NotificationChannel() <- t.updated():
		case <-ctx.Done():
			return
		}
	}
}

func (w *watches) touched(session server.ClientSession, change schemas.Change) (touched []topic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if current, ok := w.sessions[session]; ok {
		for t, a := range current.topics {
			if a.touchedBy(change) {
				touched = append(touched, t)
			}
		}
	}
	return touched
}

// everything is what to say to a session that may have missed something: that all it watches has changed.
func (w *watches) everything(session server.ClientSession) (said []sdk.JSONRPCNotification) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if current, ok := w.sessions[session]; ok {
		for t := range current.topics {
			said = append(said, t.updated())
		}
	}
	return said
}

// touchedBy tells whether a resource may read differently after a change. Work for a capability or role
// may be in anybody's inbox.
func (a address) touchedBy(c schemas.Change) bool {
	switch a.kind {
	case aHandoff, aContext:
		return a.name == c.Handoff.String() || a.name == c.Other.String()
	case anInbox:
		agent, directed := c.Box.Directed()
		return !directed || slices.Contains([]schemas.Agent{agent, c.Agent, c.Sender, c.Holder}, schemas.Agent(a.name))
	case aWorkflow:
		return a.name == string(c.Workflow)
	case unknownKind:
	}
	return false
}

func (t topic) updated() sdk.JSONRPCNotification {
	n := sdk.JSONRPCNotification{JSONRPC: sdk.JSONRPC_VERSION}
	n.Method = sdk.MethodNotificationResourceUpdated
	n.Params.AdditionalFields = map[string]any{"uri": t.uri}
	if t.listen != nil {
		n.Params.Meta = map[string]any{sdk.MetaKeySubscriptionID: t.listen}
	}
	return n
}
