package relay

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"handoff/schemas"
	"handoff/tools"
)

// A route leads calls to the store: to the store in this process, or to the process that owns the store. When a route
// is lost, all its calls end with errMoved and are repeated on the next route. A lost route is never used again.
type route struct {
	endpoint endpoint
	life     context.Context         // done when the route is lost; the cause says why
	lose     context.CancelCauseFunc // ends the route and all calls on it
}

// endpoint is the end of a route: [localStore] or [client]. If an endpoint cuts a call off because it ends, the call
// returns errMoved.
type endpoint interface {
	// A connection that Invoke opens stays open until dropConnection or the end of the route.
	tools.Invoker

	dropConnection(conn string)
}

func newRoute() *route {
	rt := &route{}
	rt.life, rt.lose = context.WithCancelCause(context.Background())
	return rt
}

func (rt *route) isLost() bool { return rt.life.Err() != nil }

// invoke makes a call. The error is errMoved if the route was lost before the result arrived. Then the call may have
// taken effect, and the relay repeats it under the same id.
func (rt *route) invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	ctx, done := rt.withRoute(ctx)
	defer done()
	return rt.endpoint.Invoke(ctx, c)
}

// changes follows the events at the endpoint, until ctx or the route ends.
func (rt *route) changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(yield func(schemas.RegistryChange, error) bool) {
		ctx, done := rt.withRoute(ctx)
		defer done()
		rt.endpoint.Changes(ctx, after)(yield)
	}
}

// withRoute returns a context that ends with ctx or with the route. If the route ends, the context has the cause of the
// route.
func (rt *route) withRoute(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(rt.life, func() { cancel(context.Cause(rt.life)) })
	return ctx, func() { stop(); cancel(nil) }
}

// localStore is the store in this process. It serves the calls of this process, and calls of other processes that
// arrived over the socket. Before it acknowledges a result, it checks that this process is still the owner.
type localStore struct{ *owner }

// Invoke returns the error of [owner.verifyOwnership], and not the result, if this process may no longer own the store.
// The relay repeats a call that moved at the new owner.
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

// movedIfCutOff returns errMoved if the end of the owner cut the call off. All other errors stay unchanged.
func (l localStore) movedIfCutOff(err error) error {
	if err == nil || !l.route.isLost() || schemas.AsError(err).Code != schemas.Unavailable {
		return err
	}
	return errMoved
}
