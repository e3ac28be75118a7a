package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// retry runs a dead handoff again as a new one, see [life.Retry]. Repeating it gives the same one, for as long as that
// is the latest that took its place; a handoff that went on by a rollback can still be retried.
func (o *op) retry(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Checkpoint != 0 {
		out.Checkpoint = reading.CheckpointID(r.Checkpoint)
	}
	if _, err := o.step(life.Retry, r); err != nil {
		return nil, err
	}
	if r.Successor != 0 {
		successor, err := o.Record(r.Successor)
		if err != nil || successor.RetryOf == r.ID {
			if out.Created = r.Successor; in.Note != "" || in.Changes != nil {
				out.Warnings = append(out.Warnings, fmt.Sprintf("%s was retried before, as %s: amend that one", r.ID, r.Successor))
			}
			return r, err
		}
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	again, err := o.sendAgain(life.Retry, r, o.by.Token, func(d *draft) error { return o.changeAgain(d, in, out) })
	if err != nil {
		return nil, err
	}
	out.Created, out.To = again.ID, again.To
	if back := reading.Readable(o.View, r.Rollback); back != nil && !back.Status.Ended() {
		out.Warnings = append(out.Warnings, fmt.Sprintf(
			"%s, to which %s was rolled back, is %s at %s: it is cancelled when %s is completed before anybody claims it",
			back.ID, r.ID, back.Status, back.To, again.ID))
	}
	return r, nil
}

// changeAgain applies to work that is sent again what the caller says with it: changes as of an amendment, another
// recipient, and a note, which the next holder reads as an answer. The errors are those of [op.amend].
func (o *op) changeAgain(d *draft, in schemas.UpdateIn, out *schemas.UpdateOut) error {
	c, h := orZero(in.Changes), &d.handoff
	c.To = cmp.Or(in.To, c.To)
	if err := o.checkChanges(&c); err != nil {
		return inChanges(err)
	}
	stated, err := schemas.ParseTime("changes.deadline", c.Deadline, o.now)
	if err != nil {
		return err
	}
	if out.Changed = compose.Merge(h, c); !stated.IsZero() {
		h.Metadata.Deadline = &stated
	}
	if c.Deadline != "" || c.Expectations != nil {
		timeout, estimate, err := durations(h.Expectations)
		if err != nil {
			return inChanges(err)
		}
		d.deadline, d.estimate = deadline(orZero(h.Metadata.Deadline), o.now, timeout), estimate
		if err := checkDeadline(d.deadline, time.Time{}, o.now); err != nil {
			return schemas.AsError(err).WithField("changes.deadline")
		}
	}
	if c.To != "" {
		if d.to, err = schemas.ParseAddress("to", c.To); err != nil {
			return err
		}
		if out.Warnings, err = o.checkRecipient(d.to, h.Type, false); err != nil {
			return err
		}
		d.excluded = slices.DeleteFunc(d.excluded, func(a schemas.Agent) bool { return schemas.Address(a) == d.to })
	}
	if in.Note != "" {
		known := orZero(h.Context)
		known.Answers = append(slices.Clone(known.Answers), schemas.Answer{Answer: in.Note, From: o.by.Agent, At: o.now})
		h.Context = &known
	}
	return wholeSizes(h)
}

// returnWork gives a completed handoff back whose result is not good enough, see [life.Return]: the same agent gets a
// child with the reasons. It can be done once. That the chain has room for the child is checked first, since here the
// caller can be refused.
func (o *op) returnWork(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if _, ok := life.Next(life.Return, r.Status); ok && strings.TrimSpace(in.Note) == "" {
		return nil, schemas.Invalidf("note", "is needed to return work").WithHint("Say what is not good enough, so that it can be mended.")
	}
	now, err := o.step(life.Return, r)
	if err != nil {
		return nil, err
	}
	if err := o.checkDepth(lineage{}.under(r), r); err != nil {
		return nil, err
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	returned := happening{action: life.Return, was: r, now: &now, why: lost{Reason: in.Note}}
	if err := o.commitNote(returned, schemas.UpdateIn{Action: in.Action, Note: in.Note}); err != nil {
		return nil, err
	}
	followed, err := o.follow()
	if err != nil {
		return nil, err
	}
	out.Created, out.To = followed.successor.ID, followed.successor.To
	return &now, nil
}
