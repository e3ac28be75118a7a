package registry

import (
	"cmp"
	"context"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Tree gives the head of the registry, or an older one, and proofs in its tree. The commands audit call it, which sign
// and check. It reads about log2 of the events, changes nothing, and applies nothing that the clock has changed. The
// error is invalid where the registry has no such event or tree, not_found where it has no such handoff, and else that
// of the store.
func (r *Registry) Tree(ctx context.Context, by schemas.Caller, in schemas.TreeIn) (schemas.TreeOut, error) {
	return store.Look(ctx, r.config.Store, func(v *store.View) (out schemas.TreeOut, err error) {
		events, err := v.Events()
		if err != nil {
			return out, err
		}
		out.Size, out.Event = cmp.Or(in.Size, events), in.Event
		if in.HandoffID != "" {
			r, err := reading.Find(v, in.HandoffID, by.Agent)
			if err != nil {
				return out, err
			}
			out.Event = r.Event
		}
		if err := atMost("size", out.Size, events); err != nil {
			return out, err
		}
		if err := cmp.Or(atMost("event", out.Event, out.Size), atMost("old", in.Old, out.Size)); err != nil {
			return out, err
		}
		return out, prove(v, in.Old, &out)
	})
}

// atMost refuses a number of events that is more than there are.
func atMost(field string, n, most uint64) error {
	if n <= most {
		return nil
	}
	return schemas.Invalidf(field, "there are %d events, and not %d", most, n).
		WithHint("handoff audit log lists them.")
}

// prove adds to a size what is asked about the tree over so many events.
func prove(v *store.View, old uint64, out *schemas.TreeOut) (err error) {
	size, tree := int64(out.Size), v.Tree() //nolint:gosec // events are counted
	if out.Root, err = tree.Root(size); err != nil {
		return err
	}
	if out.Event != 0 {
		if out.Inclusion, err = tree.Inclusion(size, int64(out.Event-1)); err != nil { //nolint:gosec // as above
			return err
		}
		for out.Bytes, err = range v.RawEvents(out.Event - 1) {
			break
		}
	}
	if old != 0 && err == nil {
		if out.OldRoot, err = tree.Root(int64(old)); err == nil { //nolint:gosec // as above
			out.Consistency, err = tree.Consistency(size, int64(old)) //nolint:gosec // as above
		}
	}
	return err
}

// RawEvents gives the next events of the registry after one, 256 at most, as they are kept. Whoever computes the tree
// anew calls it: the commands audit log and audit export. It changes nothing. The errors are those of the store.
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
