package offer

import (
	"fmt"
	"strings"
	"time"

	"handoff/mailbox/listing"
	"handoff/schemas"
	"handoff/store"
)

// reasonClause returns the reason in words that follow the agent's name, such as "is away". It returns "" if the reason
// is not about the agent.
func (v Verdict) reasonClause() string {
	switch r := v.Record; {
	case v.Reason == Full:
		return fmt.Sprintf("holds %d, and takes %d at most", v.Held, v.Card.MaxOpen)
	case v.Reason == TooLong:
		longest := time.Duration(v.Card.MaxMinutes) * time.Minute
		return fmt.Sprintf("works at most %s, the estimate is %s", formatMinutes(longest), formatMinutes(r.EstimatedDuration()))
	case v.Reason == WrongType:
		return "does not accept " + schemas.EscapeHidden(r.Type)
	case v.Reason == Unskilled:
		return "has no skill of " + schemas.EscapeHidden(schemas.JoinFirst(r.Requires, 8))
	case v.Reason == WrongProduct && r.From == v.Card.Name:
		return "sent it, and does not accept it"
	case v.Reason == WrongProduct:
		return "produces no " + schemas.EscapeHidden(strings.Join(r.Products, ", "))
	case v.Reason == Declined && v.DidReviewedWork:
		return fmt.Sprintf("delivered %s, and another reviews that", r.ReviewOf)
	case v.Reason == Declined && r.ID == 0 && r.Type == schemas.TypeReview: // the work is not done yet
		return "may be the one who does the work"
	case v.Reason == Declined:
		return "declined it"
	case v.Reason == Away:
		return "is away"
	}
	return ""
}

// formatMinutes formats a duration in whole minutes, halves rounded up.
func formatMinutes(d time.Duration) string { return fmt.Sprintf("%d min", int(d.Minutes()+0.5)) }

// shortReasonClause returns the reason in fewer words than [Verdict.reasonClause], for a list of agents.
func (v Verdict) shortReasonClause() string {
	switch v.Reason { //nolint:exhaustive // the others use the full clause
	case Full:
		return fmt.Sprintf("holds %d, at most %d", v.Held, v.Card.MaxOpen)
	case Away:
		return "away"
	}
	return v.reasonClause()
}

// SenderWarnings returns warnings for the sender of a handoff to an agent: the agent is away, or the agent is at its
// limit.
func (f Offers) SenderWarnings(a store.Agent) (warnings []string, err error) {
	t := f.newClaimJudge(a)
	if a.Card.Away {
		warnings = append(warnings, fmt.Sprintf("%s is away", a.Card.Name))
	}
	if t.isAtLimit() {
		warnings = append(warnings, fmt.Sprintf("%s holds %d and said that it takes %d at most", a.Card.Name, t.held, a.Card.MaxOpen))
	}
	return warnings, t.err
}

// RefusalError returns the error for an agent whose action on the handoff is refused. It returns nil if the agent may
// claim the handoff. It also returns nil for [Ended], [Held] and [NotRecipient], because package life returns the
// errors about these reasons.
func (v Verdict) RefusalError(action string, now time.Time) error {
	r := v.Record
	refuse := func(code schemas.Code, format string, args ...any) *schemas.Error {
		return schemas.Errorf(code, format, args...).WithHandoff(r.ID, r.Status, r.Successor)
	}
	switch v.Reason { //nolint:exhaustive // see above
	case Blocked, TooEarly:
		wait := schemas.GetIn{HandoffID: r.ID.String(), WaitSeconds: schemas.MaxWait}
		return refuse(schemas.Conflict, "%s", v.waitReasonText()).WithNext(schemas.AdviseCall(wait, "tells when that changes"))
	case Full, TooLong, WrongType, Unskilled, WrongProduct:
		e := refuse(schemas.Conflict, "%s is not offered to %s, which %s", r.ID, v.Card.Name, v.reasonClause())
		if v.Reason != Full {
			return e.WithHint("Leave it to other agents, or register again with the kinds of work that you take now.")
		}
		return e.WithHint("End one that you hold, or register again with more.").
			WithNext(schemas.AdviseCall(schemas.ListIn{Box: "claimed"}, "lists what you hold"))
	case Declined:
		return refuse(schemas.Denied, "%s was not %s: %s %s", r.ID, action, v.Card.Name, v.reasonClause()).
			WithNext(schemas.AdviseCall(schemas.ClaimIn{}, "takes the next one for you"))
	case Reserved:
		left := int(r.Reserved.Time().Sub(now).Seconds()) + 1
		return refuse(schemas.Conflict, "%s is kept for %s for another %d s", r.ID, r.Box, left).
			WithHint("Unless it takes it, you may then.").
			WithNext(schemas.AdviseCall(schemas.ClaimIn{WaitSeconds: schemas.MaxWait}, "waits for the next one for you"))
	}
	return nil
}

// waitReasonText names the dependencies of a blocked handoff, or the time from which the handoff can be claimed.
func (v Verdict) waitReasonText() string {
	if v.Reason == TooEarly {
		return fmt.Sprintf("%s may not be claimed before %s", v.Record.ID, v.Record.NotBefore.Time().Format(time.RFC3339))
	}
	return fmt.Sprintf("%s waits for %s", v.Record.ID, strings.Join(listing.BlockerTexts(v.Record), ", "))
}

// claimableSoonText says how long the agent has to wait until it may claim a handoff that is reserved for another
// agent, or that rests after a failed attempt.
func (v Verdict) claimableSoonText(now time.Time) string {
	r := v.Record
	left := r.Wakes.Time().Sub(now).Round(time.Second)
	if v.Reason == Reserved {
		return fmt.Sprintf("Agent %s was told of %s first: unless it takes it, you may in %s.", r.Box, r.ID, left)
	}
	return fmt.Sprintf("%s may be claimed in %s.", r.ID, left)
}

// withheldText tells an agent at its limit how many handoffs are withheld from it.
func (v Verdict) withheldText(pending int) string {
	return fmt.Sprintf("You hold %d and take %d at most, so %d that may be claimed is kept from you.", v.Held, v.Card.MaxOpen, pending)
}

// unfitText tells an agent of a handoff in its pool that is not offered to it.
func (v Verdict) unfitText() string {
	return fmt.Sprintf("Not offered to you: %s, for %s; %s %s.", v.Record.ID, v.Record.To, v.Card.Name, v.reasonClause())
}

// noTakerText says why none of the addressed agents takes the work. It names at most five agents. If all is empty, it
// says that no such agent is known.
func noTakerText(to schemas.Address, all []Verdict) string {
	const most = 5
	name, directed := to.SingleAgent()
	switch {
	case len(all) > 0:
		reasons := schemas.Map(all[:min(len(all), most)], func(v Verdict) string { return fmt.Sprintf("%s %s", v.Card.Name, v.reasonClause()) })
		return fmt.Sprintf("nobody takes it from %s now: %s", to, strings.Join(reasons, ", "))
	case directed:
		return fmt.Sprintf("nobody has used the name %s yet", name)
	}
	return fmt.Sprintf("nobody is known who takes %s", to)
}
