package mailbox

import (
	"context"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/overlap"
	"handoff/schemas"
	"handoff/store"
)

// Locate stores facts about the working tree of a claim that the holder's process learned after the call of the claim:
// the uncommitted files, and another HEAD if it changed while the call waited for work. It tells the holders of work on
// the same files by notices, as a claim tells them in its result. The files are no part of the registry. Another HEAD
// is an event, see [life.Locate].
//
// The errors are those of a progress report: not_found, conflict, denied, stale, and invalid without a claim token.
func (s *Service) Locate(ctx context.Context, by schemas.Caller, in schemas.LocateIn) (schemas.LocateOut, error) {
	return schemas.LocateOut{}, s.update(ctx, by, func(o *op) error {
		r, err := o.FindHandoff(in.HandoffID)
		if err != nil || by.Tree == nil {
			return err
		}
		if err := o.checkHolderAction(life.Locate, r, in.Token); err != nil {
			return err
		}
		if r, err = o.moveClaim(r); err != nil {
			return err
		}
		texts, err := o.overlaps.RecordFiles(o.Op, r)
		for _, text := range texts {
			if err == nil { // by the server, because nobody gets notices of its own calls
				err = o.RunAs(operation.ClockCaller, func() error { return o.NotifyAgent(r.Holder, operation.NoticeOf(overlap.NoticeKind, r, text)) })
			}
		}
		return err
	})
}

// moveClaim records the working tree of the caller as that of the claim, unless both have the same HEAD. It returns the
// record as it is then.
func (o *op) moveClaim(r *store.Record) (*store.Record, error) {
	var was schemas.HandoffState
	tree := o.By.Tree.Summary()
	if err := o.DecodeContent(r.ID, r.Tree, &was); err != nil {
		return nil, err
	}
	if in := was.ClaimedIn; in == nil || in.Path != tree.Path || in.Commit == tree.Commit && in.Branch == tree.Branch {
		return r, nil
	}
	moved := &operation.RecordChange{Action: life.Locate, Content: schemas.HandoffState{ClaimedIn: tree}}
	return o.ChangeRecordWithNote(moved, r, schemas.UpdateIn{}, func(now *store.Record) { now.Tree = o.NextEventNumber() })
}
