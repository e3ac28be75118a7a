package reading

import (
	"iter"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// Chain yields the handoff with the given id. It then follows the ids that the function next returns, until a handoff
// cannot be read. It yields each handoff once and at most [schemas.MaxChain] handoffs. So it ends even if the handoffs
// of a damaged store refer to each other in a circle.
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

// ParentID returns the id of a handoff's parent. With [Chain] it leads from a handoff to the first handoff of its
// chain.
func ParentID(r *store.Record) schemas.ID { return r.Parent }

// FirstOfChain returns the first handoff of the chain of parents of r with its message, or the first step of the plan
// that r belongs to. The argument h is the message of r. A record that cannot be read ends the chain.
func FirstOfChain(v *store.View, r *store.Record, h schemas.Handoff) (*store.Record, schemas.Handoff, error) {
	plan, _, within := strings.Cut(h.Metadata.Step, "/")
	for parent := range Chain(v, r.Parent, ParentID) {
		sent, err := ReadHandoff(v, parent)
		if err != nil {
			return r, h, err
		}
		if within && !strings.HasPrefix(sent.Metadata.Step, plan+"/") {
			break
		}
		r, h = parent, sent
	}
	return r, h, nil
}

// NewestRework returns the newest rework of a returned handoff that can be read. If r was not returned, it returns r.
func NewestRework(v *store.View, r *store.Record) *store.Record {
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
