package offer

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// WithheldText returns a sentence about pending mail that an agent cannot claim now, with the reason. It returns "" if
// there is no such mail. For an agent at its limit, the sentence gives the number of handoffs. For any other agent, the
// sentence names a handoff that becomes claimable soon. If there is none, it is about blocked handoffs, and otherwise
// about a handoff of a pool that does not fit the agent.
func (f Offers) WithheldText(name schemas.Agent) (string, error) {
	a, err := sessions.AgentOrNew(f.View, name)
	if err != nil {
		return "", err
	}
	t := f.newClaimJudge(a)
	if t.isAtLimit() || t.err != nil {
		inbox, err := f.CountInbox(name)
		if err = cmp.Or(t.err, err); inbox.Pending == 0 || err != nil {
			return "", err
		}
		return Verdict{Reason: Full, Card: a.Card, Held: t.held}.withheldText(inbox.Pending), nil
	}
	for _, why := range []func() string{t.claimableSoonText, t.blockedText, t.unfitText} {
		if text := why(); text != "" || t.err != nil {
			return text, t.err
		}
	}
	return "", nil
}

// claimableSoonText names the first handoff that the agent may claim within a minute. The agent may not claim it now,
// because another agent was told of it first, or because the handoff rests after a failed attempt.
func (t *claimJudge) claimableSoonText() string {
	now := t.Here.Now()
	for r := range t.pendingAmong(t.DueHandoffs(now.Add(time.Minute))) {
		if !t.isNameOrPool(r.To) || t.firstReason(r, MemberReasons) != 0 {
			continue
		}
		v := t.verdict(r, TooEarly|Reserved)
		if v.Reason == Reserved || v.Reason == TooEarly && r.NotBefore == r.Wakes {
			return v.claimableSoonText(now)
		}
	}
	return ""
}

// blockedText gives the number of blocked handoffs for the agent, and the dependencies of the oldest. It counts at most
// a thousand handoffs, to bound the reads.
func (t *claimJudge) blockedText() string {
	seen, oldest := map[schemas.ID]bool{}, ""
	for r := range t.pendingAmong(t.OldestFirst(store.IndexOfAllDependents(), 0)) {
		if t.isNameOrPool(r.To) {
			seen[r.ID] = true
			oldest = cmp.Or(oldest, Verdict{Reason: Blocked, Record: r}.waitReasonText())
		}
	}
	if len(seen) == 0 {
		return ""
	}
	return fmt.Sprintf("Blocked for you: %d; %s.", len(seen), oldest)
}

// unfitText names the first handoff in a pool of the agent that the agent is not offered, and the reason.
func (t *claimJudge) unfitText() string {
	for r := range t.pendingAmong(t.ClaimableHandoffs(roster.BoxesForCard(t.Card)...)) {
		if v := t.verdict(r, Unfit); v.Reason != 0 && t.firstReason(r, Declined) == 0 {
			return v.unfitText()
		}
	}
	return ""
}

// pendingAmong yields the pending handoffs among ids. It reads at most a thousand records, and ends at an error, which
// it keeps in t.err.
func (t *claimJudge) pendingAmong(ids iter.Seq2[schemas.ID, error]) iter.Seq[*store.Record] {
	return func(yield func(*store.Record) bool) {
		for r, err := range reading.ReadableRecords(t.View, reading.AtMost(reading.MaxScanned, ids)) {
			if t.err = cmp.Or(t.err, err); t.err != nil || r.Status == schemas.Pending && !yield(r) {
				return
			}
		}
	}
}
