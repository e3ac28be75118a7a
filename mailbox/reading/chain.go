package reading

import (
	"iter"

	"handoff/schemas"
	"handoff/store"
)

// Chain yields the handoff of an id, and those to which next leads from there, as far as they can be read. It yields each
// once and [schemas.MaxChain] at most, so it ends whatever the rows say: those of a damaged store may lead in a circle.
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

// Parent is the next handoff of a [Chain] towards its root.
func Parent(r *store.Record) schemas.ID { return r.Parent }

// LastRound is the last rework of a returned handoff, as far as it can be read; any other handoff is its own.
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
