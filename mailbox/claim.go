package mailbox

import (
	"cmp"
	"context"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/offer"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// takenClaim is a claim that a call made, or that the caller held before. The server stores it under the request id of
// the call, so its exported fields are a format on disk.
type takenClaim struct {
	ID          schemas.ID `json:"id,omitempty"` // zero if the claim found nothing
	Token       string     `json:"token,omitempty"`
	Fresh       bool       `json:"fresh,omitempty"` // this call claimed it
	SameSession bool       `json:"again,omitempty"` // this session held the handoff when it asked its question

	Overlaps []string `json:"beside,omitempty"` // warnings of other holders that work on the same files

	record *store.Record   // nil if it comes from a receipt
	box    schemas.Address // the mailbox that it was in; "" if this call did not claim it
}

// newTakenClaim returns the result of a claim. The parameter `fresh` is true if this call made the caller the holder of
// r.
func newTakenClaim(r *store.Record, fresh bool) takenClaim {
	return takenClaim{ID: r.ID, Token: r.Token, Fresh: fresh, record: r}
}

// Claim makes the caller the holder of a handoff. The caller gets a claim token, the end of its lease, and a brief of
// the work. An agent calls it for a handoff by its id, or for the next handoff of its queue, optionally with one of the
// given tags.
//
// Without an id the caller first gets a handoff that it held over a connection that is gone. Then it gets the handoff
// of its queue that has waited longest. A higher priority counts like a longer wait. The queue has the mail of the
// caller, of the pools for which the caller qualifies, and of ended sessions of the same client. An agent that holds as
// many handoffs as its card allows gets only work that is addressed to it by name.
//
// If the queue is empty, the call waits up to wait_seconds, at most 50, and then returns an empty result. Calls that
// wait for the same mailbox are served in the order of their arrival. A caller with unread notices gets the empty
// result at once, together with these notices.
//
// A command that claims under an unknown name, for which nothing waits, does not make the name known.
//
// A brief has at most max_tokens tokens, 1,500 by default. It names the parts that do not fit.
//
// Errors:
//   - not_found: no handoff has the id.
//   - conflict: another agent holds the handoff; the handoff waits for approval, for dependencies or for a time; it
//     ended; or its holder may still come back, because this server began less than two minutes ago.
//   - denied: the caller is not the recipient, does not qualify for the pool, or declined the handoff.
//   - stale: an earlier call with the same request id claimed the handoff, and that claim has ended since.
//   - unavailable: the result could not be delivered, and the claim was given back.
//
// A caller that polls gets the error unfinished while nothing comes, see [schemas.Caller].
//
// A call with the same request id gets the same claim again. A call for the same handoff over the same connection gets
// it, too. A claim whose result cannot be delivered is given back and does not count as an attempt. If the process dies
// after the claim is on disk, the agent gets the claim again with a repeated call, or with its first claim over its
// next connection.
func (s *Service) Claim(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (schemas.ClaimOut, error) {
	if unknown, err := s.unknownNameText(ctx, by, in); unknown != "" || err != nil {
		return schemas.ClaimOut{Empty: true, WaitingMail: unknown}, err
	}
	if last, found, err := lastAnswer[schemas.ClaimOut](ctx, s, by); found || err != nil {
		return last, err
	}
	claim := s.claim
	if in.HandoffID == "" && in.WaitSeconds > 0 {
		claim = s.claimOrWait
	}
	got, err := claim(ctx, by, in)
	switch {
	case err != nil:
		return schemas.ClaimOut{}, err
	case got.ID == 0:
		return s.emptyClaimResult(ctx, by)
	}
	out, err := s.claimResult(ctx, by, in, got)
	if gone := ctx.Err(); gone != nil && got.Fresh && got.record != nil && by.Poll == 0 { // a later look gets it again
		return schemas.ClaimOut{}, s.releaseUndelivered(by, got, operation.ErrorWithCode(gone))
	}
	return out, err
}

// claim claims one handoff, or returns the claim of an earlier call with the same request id.
func (s *Service) claim(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (takenClaim, error) {
	if in.HandoffID != "" {
		return mutate(ctx, s, by, func(o *op) (takenClaim, error) { return o.claimByID(in.HandoffID) })
	}
	return s.claimNext(ctx, by, compose.SplitTags(in.Tags))
}

// claimByID claims a handoff by its id. A handoff that the caller holds already goes to [op.claimAgain].
func (o *op) claimByID(id string) (takenClaim, error) {
	r, err := o.FindHandoff(id)
	if err != nil {
		return takenClaim{}, err
	}
	if r.Status.IsHeld() && r.Holder == o.By.Agent {
		return o.claimAgain(r)
	}
	if err := o.CheckMayTake(life.Claim, offer.ClaimReasons, r); err != nil {
		return takenClaim{}, err
	}
	return o.takeHandoff(life.Claim, r)
}

// claimAgain returns the claim that the caller holds already. Over the same connection the claim stays as it is, and no
// event is written. If the connection that claimed is gone, the caller gets a new claim. A service that has just begun
// cannot know whether that connection is gone. In that case the error is conflict, which says after how many seconds to
// call again.
func (o *op) claimAgain(r *store.Record) (takenClaim, error) {
	switch {
	case o.By.Conn != "" && o.isClaimingSession(r, o.By):
		o.here.RecordHeard(r.Token, o.Now) // before the commit: a call that cannot deliver this claim checks it afterwards
		return newTakenClaim(r, false), nil
	case o.mayReclaim(r):
		return o.takeHandoff(life.Reclaim, r)
	case o.Leases.MayConnectionReturn(r):
		wait := o.Leases.Started.Add(operation.Grace).Sub(o.Now)
		return takenClaim{}, operation.ConflictError(r, "%s was claimed over a connection that may still be there", r.ID).
			WithHint("If it is gone, claim %s again in %s.", r.ID, schemas.CountNoun(int(wait.Seconds())+1, "second"))
	}
	return o.takeHandoff(life.Claim, r) // refused, since the handoff is held
}

// reclaimAfterLostConnection looks for handoffs that the caller claimed over a connection that is gone, and claims the
// oldest of them again. This way a restarted client continues its work. Handoffs that wait for an answer are left out.
// For a caller without a connection the result is zero, because nothing proves that this caller made the claim.
func (o *op) reclaimAfterLostConnection() (takenClaim, error) {
	if o.By.Conn == "" {
		return takenClaim{}, nil
	}
	for r, err := range o.HandoffsHeldBy(o.By.Agent) {
		if err != nil {
			return takenClaim{}, err
		}
		if r.Status != schemas.Waiting && o.Leases.IsConnectionGone(r) {
			return o.takeHandoff(life.Reclaim, r)
		}
	}
	return takenClaim{}, nil
}

// takeHandoff makes the caller the holder of r, with a new token. Every earlier token becomes void, so two agents
// cannot both finish the same work. A claim counts as one more attempt. The exceptions are a claim after the earlier
// claim was given back or its question was answered, and a second claim by the holder itself. An open question stays
// open if the agent that asked it claims.
func (o *op) takeHandoff(a life.Action, r *store.Record) (takenClaim, error) {
	now, err := o.ApplyAction(a, r)
	if err != nil {
		return takenClaim{}, err
	}
	operation.VoidToken(&now)
	if r.Claims == 1 { // from here on the record has the tree of another claim
		now.Base = reading.BaseCommit(o.View, r)
	}
	if a == life.Claim && !r.Uncharged {
		now.Attempt++
	}
	now.Claims++
	now.Token, now.Uncharged, now.Reserved, now.Box = o.NewID("ct"), false, 0, ""
	if now.Status != schemas.Waiting { // else the question stays open
		now.Ask, now.Asker, now.Permission = 0, "", false
	}
	now.Holder, now.HolderID, now.Conn, now.Via = o.By.Agent, o.By.AgentID, o.By.Conn, o.By.Via
	now.Claimed = cmp.Or(now.Claimed, store.TimeOf(o.Now))
	if now.SilentAt, err = o.initialSilentAt(&now); err != nil {
		return takenClaim{}, err
	}
	o.Leases.RestartLease(&now)
	if o.By.Poll > 0 && !isQuestionAnswered(r, o.By) { // else the session knows the handoff
		now.Unread = o.By.Request
	}
	took := &operation.RecordChange{Action: a, Was: r, Now: &now}
	o.recordTree(took)
	if err := o.Commit(took); err != nil {
		return takenClaim{}, err
	}
	taken := newTakenClaim(&now, true)
	taken.box, taken.SameSession = r.Box, isQuestionAnswered(r, o.By) && o.isClaimingSession(r, o.By)
	if err := o.markNoticesRead(r.ID, o.By.Agent); err != nil {
		return takenClaim{}, err
	}
	if taken.Overlaps, err = o.overlaps.RecordFiles(o.Op, &now); err != nil {
		return takenClaim{}, err
	}
	return taken, o.recordFirstClaim()
}

// recordTree records the working tree of a claim, because the changes of the holder count from this tree. A holder that
// goes on after an answer or a lost connection in the same directory keeps the tree of its claim before. So the commits
// that it made in between still count.
func (o *op) recordTree(took *operation.RecordChange) {
	r, tree := took.Was, o.By.Tree.Summary()
	var before schemas.HandoffState
	if err := o.DecodeContent(r.ID, r.Tree, &before); err != nil || took.Action != life.Reclaim && !isQuestionAnswered(r, o.By) {
		took.Now.Tree = 0
	} else if tree == nil || before.ClaimedIn.IsIn(tree.Path) {
		return
	}
	if tree != nil {
		took.Now.Tree, took.Content = o.NextEventNumber(), schemas.HandoffState{ClaimedIn: tree}
	}
}

// recordFirstClaim records the first claim of an agent. From then on the server does not warn senders that nobody has
// claimed under that name.
func (o *op) recordFirstClaim() error {
	a, err := o.CallerRow()
	if err != nil || a.Claims > 0 {
		return err
	}
	a.Claims++
	return o.PutAgent(*a)
}
