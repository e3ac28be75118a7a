package mailbox

import (
	"strings"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// returnWork gives a completed handoff back whose result is not good enough: the same agent gets a child
// with the reasons. It can be done once.
func (o *op) returnWork(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if _, ok := life.Next(life.Return, r.Status); ok && strings.TrimSpace(in.Note) == "" {
		return nil, schemas.Invalidf("note", "is needed to return work").WithHint("Say what is not good enough, so that it can be mended.")
	}
	now, err := o.step(life.Return, r)
	if err != nil {
		return nil, err
	}
	p := place{workflow: r.Workflow, parent: r.ID, depth: r.Depth + 1, maxDepth: r.MaxDepth}
	if err := o.checkDepth(p, r); err != nil {
		return nil, err
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	content, err := o.saidNote(&now, in)
	if err != nil {
		return nil, err
	}
	err = o.commit(happening{action: life.Return, was: r, now: &now, said: content, why: lost{Reason: in.Note}})
	if err != nil {
		return nil, err
	}
	followed, err := o.follow()
	if err != nil {
		return nil, err
	}
	out.Created, out.To = followed.successor.ID, followed.successor.To
	return &now, nil
}
