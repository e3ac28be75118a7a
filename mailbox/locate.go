package mailbox

import (
	"cmp"
	"context"
	"errors"

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
		return cmp.Or(err, o.RunAs(operation.ClockCaller, func() error { // nobody gets notices of its own calls
			return errors.Join(schemas.Map(texts, func(text string) error {
				return o.NotifyAgent(r.Holder, operation.NoticeOf(overlap.NoticeKind, r, text))
			})...)
		}))
	})
}

// moveClaim records the working tree of the caller as that of the claim, if the claim was recorded at the commit Since of
// this tree, and HEAD is another one now. A claim that was kept, as after an answer, has an earlier commit and stays
// there. moveClaim returns the record as it is then.
func (o *op) moveClaim(r *store.Record) (*store.Record, error) {
	var was schemas.HandoffState
	if err := o.DecodeContent(r.ID, r.Tree, &was); err != nil {
		return nil, err
	}
	in, moved := was.ClaimedIn, o.By.Tree
	if in == nil || in.Path != moved.Path || in.Commit != moved.Since || in.Commit == moved.Commit && in.Branch == moved.Branch {
		return r, nil
	}
	change := &operation.RecordChange{Action: life.Locate, Content: schemas.HandoffState{ClaimedIn: moved.Summary()}}
	return o.ChangeRecordWithNote(change, r, schemas.UpdateIn{}, func(now *store.Record) { now.Tree = o.NextEventNumber() })
}
