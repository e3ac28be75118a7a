package relay

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"handoff/schemas"
	"handoff/tools"
)

// A route leads calls to the store: to the store in this process, or to the process that owns it.
//
// A route is used until it is lost, and never again after. All calls under way on it end with errMoved then, and each
// finds the next route for itself.
type route struct {
	endpoint endpoint
	life     context.Context         // done when the route is lost; the cause says why
	lose     context.CancelCauseFunc // ends the route and all calls on it
}

// endpoint is the end of a route. There are two: [localStore] and [client]. Both return errMoved for a call that they
// cut off because they end.
type endpoint interface {
	// Invoke keeps a connection that it opens, until drop or the end of the route.
	tools.Invoker

	dropConnection(conn string)
}

func newRoute() *route {
	rt := &route{}
	rt.life, rt.lose = context.WithCancelCause(context.Background())
	return rt
}

func (rt *route) isLost() bool { return rt.life.Err() != nil }

// invoke makes a call. The error is errMoved if the route was lost before the result came: the call may have taken
// effect, and is repeated under its id.
func (rt *route) invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	ctx, done := rt.withRoute(ctx)
	defer done()
	return rt.endpoint.Invoke(ctx, c)
}

// changes follows the events at the end of the route, until ctx or the route ends.
func (rt *route) changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(yield func(schemas.RegistryChange, error) bool) {
		ctx, done := rt.withRoute(ctx)
		defer done()
		rt.endpoint.Changes(ctx, after)(yield)
	}
}

// withRoute makes ctx end with the route too, for the same cause.
func (rt *route) withRoute(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(rt.life, func() { cancel(context.Cause(rt.life)) })
	return ctx, func() { stop(); cancel(nil) }
}

// localStore is the store in this process.
//
// Calls of this process, and calls of others that came over the socket, end here. Before localStore acknowledges a
// result, it makes sure that this process is still the owner.
type localStore struct{ *owner }

// Invoke acknowledges no change that was made after another process became the owner. A call that failed because of
// this is repeated there.
func (l localStore) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	out, err := l.store.Invoke(ctx, c)
	if held := l.verifyOwnership(ctx); held != nil && (err == nil || errors.Is(held, errMoved)) {
		return nil, held
	}
	return out, l.movedIfCutOff(err)
}

// dropConnection has nothing to end: this process ends together with the store.
func (localStore) dropConnection(string) {}

func (l localStore) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(yield func(schemas.RegistryChange, error) bool) {
		for c, err := range l.store.Changes(ctx, after) {
			if !yield(c, l.movedIfCutOff(err)) {
				return
			}
		}
	}
}

// movedIfCutOff turns an error into errMoved if the end of the owner cut the call off. Refusals of the store stay.
func (l localStore) movedIfCutOff(err error) error {
	if err == nil || !l.route.isLost() || schemas.AsError(err).Code != schemas.Unavailable {
		return err
	}
	return errMoved
}
