package operation

import (
	"cmp"
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/offer"
	"handoff/schemas"
	"handoff/store"
)

// Step applies an action to a record as the table of package life says: it returns a copy in the next state, and the
// operation changes its other fields before [Op.Commit]. Step itself changes nothing but overdue records. The error is
// conflict if the state does not allow the action, and names the successor; it is denied if the caller plays none of
// the required parts, and names them. Step checks the state first, so a caller without any part still learns that a
// handoff has ended. The lists of the copy are its own. Step does not check the proof of a claim: its caller does that
// before.
func (o *Op) Step(a life.Action, r *store.Record) (now store.Record, err error) {
	s, ok := life.Next(a, r.Status)
	if !ok {
		return now, o.Rules.ExplainRefusal(a, r)
	}
	if err := o.CheckPart(a, s.By, r); err != nil {
		return now, err
	}
	now = r.Clone()
	now.Status = s.To
	return now, nil
}

// End sets the fields that all ended records have in common: no mailbox, no dependencies, no lease and no reservation.
// Holder, connection and token stay, because the last holder may still repeat its outcome or send a late one. The
// deadline stays for readers; [Wakes] passes over it.
func (o *Op) End(r *store.Record) {
	r.Ended, r.Lease, r.Reserved, r.Box, r.After, r.NeedsApproval = store.At(o.Now), 0, 0, "", nil, false
}

// CheckPart refuses a caller that plays none of the parts that an action requires. The error says who may do it. If
// only a person decides, it also says how.
//
// CheckPart tries the parts in the order of their bits and stops at the first that the caller plays. The verifier comes
// last, because that check reads the children. If only a person may act, human without a proof gets the error by which
// a person is asked.
func (o *Op) CheckPart(a life.Action, parts life.Parts, r *store.Record) error {
	if parts == life.Human && o.By.Agent == schemas.Human && !o.By.InPerson() {
		return PersonNeeded(r, string(a))
	}
	for part := life.Recipient; part <= life.Verifier; part <<= 1 {
		if parts&part == 0 {
			continue
		}
		if yes, err := o.callerPlays(part, r); yes || err != nil {
			return err
		}
	}
	if parts&life.Recipient != 0 {
		if err := o.CheckVerdict(a, offer.Recipient, r); err != nil {
			return err
		}
	}
	e := schemas.Errorf(schemas.Denied, "%s was not %s: only %s may do this, and you are %s",
		r.ID, a, o.partNames(parts, r), o.By.Agent).About(r.ID, r.Status, 0).WithField("agent")
	if parts == life.Human {
		return e.WithHint("A person decides this on the command line, acting as human, as with handoff approve %s.", r.ID)
	}
	return e.WithHint("Act under another name only for a subagent or an earlier session of your own; else send them a message.")
}

// callerPlays tells whether the caller plays a part for a handoff. It judges each part by the store as it is now: a
// caller loses the part of a recipient when it declines, and that of a verifier when its request ends. It judges the
// holder by the name alone; the caller of callerPlays checks the proof before. A store that cannot be read is an error
// and not a refusal.
func (o *Op) callerPlays(part life.Parts, r *store.Record) (bool, error) {
	switch part {
	case life.Recipient:
		return o.MayClaim(r)
	case life.Holder:
		return r.Holder == o.By.Agent, nil
	case life.Sender:
		return r.From == o.By.Agent, nil
	case life.Owner:
		wf, err := o.Workflow(r.Workflow)
		return wf != nil && wf.Owner == o.By.Agent, err
	case life.Human:
		return o.By.Agent == schemas.Human, nil
	case life.Clock:
		return o.By.Via == schemas.ViaClock, nil
	case life.Verifier:
		return o.verifies(r)
	}
	return false, nil
}

// verifies tells whether the caller reviews r, or holds a verification request that is a child of r. Unreadable
// children do not count. It reads the children oldest first until one fits. There is no bound, because a handoff has
// few children.
func (o *Op) verifies(r *store.Record) (bool, error) {
	if review := o.UsableRecord(r.Review); review != nil && review.Holder == o.By.Agent &&
		(review.Status.Held() || review.Status == schemas.Completed) {
		return true, nil
	}
	for id, err := range o.Oldest(store.ChildrenOf(r.ID), 0) {
		if err != nil {
			return false, err
		}
		child := o.UsableRecord(id)
		if child != nil && child.Type == schemas.TypeVerification && child.Status.Held() && child.Holder == o.By.Agent {
			return true, nil
		}
	}
	return false, nil
}

// partNames names the parts for people, with their agents if the record knows them. It does not name the clock, since
// no caller plays it.
func (o *Op) partNames(parts life.Parts, r *store.Record) string {
	var names []string
	add := func(part life.Parts, text string) {
		if parts&part != 0 {
			names = append(names, text)
		}
	}
	add(life.Recipient, "its recipient ("+string(r.To)+")")
	if r.Holder != "" {
		add(life.Holder, "its holder ("+string(r.Holder)+")")
	}
	add(life.Sender, "its sender ("+string(r.From)+")")
	add(life.Owner, "the owner of its workflow")
	add(life.Verifier, "who verifies it")
	add(life.Human, "human")
	if len(names) == 0 {
		return "its holder"
	}
	return strings.Join(names, " or ")
}

// CheckVerdict returns a refusal if the verdict on a handoff bars the caller, see [offer.Verdict.Refusal].
func (o *Op) CheckVerdict(a life.Action, asked offer.Reason, r *store.Record) error {
	me, err := o.Self()
	if err != nil {
		return err
	}
	v, err := o.Offers().Verdict(*me, r, asked)
	return cmp.Or(err, v.Refusal(string(a), o.Now))
}

// MayClaim tells whether the caller is a recipient of a handoff, see [offer.Recipient].
func (o *Op) MayClaim(r *store.Record) (bool, error) {
	me, err := o.Self()
	if err != nil {
		return false, err
	}
	return o.Offers().May(*me, r, offer.Recipient)
}
