package mailbox

import (
	"context"

	"handoff/mailbox/longpoll"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// A client that polls makes each look of a wait in a call of its own, all under one request id, see
// [schemas.Caller]. The looks keep nothing in memory that has to survive: a claim and shown notices have a receipt under
// the request id, and everything else is read anew. So if an answer is lost, the next look gets the same answer.

// errCancelled is the answer to a look of a wait that its caller has cancelled.
var errCancelled = schemas.Errorf(schemas.Conflict, "the wait was cancelled").WithHandoff(0, schemas.Cancelled, 0)

// leaveWait ends a look with the given error. If the wait is not over, it keeps its place for the next look. The waiter is
// nil for a wait that takes no work.
func (s *Service) leaveWait(by schemas.Caller, w *longpoll.Waiter, err error) {
	if e := schemas.AsError(err); e != nil && e.Code == schemas.Unfinished {
		s.hub.KeepPlace(by, w)
		return
	}
	s.hub.EndPlace(by.Request)
	if w != nil {
		w.EndWait()
	}
}

// lastAnswer returns the answer that an earlier look of the wait of a caller gave. The result found is false if no look
// gave one, or if the wait made a claim, because a claim is looked up by its handoff.
func lastAnswer[Out any](ctx context.Context, s *Service, by schemas.Caller) (out Out, found bool, err error) {
	if by.Poll == 0 {
		return out, false, nil
	}
	found, err = operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (bool, error) {
		claim, done, err := claimOfLook(v, by)
		if done == nil || err != nil || claim.ID != 0 {
			return false, err
		}
		return true, operation.DecodeReceipt(done, &out)
	})
	return out, found, err
}

// reportProgress returns the error unfinished, with the progress of a handoff and what it needs of a person. A caller
// that waits after its question and has lost its claim need not wait: it may claim the handoff itself.
func (s *Service) reportProgress(v *store.View, r *store.Record, by schemas.Caller) (over bool, err error) {
	if r.Status == schemas.Pending && r.Holder == by.Agent {
		return true, nil
	}
	progress := schemas.Errorf(schemas.Unfinished, "%s", s.reader.ProgressText(v, r)).WithHandoff(r.ID, r.Status, 0)
	progress.Person = reading.PersonRequest(v, r)
	return false, progress
}

// EndWait ends a wait whose caller polls. The request id of the caller names the wait. Its place in the queue goes to
// others. A claim that one of the looks made is given back, unless its holder has made a call about the handoff. If there
// is no such claim and no other answer, all later looks are refused as cancelled. Ending a wait twice changes nothing.
// The errors come from the store.
func (s *Service) EndWait(ctx context.Context, by schemas.Caller, in schemas.EndWaitIn) (out schemas.EndWaitOut, err error) {
	s.hub.EndPlace(by.Request)
	by.Poll = 1 // it is one of the calls of the wait
	err = s.update(ctx, by, func(o *op) error {
		claim, _, err := claimOfLook(o.View, by)
		if r := o.UsableRecord(claim.ID); err == nil && r != nil && r.Status.IsHeld() && r.Unread == by.Request {
			err = o.GiveBackUnread(r)
		}
		if in.Unread || err != nil {
			return err
		}
		return o.StoreRefusal(errCancelled)
	})
	if e := schemas.AsError(err); e != nil && e.Code == errCancelled.Code { // it was cancelled before
		return out, nil
	}
	return out, err
}

// claimOfLook returns the claim that a look of the wait of the caller made, zero for none, and the receipt of the wait.
// The error of a cancelled wait is errCancelled.
func claimOfLook(v *store.View, by schemas.Caller) (claim takenClaim, done *store.Receipt, err error) {
	if by.Poll == 0 {
		return claim, nil, nil
	}
	if done, err = v.Receipt(store.RequestReceiptKey(by.Request)); done == nil || err != nil {
		return claim, done, err
	}
	err = operation.DecodeReceipt(done, &claim)
	return claim, done, err
}

// Seal returns the secret with which servers seal what they give to clients to keep. The first call makes it. The errors
// come from the store.
func (s *Service) Seal(ctx context.Context, by schemas.Caller, _ schemas.SealIn) (out schemas.SealOut, err error) {
	err = s.update(ctx, by, func(o *op) (err error) {
		if out.Secret, err = o.SealingKey(); out.Secret == "" && err == nil {
			out.Secret = o.NewID("seal") + o.NewID("")
			err = o.PutSealingKey(out.Secret)
		}
		return err
	})
	return out, err
}
