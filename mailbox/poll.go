package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"strings"

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
		claim, err := claimOfLook(v, by)
		done, missing := v.Receipt(store.RequestReceiptKey(by.Request))
		if err = cmp.Or(err, missing); done == nil || err != nil || claim.ID != 0 {
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
	progress := schemas.Errorf(schemas.Unfinished, "%s", s.progressText(v, r)).WithHandoff(r.ID, r.Status, 0)
	progress.Person = personRequest(v, r)
	return false, progress
}

// progressText says in one line how far a handoff is.
func (s *Service) progressText(v *store.View, r *store.Record) string {
	oneLine := func(text string) string {
		return strings.Join(strings.Fields(schemas.EscapeHidden(schemas.Shorten(text, maxReason))), " ")
	}
	text := fmt.Sprintf("%s is %s", r.ID, r.Status)
	if !r.Status.IsHeld() || r.Status == schemas.Waiting {
		if r.NeedsApproval {
			return text + ": it needs the approval of a person, handoff approve " + r.ID.String()
		}
		if reason, err := s.reader.StateReason(v, r); err == nil && reason != "" {
			text += ": " + oneLine(reason)
		}
		return text
	}
	text = fmt.Sprintf("%s holds %s since %s", r.Holder, r.ID, r.Claimed.Time().UTC().Format("2006-01-02 15:04 MST"))
	if r.Percent > 0 {
		text += fmt.Sprintf(", %d%% done", r.Percent)
	}
	if said, err := reading.LastReport(v, r); err == nil && said != "" {
		text += ", by its own account: " + oneLine(said)
	}
	return text
}

// EndWait ends a wait whose caller polls. The request id of the caller names the wait. Its place in the queue goes to
// others. A claim that one of the looks made is given back, unless its holder has made a call about the handoff. If there
// is no such claim and no other answer, all later looks are refused as cancelled. Ending a wait twice changes nothing.
// The errors come from the store.
func (s *Service) EndWait(ctx context.Context, by schemas.Caller, in schemas.EndWaitIn) (out schemas.EndWaitOut, err error) {
	s.hub.EndPlace(by.Request)
	by.Poll = 1 // it is one of the calls of the wait
	err = s.update(ctx, by, func(o *op) error {
		claim, err := claimOfLook(o.View, by)
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

// claimOfLook returns the claim that a look of the wait of the caller made; zero for none. The error of a cancelled wait
// is errCancelled.
func claimOfLook(v *store.View, by schemas.Caller) (claim takenClaim, err error) {
	if by.Poll == 0 {
		return claim, nil
	}
	done, err := v.Receipt(store.RequestReceiptKey(by.Request))
	if done == nil || err != nil {
		return claim, err
	}
	return claim, operation.DecodeReceipt(done, &claim)
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
