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

// watches notify sessions of changes of resources. The SDK acknowledges resources/subscribe and subscriptions/listen
// and does no more. Changes are followed only for sessions that watch a resource, for each from its own number in the
// log, so that a slow client holds up no other.
type watches struct {
	server *Server

	mu       sync.Mutex // guards the field below
	sessions map[server.ClientSession]*watch
}

// watch is what one session watches.
type watch struct {
	topics map[topic]address
	cancel context.CancelFunc
	done   chan struct{} // closed at the end of follow
}

func (w *watch) stop() {
	w.cancel()
	<-w.done
}

// topic is one URI as the client wrote it, and the id of the subscriptions/listen request that named it, if any.
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

// listening watches resources until the request ends.
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

// How much one session may watch. The SDK acknowledges before it calls us, so what is beyond is acknowledged and never
// notified.
const (
	maxTopics = 256
	maxURI    = 512 // bytes
)

// watched returns the address of a topic. Ok is false when the caller may not be notified of it.
func (t topic) watched(by schemas.Caller) (a address, ok bool) {
	if len(t.uri) > maxURI {
		return a, false
	}
	if a = addressOf(t.uri); a == (address{kind: anInbox}) {
		a.name = string(by.Agent) // empty: the inbox of no agent
	}
	if a.kind == anInbox {
		_, err := by.As(a.name)
		return a, err == nil
	}
	return a, a.kind != unknownKind
}

// add begins to watch topics. It reads the newest number of the log before the client gets the response, so the client
// is notified of all changes after that.
func (w *watches) add(ctx context.Context, by schemas.Caller, topics ...topic) {
	session, wanted := server.ClientSessionFromContext(ctx), map[topic]address{}
	for _, t := range topics {
		if a, ok := t.watched(by); ok {
			wanted[t] = a
		}
	}
	if session == nil || len(wanted) == 0 {
		return
	}
	nobody := schemas.Caller{} // the call is ours
	newest, refused := ask[schemas.NewestOut](ctx, w.server, nobody, "registry_newest", nil)
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
	for t, a := range wanted {
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

// remove ends topics. After the last topic of a session its changes are no longer followed.
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

// unregistered ends all topics of a session.
func (w *watches) unregistered(_ context.Context, session server.ClientSession) {
	w.mu.Lock()
	current, ok := w.sessions[session]
	delete(w.sessions, session)
	w.mu.Unlock()
	if ok {
		current.stop()
	}
}

const retryChanges = time.Second

// follow notifies a session of changes until ctx is done. After an error it goes on at the same number.
func (w *watches) follow(ctx context.Context, session server.ClientSession, after uint64) {
	for {
		for change, err := range w.server.config.Invoker.Changes(ctx, after) {
			if err != nil {
				w.logBroken(ctx, err)
				break
			}
			after = change.N
			w.notify(ctx, session, change)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryChanges):
		}
	}
}

func (w *watches) logBroken(ctx context.Context, err error) {
	if ctx.Err() == nil {
		w.server.config.Logger.LogAttrs(ctx, slog.LevelWarn, "changes broke off", slog.Any("error", err))
	}
}

func (w *watches) notify(ctx context.Context, session server.ClientSession, change schemas.Change) {
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

// allUpdated returns notifications for all resources that a session watches, for one that may have missed some.
func (w *watches) allUpdated(session server.ClientSession) (all []sdk.JSONRPCNotification) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if current, ok := w.sessions[session]; ok {
		for t := range current.topics {
			all = append(all, t.updated())
		}
	}
	return all
}

// touchedBy reports whether a resource may have changed with an event. Work for a capability or a role may be in the
// inbox of any agent.
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
