package mailbox

import (
	"context"

	"handoff/schemas"
	"handoff/store"
)

// Update does one of the smaller steps in the life of a handoff: progress, ask and release, which its holder calls;
// answer, amend, cancel, retry and return, which its sender calls, the owner of its workflow or a person; approve and
// refuse, which a person calls. What each does, from which states, what follows, which errors it has and what a
// repetition does stands with the action of the same name in package life.
//
// Every action takes a note of 4 KiB at most. The holder's proof is that of [Service.Complete]. The result has the
// state and the end of the lease after the action; for retry and return the handoff that was created; for cancel the
// children, which go on; for amend the fields that changed.
//
// The error is invalid for an action that does not exist; not_found, conflict, denied, stale and limit are as package
// life says.
func (s *Service) Update(ctx context.Context, by schemas.Caller, in schemas.UpdateIn) (schemas.UpdateOut, error) {
	if err := schemas.TooBig("note", len(in.Note), s.Limits.Task); err != nil {
		return schemas.UpdateOut{}, err
	}
	do, ok := updates[in.Action]
	if !ok {
		return schemas.UpdateOut{}, schemas.Invalidf("action", "%q is not an action", schemas.Visible(string(in.Action)))
	}
	return mutate(ctx, s, by, func(o *op) (out schemas.UpdateOut, err error) {
		r, err := o.find(in.HandoffID)
		if err != nil {
			return out, err
		}
		now, err := do(o, r, in, &out)
		if err != nil {
			return out, err
		}
		out.HandoffID, out.Status, out.Action = now.ID, now.Status, in.Action
		out.LeaseEnds = now.Lease.Ptr()
		return out, nil
	})
}

// updates is what each action does: it commits its step, gives the record as it is then, and adds to the
// result what it changed besides.
var updates = map[schemas.Action]func(*op, *store.Record, schemas.UpdateIn, *schemas.UpdateOut) (*store.Record, error){
	schemas.ActProgress: (*op).progress,
	schemas.ActAsk:      (*op).ask,
	schemas.ActAnswer:   (*op).answer,
	schemas.ActRelease:  (*op).releaseTo,
	schemas.ActAmend:    (*op).amend,
	schemas.ActCancel:   (*op).cancel,
	schemas.ActRetry:    (*op).retry,
	schemas.ActReturn:   (*op).returnWork,
	schemas.ActApprove:  (*op).approve,
	schemas.ActRefuse:   (*op).disapprove,
}

// commitNote is [op.commit] with the note that came with an action, to which the record points from then on. Without
// a note nothing is kept besides.
func (o *op) commitNote(h happening, said schemas.UpdateIn) (err error) {
	if said.Note == "" {
		return o.commit(h)
	}
	if h.now.Note, err = o.nextEvent(); err != nil {
		return err
	}
	content, err := o.said(said)
	if err != nil {
		return err
	}
	return o.commitSaying(h, content)
}
