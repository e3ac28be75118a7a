package mailbox

import (
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/store"
)

// releaseTo gives a claim back, or passes it to another agent with all progress and context, see [life.Release]. The
// claim does not count as an attempt. A holder proves its claim. The owner of the workflow and a person need no proof.
// If they give a token, it must be the current token, because a caller that lost its claim must not release the claim
// of another agent.
//
// A new recipient is checked as in a send without force, see [op.checkRecipient]. Without a new recipient the handoff
// keeps its recipient.
func (o *op) releaseTo(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (now *store.Record, err error) {
	o.actAsHolderWithToken(r, in.Token)
	if r.Holder == o.By.Agent || in.Token != "" && in.Token != r.Token {
		if err := o.checkHolderAction(life.Release, r, in.Token); err != nil {
			return nil, err
		}
	}
	to := schemas.Address("")
	if in.To != "" {
		if to, err = o.parseAddress("to", in.To); err != nil {
			return nil, err
		}
		next := r.Clone()
		next.To = to
		if out.Warnings, err = o.checkRecipient(&next, false); err != nil {
			return nil, err
		}
		if _, err := o.checkReviewer(r, to, r.Reviewer, false); err != nil {
			return nil, err
		}
	}
	if r, err = o.saveGivenCheckpoint(r, in, out); err != nil {
		return nil, err
	}
	if now, err = o.release(r, to, in.Note); err != nil {
		return nil, err
	}
	out.To = now.To
	return now, nil
}

// release makes a held handoff pending again, for its recipient or for a new recipient. The server also calls it for a
// claim whose response could not be delivered. The old holder is told, unless it is the caller. The sender is told if
// the recipient changes.
func (o *op) release(r *store.Record, to schemas.Address, note string) (*store.Record, error) {
	text := "Your claim was released by " + string(o.By.Agent) + ". " + note
	if to != "" && to != r.To { // the sender reads this text, too
		from := ""
		if r.Holder != o.By.Agent {
			from = " from " + string(r.Holder)
		}
		text = strings.TrimSpace(fmt.Sprintf("%s passed it%s to %s. %s", o.By.Agent, from, to, note))
	}
	said := schemas.UpdateIn{Action: schemas.ActRelease, Note: note, To: string(to)}
	return o.ChangeRecordWithNote(&operation.RecordChange{Action: life.Release, Text: text}, r, said, func(now *store.Record) {
		if to != "" {
			changeRecipient(now, to)
		}
		operation.DropClaim(now)
	})
}

// changeRecipient changes the recipient of a handoff. A named agent may take the handoff even if the agent declined it
// before. Agents of a pool that declined it stay excluded. The record r is a copy that is not committed yet.
func changeRecipient(r *store.Record, to schemas.Address) {
	r.To, r.Reserved = to, 0
	if agent, directed := to.SingleAgent(); directed {
		r.Excluded = slices.DeleteFunc(r.Excluded, func(a schemas.Agent) bool { return a == agent })
	}
}

// reject rejects a handoff in the name of a recipient or of the holder. Work of a pool that another agent may still
// take goes back to the pool, without the caller, see [life.Decline]. Any other handoff ends, see [life.Reject]. If the
// caller declined the handoff before, nothing changes, and the result has a warning.
func (o *op) reject(r *store.Record, in schemas.FailIn, digest string) (out schemas.FailOut, err error) {
	if slices.Contains(r.Excluded, o.By.Agent) {
		return declineResult(r, "you declined it before"), nil
	}
	others, err := o.hasOtherCandidates(r, o.By.Agent)
	if err != nil {
		return out, err
	}
	if others {
		return o.decline(r, in)
	}
	now, err := o.ApplyAction(life.Reject, r)
	if err != nil {
		return out, err
	}
	rejected := &operation.RecordChange{Action: life.Reject, Was: r, Now: &now}
	to, unused, err := o.agentAfterRejection(r, in)
	if err != nil {
		return out, err
	}
	rejected.To = to
	failure := failureOf(in, schemas.ThenStop, "")
	failure.Source, failure.Refused = o.CallerSource(), unused
	rejected.Why = operation.EndReason{Failure: &failure}
	switch {
	case rejected.To != "":
	case r.ReviewOf != 0:
		rejected.Then = schemas.ThenRollback
	case in.Then == schemas.ThenEscalate || o.rejectsLastAttempt(r):
		rejected.Then, failure.Then, rejected.Chosen = schemas.ThenEscalate, schemas.ThenEscalate, in.Then != ""
	}
	out, next, err := o.commitFailure(rejected, failure, digest)
	switch {
	case next != nil:
		out.RollbackHandoff, out.To = next.ID, next.To
		if next.To == schemas.Address(schemas.Human) {
			out.Then = failure.Then
		}
	case rejected.To != "" && !rejected.IsContinuedByRule():
		unused = "it cannot go to " + string(rejected.To) + " by itself: a person was told why"
	}
	out.Warnings = append(out.Warnings, unusedAlternativeWarnings(unused)...)
	return out, err
}

// rejectsLastAttempt reports whether no attempt is left after the caller rejects work. A person's rejection ends it.
func (o *op) rejectsLastAttempt(r *store.Record) bool {
	return r.ReviewOf == 0 && o.By.Agent != schemas.Human && max(r.AttemptNumber(), 1) >= r.MaxAttempts
}

// agentAfterRejection returns the named alternative if it may take the rejected work, an attempt is left, and the caller
// did not ask for another next step. Otherwise the agent is "", and `refused` is the reason, or "" if there is none.
func (o *op) agentAfterRejection(r *store.Record, in schemas.FailIn) (to schemas.Agent, refused string, err error) {
	if in.Then == schemas.ThenEscalate || in.Then == schemas.ThenStop {
		return "", "", nil
	}
	a, refused, err := o.acceptableAlternative(r, schemas.Agent(in.Alternative))
	if a != nil && o.rejectsLastAttempt(r) {
		return "", "it was the last attempt", nil
	}
	return schemas.ValueOrZero(a).Card.Name, refused, err
}

// acceptableAlternative returns the agent that a rejecting caller named for the work, if the work may go to that agent
// without a decision of the sender. The agent must be known or connected and not away, fit the work as for a send, and
// have neither sent nor rejected the work. Otherwise the agent is nil, and `refused` is the reason, or "" if the caller
// named no agent.
func (o *op) acceptableAlternative(r *store.Record, named schemas.Agent) (a *store.Agent, refused string, err error) {
	switch {
	case named == "":
		return nil, "", nil
	case named == o.By.Agent || slices.Contains(r.Excluded, named):
		return nil, fmt.Sprintf("%s rejected it", named), nil
	case named == r.From:
		return nil, fmt.Sprintf("%s sent it, and decides how it goes on", named), nil
	case named == schemas.Human:
		return nil, "only its sender gives it to human", nil
	}
	a, err = o.knownAgent(named)
	switch {
	case err != nil || a == nil:
		return nil, fmt.Sprintf("Agent not found: %s", named), err
	case a.Card.Away:
		return nil, fmt.Sprintf("%s is away", named), nil
	}
	_, err = o.checkWork(a.Card, r)
	if e := schemas.AsError(err); e != nil && e.Code == schemas.Conflict {
		return nil, e.Message, nil
	}
	return a, "", err
}

// unusedAlternativeWarnings returns the warning for a caller that named an agent to which the work did not go.
func unusedAlternativeWarnings(why string) []string {
	if why == "" {
		return nil
	}
	return []string{"suggested_alternative: " + why}
}

// decline gives a handoff back to its pool. From now on the pool offers the handoff only to other agents. If the caller
// had claimed the handoff, the claim ends and does not count as an attempt.
func (o *op) decline(r *store.Record, in schemas.FailIn) (schemas.FailOut, error) {
	now, err := o.ApplyAction(life.Decline, r)
	if err != nil {
		return schemas.FailOut{}, err
	}
	if r.Holder == o.By.Agent {
		operation.DropClaim(&now)
		now.Uncharged = r.Uncharged || r.Status.IsHeld() // an attempt whose lease ended before stays counted
	}
	if now.Reserved != 0 {
		now.Box, now.Reserved = now.To, 0
	}
	now.Excluded = append(now.Excluded, o.By.Agent)
	unused, err := o.offerToNamedAgentFirst(&now, schemas.Agent(in.Alternative))
	if err != nil {
		return schemas.FailOut{}, err
	}
	declines := &operation.RecordChange{Action: life.Decline, Was: r, Now: &now, Content: failureOf(in, schemas.ThenStop, "")}
	if err := o.Commit(declines); err != nil {
		return schemas.FailOut{}, err
	}
	passed := "others may take it; you are passed over"
	if operation.IsReservedForFirstNotified(&now) {
		passed += fmt.Sprintf("; %s is told first", now.Box)
	}
	out := declineResult(&now, passed)
	out.Warnings = append(out.Warnings, unusedAlternativeWarnings(unused)...)
	return out, nil
}

func declineResult(r *store.Record, warning string) schemas.FailOut {
	return schemas.FailOut{HandoffID: r.ID, Status: r.Status, Warnings: []string{warning}}
}
