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
	if err := o.put(life.Return, r, &now, schemas.Event{}, content); err != nil {
		return nil, err
	}
	d, err := o.draftAgain(&now, lost{Reason: in.Note})
	if err != nil {
		return nil, err
	}
	d.to, d.token, d.handoff.Kind = schemas.Address(r.Holder), o.by.Token, "return"
	d.handoff.Source = schemas.Source{Agent: o.by.Agent, AgentID: o.by.AgentID}
	d.handoff.Metadata.NeedsApproval = false // the work was approved; this is the rest of it
	again, err := o.succeed(life.Redo, &now, d, p)
	if err != nil {
		return nil, err
	}
	out.Created, out.To = again.ID, again.To
	return o.Record(r.ID)
}
