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

// resourceWatch notifies one session of changes of resources. The SDK only acknowledges resources/subscribe and
// subscriptions/listen. Changes are followed only while the session watches a resource. Each session reads the log by
// itself, so a slow client delays no other client.
type resourceWatch struct {
	mu     sync.Mutex // guards the fields below
	topics map[watchedURI]resourceAddress
	end    func() // stops following changes and waits for the end; nil if there are no topics
}

// watchedURI is one URI as the client wrote it. If a subscriptions/listen request named the URI, listen is the id of
// that request.
type watchedURI struct {
	uri    string
	listen any
}

func (s *Server) onSubscribe(ctx context.Context, _ any, r *sdk.SubscribeRequest, _ *sdk.EmptyResult) {
	s.watchURIs(ctx, s.callerOf(ctx, nil), watchedURI{uri: r.Params.URI})
}

func (s *Server) onUnsubscribe(ctx context.Context, _ any, r *sdk.UnsubscribeRequest, _ *sdk.EmptyResult) {
	sessionOf(ctx).watch.unwatch(watchedURI{uri: r.Params.URI})
}

// onListen watches resources until the request ends.
func (s *Server) onListen(ctx context.Context, id any, r *sdk.SubscriptionsListenRequest) {
	uris := r.Params.Notifications.ResourceSubscriptions
	uris = uris[:min(len(uris), maxTopics)]
	topics := schemas.Map(uris, func(uri string) watchedURI { return watchedURI{uri: uri, listen: id} })
	s.watchURIs(ctx, s.callerOf(ctx, r.Params.Meta), topics...)
	s.pushTasks(ctx, id, r)
	context.AfterFunc(ctx, func() { sessionOf(ctx).watch.unwatch(topics...) })
}

// onUnregister ends all topics of a session.
func (s *Server) onUnregister(_ context.Context, c server.ClientSession) {
	w := &c.(*session).watch
	w.unwatch(w.findWatched(func(resourceAddress) bool { return true })...)
}

// These are the limits of the URIs that one session may watch. The SDK acknowledges a subscription before it calls this
// package. So the client gets an acknowledgement for URIs beyond the limits, but no notification.
const (
	maxTopics = 256
	maxURI    = 512 // bytes
)

// addressFor returns the address of the URI. Ok is false if the caller may not get notifications about it.
func (t watchedURI) addressFor(by schemas.Caller) (a resourceAddress, ok bool) {
	if len(t.uri) > maxURI {
		return a, false
	}
	if a = parseAddress(t.uri); a == (resourceAddress{kind: inboxes}) {
		a.name = string(by.Agent) // empty: the inbox of no agent
	}
	if a.kind == inboxes {
		_, err := by.WithName(a.name)
		return a, err == nil
	}
	return a, a.kind != nil
}

// watchURIs begins to watch resources. It reads the newest number of the log before the client gets the response, so
// the client is notified of all later changes.
func (s *Server) watchURIs(ctx context.Context, by schemas.Caller, topics ...watchedURI) {
	wanted := map[watchedURI]resourceAddress{}
	for _, t := range topics {
		if a, ok := t.addressFor(by); ok {
			wanted[t] = a
		}
	}
	if len(wanted) == 0 {
		return
	}
	nobody := schemas.Caller{} // the call is ours
	newest, refused := callAndDecode[schemas.NewestOut](ctx, s, nobody, "registry_newest", nil)
	if refused != nil {
		s.config.Logger.ErrorContext(ctx, "no subscription", slog.Any("error", refused))
		return
	}
	c := sessionOf(ctx)
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	if c.watch.end == nil {
		c.watch.topics, c.watch.end = map[watchedURI]resourceAddress{}, s.onChanges(ctx, newest.Event, c.notifyChange)
	}
	for t, a := range wanted {
		if len(c.watch.topics) < maxTopics {
			c.watch.topics[t] = a
		}
	}
}

// unwatch ends the watch of resources. After the last one, the session no longer follows changes.
func (w *resourceWatch) unwatch(topics ...watchedURI) {
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

// findWatched returns the topics whose addresses match.
func (w *resourceWatch) findWatched(match func(resourceAddress) bool) (found []watchedURI) {
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

// onChanges calls a function for all changes after an event number, until the caller calls end. If an error interrupts
// the changes, it continues after the last change that it got.
func (s *Server) onChanges(ctx context.Context, after uint64, tell func(context.Context, schemas.RegistryChange)) (end func()) {
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
				tell(ctx, change)
			}
			platform.Sleep(ctx, retryChanges)
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}

func (s *session) notifyChange(ctx context.Context, change schemas.RegistryChange) {
	for _, t := range s.watch.findWatched(func(a resourceAddress) bool { return a.kind.changedBy(a.name, change) }) {
		select {
		case s.NotificationChannel() <- t.updateNotification():
		case <-ctx.Done():
			return
		}
	}
}

func (t watchedURI) updateNotification() sdk.JSONRPCNotification {
	n := sdk.JSONRPCNotification{JSONRPC: sdk.JSONRPC_VERSION}
	n.Method = sdk.MethodNotificationResourceUpdated
	n.Params.AdditionalFields = map[string]any{"uri": t.uri}
	if t.listen != nil {
		n.Params.Meta = map[string]any{sdk.MetaKeySubscriptionID: t.listen}
	}
	return n
}
