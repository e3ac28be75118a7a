package reading

import (
	"iter"

	"handoff/schemas"
	"handoff/store"
)

// Chain yields the handoff of an id, and the handoffs to which next leads from there, until one cannot be read. It
// yields each handoff once and [schemas.MaxChain] at most, so it ends even if a damaged store has a circle.
func Chain(v *store.View, id schemas.ID, next func(*store.Record) schemas.ID) iter.Seq[*store.Record] {
	return func(yield func(*store.Record) bool) {
		for seen := map[schemas.ID]bool{}; !seen[id] && len(seen) < schemas.MaxChain; {
			r := RecordOrNil(v, id)
			if r == nil || !yield(r) {
				return
			}
			seen[id] = true
			id = next(r)
		}
	}
}

// Parent returns the next handoff of a [Chain] towards its root.
func Parent(r *store.Record) schemas.ID { return r.Parent }

// LastRound returns the last readable rework of a returned handoff, and any other handoff itself.
func LastRound(v *store.View, r *store.Record) *store.Record {
	if r == nil {
		return nil
	}
	rework := func(r *store.Record) schemas.ID {
		if r.Status != schemas.Returned {
			return 0
		}
		return r.Successor
	}
	for next := range Chain(v, rework(r), rework) {
		r = next
	}
	return r
}
