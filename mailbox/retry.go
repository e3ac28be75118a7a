package mailbox

import (
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// retryAgain runs a dead handoff again as a new one. Repeating it gives the same one.
func (o *op) retryAgain(r *store.Record, _ schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Checkpoint != 0 {
		out.Checkpoint = checkpointID(r.Checkpoint)
	}
	s, ok := next(actRetry, r.Status)
	if !ok {
		return nil, o.notNow(actRetry, r)
	}
	if err := o.allowed(actRetry, s.who, r); err != nil {
		return nil, err
	}
	if r.Successor != 0 {
		successor, err := o.Record(r.Successor)
		if err != nil || successor.RetryOf == r.ID {
			out.Created = r.Successor
			return r, err
		}
	}
	again, err := o.retry(actRetry, r)
	if err != nil {
		return nil, err
	}
	out.Created, out.To = again.ID, again.To
	return o.Record(r.ID)
}

// retry sends the same work again, with the context, partial progress and checkpoint of before. In a pool
// the one who failed is passed over.
func (o *op) retry(a action, r *store.Record) (*store.Record, error) {
	var h schemas.Handoff
	if err := o.Saying(r.ID, r.Body, &h); err != nil {
		return nil, err
	}
	why, err := o.lossOf(r)
	if err != nil {
		return nil, err
	}
	if err := o.explain(r, &h, why); err != nil {
		return nil, err
	}
	h.Metadata.Deadline, h.Metadata.NotBefore, h.Metadata.NeedsApproval, h.Metadata.After = nil, nil, false, nil
	d := &draft{handoff: h, to: r.To, attempt: r.Attempt}
	if e := h.Expectations; e != nil {
		timeout, err := schemas.ParseDuration("expectations.timeout", e.Timeout)
		if err != nil {
			return nil, err
		}
		if timeout > 0 {
			d.deadline = o.now.Add(timeout)
		}
	}
	if _, directed := r.To.Directed(); !directed && r.Holder != "" {
		d.excluded = append(slices.Clone(r.Excluded), r.Holder)
	}
	p := place{workflow: r.Workflow, parent: r.Parent, depth: r.Depth, maxDepth: r.MaxDepth, retryOf: r.ID}
	return o.succeed(a, r, d, p)
}

// lossOf is why a handoff ended badly, as far as anybody said.
func (o *op) lossOf(r *store.Record) (why lost, err error) {
	why.Reason = string(r.Status)
	if r.Result == 0 {
		return why, nil
	}
	why.Failure = &schemas.Failure{}
	return why, o.Saying(r.ID, r.Result, why.Failure)
}

// giveBackWork returns a completed handoff whose result is not good enough: the same agent gets a child
// with the reasons. It can be done once.
func (o *op) giveBackWork(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if _, ok := next(actReturn, r.Status); ok && strings.TrimSpace(in.Note) == "" {
		return nil, schemas.Invalidf("note", "is needed to return work").WithHint("Say what is not good enough, so that it can be mended.")
	}
	now, err := o.step(actReturn, r)
	if err != nil {
		return nil, err
	}
	content, err := o.saidNote(&now, in)
	if err != nil {
		return nil, err
	}
	if err := o.put(actReturn, r, &now, schemas.Event{}, content); err != nil {
		return nil, err
	}
	var h schemas.Handoff
	if err := o.Saying(r.ID, r.Body, &h); err != nil {
		return nil, err
	}
	h.Source = schemas.Source{Agent: o.by.Agent, AgentID: o.by.AgentID}
	h.Kind = "return"
	h.Metadata.Deadline, h.Metadata.NotBefore, h.Metadata.NeedsApproval, h.Metadata.After = nil, nil, false, nil
	if err := o.explain(&now, &h, lost{Reason: in.Note}); err != nil {
		return nil, err
	}
	p := place{workflow: r.Workflow, parent: r.ID, depth: r.Depth + 1, maxDepth: r.MaxDepth}
	if err := o.checkDepth(p, r); err != nil {
		return nil, err
	}
	again, err := o.succeed(actRedo, &now, &draft{handoff: h, to: schemas.Address(r.Holder), attempt: r.Attempt}, p)
	if err != nil {
		return nil, err
	}
	out.Created, out.To = again.ID, again.To
	return o.Record(r.ID)
}
