package mailbox

import (
	"encoding/json"
	"fmt"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// lossOf is why a handoff ended badly, as far as anybody said.
func (o *op) lossOf(r *store.Record) (why lost, err error) {
	why.Reason = string(r.Status)
	if r.Result == 0 {
		return why, nil
	}
	why.Failure = &schemas.Failure{}
	return why, o.Saying(r.ID, r.Result, why.Failure)
}

// failuresKept is how many earlier failures a handoff tells of.
const failuresKept = 10

// explain puts the failure of r, and what was achieved, into the context of the handoff that goes on: the failure
// behind earlier ones, of which it keeps ten; what blocked it as known issues; questions; and the last checkpoint, or
// partial progress where there is none. Where that makes the handoff too large it says only where to read it: a
// handoff that goes on is never refused, since what ended the one before it may be the clock.
func (o *op) explain(r *store.Record, h *schemas.Handoff, why lost) error {
	before := orZero(h.Context)
	c, failed := before, fmt.Sprintf("%s %s: ", r.ID, r.Status)
	c.PreviousFailures = append(slices.Clone(before.PreviousFailures), failed+why.text())
	c.PreviousFailures = c.PreviousFailures[max(len(c.PreviousFailures)-failuresKept, 0):]
	if f := why.Failure; f != nil {
		for _, b := range f.Failure.Blockers {
			c.KnownIssues = append(c.KnownIssues, b.Description)
		}
		c.PartialProgress = f.Failure.PartialProgress
		if f.RollbackRequest != nil {
			c.Questions = f.RollbackRequest.Questions
		}
	}
	checkpoint, err := lastCheckpoint(o.View, r)
	if err != nil {
		return err
	}
	if c.Checkpoint = checkpoint; checkpoint != nil && checkpoint.PartialProgress != nil {
		c.PartialProgress = nil // it is told once
	}
	h.Context = &c
	if b, err := json.Marshal(h); err != nil || len(b) <= o.Limits.Handoff-headroom {
		return err
	}
	before.PreviousFailures = append(slices.Clone(before.PreviousFailures), fmt.Sprintf("%s %s: %s The rest is in %s.",
		r.ID, r.Status, schemas.Clip(why.text(), 200), r.ID))
	h.Context = &before
	return nil
}

// headroom is left in a handoff made by the rules for what is filled in later, in bytes.
const headroom = 1 << 10
