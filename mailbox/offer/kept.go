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

// WithheldText says which mail an agent does not get now, and why; "" for none. For an agent at its limit it reads the
// counters of mailboxes. For any other agent it reads handoffs that can be claimed soon, that are blocked, or that do
// not fit.
func (f Offers) WithheldText(name schemas.Agent) (string, error) {
	a, err := sessions.AgentOrNew(f.View, name)
	if err != nil {
		return "", err
	}
	t := f.newClaimJudge(a)
	if t.isFull() || t.err != nil {
		inbox, err := f.CountInbox(name)
		if err = cmp.Or(t.err, err); inbox.Pending == 0 || err != nil {
			return "", err
		}
		return Verdict{Reason: Full, Card: a.Card, Held: t.held}.withheldText(inbox.Pending), nil
	}
	for _, why := range []func() (string, error){t.claimableSoonText, t.blockedText, t.unfitText} {
		if text, err := why(); text != "" || err != nil {
			return text, err
		}
	}
	return "", nil
}

// claimableSoonText names the first handoff that the agent may claim within a minute but not yet: another agent was
// told of it first, or it rests after an attempt.
func (t *claimJudge) claimableSoonText() (string, error) {
	now := t.Here.Now()
	return firstText(t.View, t.DueHandoffs(now.Add(time.Minute)), func(r *store.Record) string {
		if !t.qualifies(r.To) || t.firstReason(r, Member) != 0 {
			return ""
		}
		v := t.verdict(r, TooEarly|Reserved)
		if v.Reason == Reserved || v.Reason == TooEarly && r.NotBefore == r.Wakes {
			return v.claimableSoonText(now)
		}
		return ""
	})
}

// blockedText counts the blocked handoffs for the agent, and names the dependencies of the oldest. The number is too
// low if there are more than the scan reads.
func (t *claimJudge) blockedText() (string, error) {
	seen, oldest := map[schemas.ID]bool{}, ""
	_, err := firstText(t.View, t.OldestFirst(store.IndexOfAllDependents(), 0), func(r *store.Record) string {
		if t.qualifies(r.To) {
			seen[r.ID] = true
			oldest = cmp.Or(oldest, Verdict{Reason: Blocked, Record: r}.waitText())
		}
		return ""
	})
	if len(seen) == 0 || err != nil {
		return "", err
	}
	return fmt.Sprintf("Blocked for you: %d; %s.", len(seen), oldest), nil
}

// unfitText names the first handoff in a pool of the agent that is not offered to it, and why. The agent sees that
// handoff when it lists its mail.
func (t *claimJudge) unfitText() (string, error) {
	return firstText(t.View, t.View.ClaimableHandoffs(roster.BoxesForCard(t.Card)...), func(r *store.Record) string {
		if v := t.verdict(r, Unfit); v.Reason != 0 && t.firstReason(r, Declined) == 0 {
			return v.notOfferedText()
		}
		return ""
	})
}

// firstText returns the first text that say returns for a pending handoff of ids. It reads at most a thousand records.
func firstText(v *store.View, ids iter.Seq2[schemas.ID, error], say func(*store.Record) string) (string, error) {
	for r, err := range reading.Records(v, reading.AtMost(reading.MaxScanned, ids)) {
		if err != nil {
			return "", err
		}
		if r.Status != schemas.Pending {
			continue
		}
		if text := say(r); text != "" {
			return text, nil
		}
	}
	return "", nil
}
