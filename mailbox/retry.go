package mailbox

import (
	"slices"
	"time"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// retry runs a dead handoff again as a new one. Repeating it gives the same one.
func (o *op) retry(r *store.Record, _ schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Checkpoint != 0 {
		out.Checkpoint = checkpointID(r.Checkpoint)
	}
	s, ok := life.Next(life.Retry, r.Status)
	if !ok {
		return nil, o.notNow(life.Retry, r)
	}
	if err := o.allowed(life.Retry, s.By, r); err != nil {
		return nil, err
	}
	if r.Successor != 0 {
		successor, err := o.Record(r.Successor)
		if err != nil || successor.RetryOf == r.ID {
			out.Created = r.Successor
			return r, err
		}
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	again, err := o.sendAgain(life.Retry, r, o.by.Token)
	if err != nil {
		return nil, err
	}
	out.Created, out.To = again.ID, again.To
	return o.Record(r.ID)
}

// sendAgain sends the same work again, with the context, partial progress and checkpoint of before. In a
// pool the one who failed is passed over, if another is there. A token is charged with it, "" for none.
func (o *op) sendAgain(a life.Action, r *store.Record, token string) (*store.Record, error) {
	why, err := o.lossOf(r)
	if err != nil {
		return nil, err
	}
	d, err := o.draftAgain(r, why)
	if err != nil {
		return nil, err
	}
	d.to, d.token = r.To, token
	others, err := o.candidatesLeft(r, r.Holder)
	if err != nil {
		return nil, err
	}
	if d.excluded = slices.Clone(r.Excluded); others && r.Holder != "" {
		d.excluded = append(d.excluded, r.Holder)
	}
	p := place{workflow: r.Workflow, parent: r.Parent, depth: r.Depth, maxDepth: r.MaxDepth, retryOf: r.ID}
	return o.succeed(a, r, d, p)
}

// draftAgain drafts the same work with why it is done again. A timeout counts anew; a deadline that was a
// point in time is over or belongs to the first attempt, so it goes.
func (o *op) draftAgain(r *store.Record, why lost) (*draft, error) {
	d := &draft{attempt: r.Attempt, estimate: time.Duration(r.Estimate) * time.Minute}
	if err := o.Saying(r.ID, r.Body, &d.handoff); err != nil {
		return nil, err
	}
	if err := o.explain(r, &d.handoff, why); err != nil {
		return nil, err
	}
	m := &d.handoff.Metadata
	m.Deadline, m.NotBefore, m.After = nil, nil, nil
	if e := d.handoff.Expectations; e != nil {
		timeout, err := schemas.ParseDuration("expectations.timeout", e.Timeout)
		if err != nil {
			return nil, err
		}
		if timeout > 0 {
			d.deadline = o.now.Add(timeout)
		}
	}
	return d, nil
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
