package mailbox

import (
	"context"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/offer"
	"handoff/mailbox/operation"
	"handoff/mailbox/overlap"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// takenClaim is what a claim took, or what the caller held already. It is remembered under the request id, so its exported
// fields are a format on disk.
type takenClaim struct {
	ID          schemas.ID `json:"id,omitempty"` // zero when nothing waits
	Token       string     `json:"token,omitempty"`
	Fresh       bool       `json:"fresh,omitempty"` // this call took it
	SameSession bool       `json:"again,omitempty"` // the session that takes it had it when it asked

	Overlaps []string `json:"beside,omitempty"` // who else holds work on the same files

	record *store.Record   // nil when it was remembered
	box    schemas.Address // out of which it was taken; empty when it was not
}

// newTakenClaim is the answer to a claim: the record that the caller holds now, and whether this call made it the holder.
func newTakenClaim(r *store.Record, fresh bool) takenClaim {
	return takenClaim{ID: r.ID, Token: r.Token, Fresh: fresh, record: r}
}

// Claim makes the caller the holder of a handoff, and gives it a claim token, the end of its lease, and a brief of what
// is to be done. An agent calls it, either for the next handoff of its mailboxes, optionally with one of some tags, or
// for a given one.
//
// Without an id the caller first gets what it held over a connection that is gone; then what waits longest, where each
// priority is worth a head start; from its own mailbox, the pools for which it qualifies, and the mailboxes of sessions
// of the same client that ended. If nothing is there it waits up to wait_seconds, at most 50, in turn with others that
// wait, and then gets an empty result, as it does at once while it has notices that it has not read, with those. An
// agent that holds as many as it said it takes gets only what is addressed to it by name. A brief has max_tokens at
// most, 1,500 by default; what does not fit is named.
//
// Errors:
//   - not_found: there is no handoff with the id.
//   - conflict: another agent holds it; it waits for approval, for others or for a time; it ended; or it was claimed
//     over a connection that may still be there, in the first two minutes of a server.
//   - denied: the caller is not its recipient, does not qualify for its pool, or declined it.
//   - stale: a call with the same request id got a claim that ended since.
//   - unavailable: the result could not be delivered, and the claim was given back.
//
// Repetition: the caller gets the same claim again by asking for its id over the same connection. A call with the same
// request id gets the same claim. A claim whose result can no longer be delivered is given back and is no attempt. If
// the process dies after the claim is on disk, the agent gets it again: by repeating the call, or as the first one that
// it claims over its next connection.
func (s *Service) Claim(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (schemas.ClaimOut, error) {
	claim := s.claim
	if in.HandoffID == "" && in.WaitSeconds > 0 {
		claim = s.claimWaiting
	}
	got, err := claim(ctx, by, in)
	switch {
	case err != nil:
		return schemas.ClaimOut{}, err
	case got.ID == 0:
		return s.emptyClaim(ctx, by)
	}
	out, err := s.claimResult(ctx, by, in, got)
	if gone := ctx.Err(); gone != nil && got.Fresh && got.record != nil {
		return schemas.ClaimOut{}, s.giveBack(by, got, operation.Coded(gone))
	}
	return out, err
}

// claim takes one, or gives what an earlier call with the same request id took.
func (s *Service) claim(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (takenClaim, error) {
	if in.HandoffID != "" {
		return mutate(ctx, s, by, func(o *op) (takenClaim, error) { return o.claimByID(in.HandoffID) })
	}
	return s.claimNext(ctx, by, compose.Tags(in.Tags))
}

// claimByID takes a handoff by its id. What the caller holds already it gets again, see [op.claimAgain].
func (o *op) claimByID(id string) (takenClaim, error) {
	r, err := o.Find(id)
	if err != nil {
		return takenClaim{}, err
	}
	if r.Status.Held() && r.Holder == o.By.Agent {
		return o.claimAgain(r)
	}
	if err := o.CheckVerdict(life.Claim, offer.Claim, r); err != nil {
		return takenClaim{}, err
	}
	return o.take(life.Claim, r)
}

// claimAgain gives the caller what it holds already: the same claim over the same connection, which is no event; a new
// one where the old connection is gone. While a service that has just begun cannot know whether it is gone, the error
// is conflict and says in how many seconds to ask again. Anything else is refused as held.
func (o *op) claimAgain(r *store.Record) (takenClaim, error) {
	switch {
	case o.By.Conn != "" && r.Conn == o.By.Conn:
		o.here.NoteHeard(r.Token, o.Now) // before the commit: a call that cannot deliver this claim comes after
		return newTakenClaim(r, false), nil
	case o.mayReclaim(r):
		return o.take(life.Reclaim, r)
	case o.Leases.MayReturn(r):
		wait := o.Leases.Started.Add(operation.Grace).Sub(o.Now)
		return takenClaim{}, operation.Conflict(r, "%s was claimed over a connection that may still be there", r.ID).
			WithHint("If it is gone, claim %s again in %d seconds.", r.ID, int(wait.Seconds())+1)
	}
	return o.take(life.Claim, r) // which is refused, since it is held
}

// reclaim takes again what the caller claimed over a connection that is gone: a client that was restarted goes on where
// it was, with the oldest first. What waits for an answer is left to wait. A caller without a connection reclaims
// nothing unasked, since nothing shows that it is the one that claimed; it asks for the id.
func (o *op) reclaim() (takenClaim, error) {
	if o.By.Conn == "" {
		return takenClaim{}, nil
	}
	for r, err := range o.HeldBy(o.By.Agent) {
		if err != nil {
			return takenClaim{}, err
		}
		if r.Status != schemas.Waiting && o.Leases.ConnectionGone(r) {
			return o.take(life.Reclaim, r)
		}
	}
	return takenClaim{}, nil
}

// take makes the caller the holder, with a new token. Every earlier token is void from here on, which is what keeps two
// agents from finishing the same work: the store lets one transaction do this at a time, and whoever comes second finds
// the handoff held. A claim is one more attempt unless the one before was given back; a reclaim never is. A
// question that is open stays open for whoever asked it.
func (o *op) take(a life.Action, r *store.Record) (takenClaim, error) {
	now, err := o.Step(a, r)
	if err != nil {
		return takenClaim{}, err
	}
	operation.VoidToken(&now)
	if r.Claims == 1 { // from here on its tree is that of another claim
		now.Base = reading.Base(o.View, r)
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
	if now.Claimed == 0 {
		now.Claimed = store.At(o.Now)
	}
	if now.SilentAt, err = o.silenceMark(&now); err != nil {
		return takenClaim{}, err
	}
	o.Leases.Touch(&now)
	took := &operation.Happening{Action: a, Was: r, Now: &now}
	if now.Tree = 0; o.By.Tree != nil {
		now.Tree, took.Content = o.NextEvent(), schemas.Standing{ClaimedIn: o.By.Tree.Summary()}
	}
	if err := o.Commit(took); err != nil {
		return takenClaim{}, err
	}
	taken := newTakenClaim(&now, true)
	taken.box, taken.SameSession = r.Box, isAnswered(r, o.By) && sameSession(r, o.By)
	if err := o.markRead(r.ID, o.By.Agent); err != nil {
		return takenClaim{}, err
	}
	if taken.Overlaps, err = overlap.Note(o.Op, &now); err != nil {
		return takenClaim{}, err
	}
	return taken, o.noteFirstClaim()
}

// noteFirstClaim notes the first claim of an agent: from then on its mailbox is known to be read, and senders are not
// warned any more that nobody claimed under that name.
func (o *op) noteFirstClaim() error {
	a, err := o.Self()
	if err != nil || a.Claims > 0 {
		return err
	}
	a.Claims++
	return o.PutAgent(*a)
}
