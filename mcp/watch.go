package mcp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
	"handoff/tools/platform"
)

// watch notifies one session of changes of resources. For resources/subscribe and subscriptions/listen the SDK only
// sends the acknowledgement. Changes are followed only while the session watches a resource. Each session has its own
// position in the log, so that a slow client delays no other.
type watch struct {
	mu     sync.Mutex // guards the fields below
	topics map[topic]address
	end    func() // stops following changes and waits for the end; nil if there are no topics
}

// topic is one URI as the client wrote it, and the id of the subscriptions/listen request that named it, if any.
type topic struct {
	uri    string
	listen any
}

func (s *Server) onSubscribe(ctx context.Context, _ any, r *sdk.SubscribeRequest, _ *sdk.EmptyResult) {
	s.watch(ctx, s.caller(ctx, nil), topic{uri: r.Params.URI})
}

func (s *Server) onUnsubscribe(ctx context.Context, _ any, r *sdk.UnsubscribeRequest, _ *sdk.EmptyResult) {
	sessionOf(ctx).watch.remove(topic{uri: r.Params.URI})
}

// onListen watches resources until the request ends.
func (s *Server) onListen(ctx context.Context, id any, r *sdk.SubscriptionsListenRequest) {
	uris := r.Params.Notifications.ResourceSubscriptions
	uris = uris[:min(len(uris), maxTopics)]
	topics := schemas.Map(uris, func(uri string) topic { return topic{uri: uri, listen: id} })
	s.watch(ctx, s.caller(ctx, r.Params.Meta), topics...)
	context.AfterFunc(ctx, func() { sessionOf(ctx).watch.remove(topics...) })
}

// onUnregister ends all topics of a session.
func (s *Server) onUnregister(_ context.Context, c server.ClientSession) {
	w := &c.(*session).watch
	w.remove(w.find(func(address) bool { return true })...)
}

// Limits of the topics of one session. The SDK acknowledges before it calls us, so topics beyond the limit are
// acknowledged and never notified.
const (
	maxTopics = 256
	maxURI    = 512 // bytes
)

// target returns the address of a topic. Ok is false if the caller may not be notified of it.
func (t topic) target(by schemas.Caller) (a address, ok bool) {
	if len(t.uri) > maxURI {
		return a, false
	}
	if a = addressOf(t.uri); a == (address{kind: inboxes}) {
		a.name = string(by.Agent) // empty: the inbox of no agent
	}
	if a.kind == inboxes {
		_, err := by.As(a.name)
		return a, err == nil
	}
	return a, a.kind != nil
}

// watch begins to watch topics. It reads the newest number of the log before the client gets the response, so the
// client is notified of all later changes.
func (s *Server) watch(ctx context.Context, by schemas.Caller, topics ...topic) {
	wanted := map[topic]address{}
	for _, t := range topics {
		if a, ok := t.target(by); ok {
			wanted[t] = a
		}
	}
	if len(wanted) == 0 {
		return
	}
	nobody := schemas.Caller{} // the call is ours
	newest, refused := ask[schemas.NewestOut](ctx, s, nobody, "registry_newest", nil)
	if refused != nil {
		s.config.Logger.ErrorContext(ctx, "no subscription", slog.Any("error", refused))
		return
	}
	c := sessionOf(ctx)
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	if c.watch.end == nil {
		c.watch.topics, c.watch.end = map[topic]address{}, s.follow(ctx, c, newest.Event)
	}
	for t, a := range wanted {
		if len(c.watch.topics) < maxTopics {
			c.watch.topics[t] = a
		}
	}
}

// remove ends topics. After the last topic of a session its changes are no longer followed.
func (w *watch) remove(topics ...topic) {
	w.mu.Lock()
	for _, t := range topics {
		delete(w.topics, t)
	}
	var end func()
	if len(w.topics) == 0 {
		end, w.end = w.end, nil
	}
	w.mu.Unlock()
	if end != nil {
		end()
	}
}

// find returns the topics whose addresses match.
func (w *watch) find(match func(address) bool) (found []topic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t, a := range w.topics {
		if match(a) {
			found = append(found, t)
		}
	}
	return found
}

const retryChanges = time.Second

// follow notifies a session of the changes after a number until end is called. After an error it continues after the
// last change.
func (s *Server) follow(ctx context.Context, c *session, after uint64) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var following sync.WaitGroup
	following.Go(func() {
		for ctx.Err() == nil {
			for change, err := range s.config.Invoker.Changes(ctx, after) {
				if err != nil && ctx.Err() == nil {
					s.config.Logger.WarnContext(ctx, "changes broke off", slog.Any("error", err))
				}
				if err != nil {
					break
				}
				after = change.N
				c.notify(ctx, change)
			}
			platform.Sleep(ctx, retryChanges)
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}

func (s *session) notify(ctx context.Context, change schemas.Change) {
	for _, t := range s.watch.find(func(a address) bool { return a.kind.changedBy(a.name, change) }) {
		select {
		case s.NotificationChannel() <- t.updated():
		case <-ctx.Done():
			return
		}
	}
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
