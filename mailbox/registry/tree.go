package registry

import (
	"cmp"
	"context"

	"handoff/schemas"
	"handoff/store"
)

// Tree gives the head of the registry, or an older one. The commands audit call it, which sign it. It reads about log2
// of the events, changes nothing, and applies nothing that the clock has changed. The error is invalid where the
// registry has not so many events, and else that of the store.
func (r *Registry) Tree(ctx context.Context, _ schemas.Caller, in schemas.TreeIn) (schemas.TreeOut, error) {
	return store.Look(ctx, r.config.Store, func(v *store.View) (out schemas.TreeOut, err error) {
		events, err := v.Events()
		if err != nil {
			return out, err
		}
		if out.Size = cmp.Or(in.Size, events); out.Size > events {
			return out, schemas.Invalidf("size", "there are %d events, and not %d", events, out.Size)
		}
		out.Root, err = v.Tree().Root(int64(out.Size)) //nolint:gosec // events are counted
		return out, err
	})
}

// RawEvents gives the next events of the registry after one, 256 at most, as they are kept. Whoever computes the tree
// anew calls it: the command audit export. It changes nothing. The errors are those of the store.
func (r *Registry) RawEvents(ctx context.Context, _ schemas.Caller, in schemas.EventsIn) (schemas.EventsOut, error) {
	return store.Look(ctx, r.config.Store, func(v *store.View) (out schemas.EventsOut, err error) {
		for b, err := range v.RawEvents(in.After) {
			if err != nil || len(out.Events) == changesRead {
				return out, err
			}
			out.Events = append(out.Events, b)
		}
		return out, nil
	})
}
