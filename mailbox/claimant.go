package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/store"
)

// checkHolderAction checks that the state allows an action of the holder, and that the caller proves its claim. Every
// action of a holder calls it before the first change. The error is conflict if the state does not allow the action.
// Otherwise it comes from [op.checkClaimProof].
func (o *op) checkHolderAction(a life.Action, r *store.Record, token string) error {
	if _, ok := life.TransitionFor(a, r.Status); !ok {
		return o.ExplainRefusal(a, r)
	}
	o.actAsHolderWithToken(r, token)
	return o.checkClaimProof(a, r, token)
}

// checkClaimProof checks the proof of a claim. The claim token is a proof. Without a token the call must come from the
// claimant, see [op.isClaimant]. In both cases the caller must act under the name of the holder.
//
// Errors:
//   - stale: a newer claim or a release made the token void, or ended the claim of a session that gave no token.
//   - denied: the caller acts as another agent than the holder, or the token never belonged to this handoff.
//   - invalid, with the field claim_token: the caller needs a token and gave none.
//
// The end of the lease is no error: the token stays good until another agent claims. Two workers that share one bearer
// token over HTTP look the same to the server, so only the claim token tells them apart.
func (o *op) checkClaimProof(a life.Action, r *store.Record, token string) error {
	if token != "" && token != r.Token {
		return o.refuseWrongToken(a, r, token)
	}
	switch {
	case r.Holder != o.By.Agent && token == "" && o.hasClaimed(r):
		return o.refuseStaleToken(a, r).WithField("handoff_id")
	case r.Holder != o.By.Agent:
		return o.refuseNotHolder(r)
	case token == "" && !o.isClaimant(r):
		return o.refuseMissingToken(r)
	}
	return nil
}

// hasClaimed reports whether the caller's session claimed r once, by the last 200 events of r. Over a connection a model
// need not give its token, so this tells that its claim is lost.
func (o *op) hasClaimed(r *store.Record) bool {
	events, err := o.EventsOf(r, 200)
	return err == nil && o.By.AgentID != "" && slices.ContainsFunc(events, func(e schemas.Event) bool {
		return strings.HasSuffix(e.Action, "claimed") && e.Agent == o.By.Agent && e.AgentID == o.By.AgentID
	})
}

// refuseWrongToken returns the error for a token that does not belong to the claim of r. The error tells three cases
// apart: a token of an earlier claim of r, a token of another handoff that the caller holds, and a token of no claim.
func (o *op) refuseWrongToken(a life.Action, r *store.Record, token string) error {
	if slices.Contains(r.Voided, token) {
		return o.refuseStaleToken(a, r)
	}
	for other, err := range o.HandoffsHeldBy(o.By.Agent) {
		if err != nil {
			return err
		}
		if other.Token == token {
			return schemas.Errorf(schemas.Denied, "this claim_token is of %s, which you hold, and not of %s", other.ID, r.ID).
				WithHandoff(r.ID, r.Status, r.Successor).WithField("claim_token").WithNext(holderAdvice(a, other.ID, token))
		}
	}
	if r.Holder != o.By.Agent {
		return o.refuseNotHolder(r)
	}
	return schemas.Errorf(schemas.Denied, "this claim_token is not of %s", r.ID).
		WithHandoff(r.ID, r.Status, r.Successor).WithField("claim_token").
		WithHint("Give the one that the claim of %s returned.", r.ID)
}

// actAsHolderWithToken lets a caller with another agent name act as the holder, if the call has the holder's token and
// comes over the connection that claimed. Subagents of one client share a connection, and models forget to repeat their
// name. On another connection the token is not enough, because other agents may have read it in a transcript.
func (o *op) actAsHolderWithToken(r *store.Record, token string) {
	if token != "" && token == r.Token && r.Conn != "" && o.isClaimingSession(r, o.By) {
		o.By.Agent = r.Holder
	}
}

// refuseMissingToken returns the error for a holder that gave no claim token. If the server cannot tell the holder from
// other callers, the hint names the sender, which may release the claim, and the time at which the lease ends.
func (o *op) refuseMissingToken(r *store.Record) error {
	hint, next := "Give the one that the claim returned.", o.newTokenAdvice(r)
	if next == nil {
		hint += fmt.Sprintf(" If it was lost, nothing proves the claim: %s may release it, or it is offered again after %s.",
			r.From, r.Lease.Time().Format(time.RFC3339))
	}
	return schemas.Errorf(schemas.Invalid, "claim_token is needed: this connection did not claim %s", r.ID).
		WithHandoff(r.ID, r.Status, r.Successor).WithField("claim_token").WithHint("%s", hint).WithNext(next...)
}

// newTokenAdvice advises a claim that gives the holder a new token, see [op.claimAgain]. It returns nil if the server
// cannot tell the holder from other callers. An example is a call over HTTP without an instance, where two workers may
// share one bearer token.
func (o *op) newTokenAdvice(r *store.Record) []schemas.Advice {
	mine := o.By.Conn != "" && o.isClaimingSession(r, o.By)
	if !mine && !o.mayReclaim(r) && !o.Leases.MayConnectionReturn(r) {
		return nil
	}
	return []schemas.Advice{schemas.AdviseCall(schemas.ClaimIn{HandoffID: r.ID.String()}, "gives a new one, if it was lost")}
}

// isClaimant reports whether the caller made the last claim of r. The call must come over the connection that claimed.
// For a claim without a connection, the caller must be the same instance, or a person at the keyboard of the command
// line. isClaimant does not compare the names of the agents.
func (o *op) isClaimant(r *store.Record) bool {
	if r.Conn == "" && o.By.Conn == "" && o.By.Via != schemas.ViaHTTP {
		return o.By.Via == schemas.ViaCLI
	}
	return o.isClaimingSession(r, o.By)
}

// isClaimingSession reports whether the caller is the session that made the last claim. The model of that session has
// read the brief. The call must come over the connection that claimed, or over another one of the same client session.
// If neither the claim nor the call has a connection, both must come from the same instance.
func (e *env) isClaimingSession(r *store.Record, by schemas.Caller) bool {
	if r.Conn != "" || by.Conn != "" {
		again := !r.Left && r.HolderID == by.AgentID && !e.here.IsConnectionOpen(r.Conn) // its server was killed
		return e.here.IsSameSession(r.Conn, by.Conn) || r.Conn != "" && by.Conn != "" && again
	}
	return isClaimingInstance(r, by)
}

// isClaimingInstance reports whether the caller is the instance of the agent that claimed, for example the same MCP
// session. It returns false if the instances are not known.
func isClaimingInstance(r *store.Record, by schemas.Caller) bool {
	return by.AgentID != "" && by.AgentID == r.HolderID
}

// refuseNotHolder returns the error denied for a caller that acts as another agent than the holder. The error names the
// holder, and says how the holder proves its claim.
func (o *op) refuseNotHolder(r *store.Record) error {
	e := schemas.Errorf(schemas.Denied, "%s is not held by %s", r.ID, o.By.Agent).WithHandoff(r.ID, r.Status, r.Successor)
	switch {
	case r.Status.HasEnded():
		e.Message = fmt.Sprintf("%s is %s, so nobody holds it any more", r.ID, r.Status)
		return operation.AdviseReview(e, r)
	case o.By.Agent == schemas.Human:
		take := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActRelease, To: string(schemas.Human)}
		if r.Holder == "" {
			take.Action = schemas.ActAmend
		}
		return e.WithHint("%s has it.", cmp.Or(schemas.Address(r.Holder), r.To)).
			WithNext(schemas.AdviseCall(take, "gives it to you; then claim and end it"))
	case r.Holder == "":
		return e.WithHint("It is for %s, who has not claimed it.", r.To)
	case r.From == o.By.Agent:
		return e.WithHint("%s holds it. Act as %s only if that is your own subagent or earlier session. As its sender you may cancel it, or wait for its result.",
			r.Holder, r.Holder).WithNext(messageAdvice(r.Holder), schemas.AdviseWait(r.ID, "tells when that changes"))
	}
	return e.WithHint("%s holds it. Give the claim token over the connection that claimed, or act as %s if that is your own subagent or earlier session.",
		r.Holder, r.Holder).WithNext(messageAdvice(r.Holder))
}

// isProvenHolder reports whether the caller holds a handoff and needs no token to prove it.
func (o *op) isProvenHolder(r *store.Record) bool {
	return r.Status.IsHeld() && r.Holder == o.By.Agent && o.isClaimant(r)
}

// refuseStaleToken returns the error for a token of an earlier claim, and names the current holder. If the caller is
// the holder by a newer claim, the error says that the caller still holds the work.
func (o *op) refuseStaleToken(a life.Action, r *store.Record) *schemas.Error {
	if o.isProvenHolder(r) {
		return schemas.Errorf(schemas.Stale, "your claim of %s ended, and you hold it again, with a newer token", r.ID).
			WithHandoff(r.ID, r.Status, 0).WithField("claim_token").
			WithHint("Make the same call with that token, or without one. Nothing was changed.").
			WithNext(holderAdvice(a, r.ID, ""))
	}
	e := schemas.Errorf(schemas.Stale, "your claim of %s ended", r.ID)
	if r.Holder != "" {
		e = schemas.Errorf(schemas.Stale, "your claim of %s ended and it was claimed again by %s", r.ID, r.Holder)
	}
	return e.WithHandoff(r.ID, r.Status, r.Successor).WithField("claim_token")
}

// mayReclaim reports whether the caller, which acts as the holder, may claim the handoff again. The connection that
// claimed must be gone. For a claim without a connection, the caller must be the same instance or a person at the
// keyboard.
func (o *op) mayReclaim(r *store.Record) bool {
	if r.Conn != "" {
		return o.Leases.IsConnectionGone(r)
	}
	return o.By.Via == schemas.ViaCLI || isClaimingInstance(r, o.By)
}
