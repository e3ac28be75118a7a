package operation

import (
	"cmp"
	"slices"
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/offer"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// ApplyAction applies an action to a record by the table of package life. It returns a copy of the record in the next
// state. Its caller changes the other fields of the copy and then calls [Op.Commit]. The error is
// conflict if the state does not allow the action, and names the handoff that continues the work. The error is denied
// if the caller plays none of the required parts (sender, holder and others), and names these parts. ApplyAction does
// not check the claim token; its caller does that before.
func (o *Op) ApplyAction(a life.Action, r *store.Record) (now store.Record, err error) {
	s, ok := life.TransitionFor(a, r.Status)
	if !ok {
		return now, o.Rules.ExplainRefusal(a, r)
	}
	if err := o.CheckCallerPart(a, s.By, r); err != nil {
		return now, err
	}
	now = r.Clone()
	now.Status = s.To
	return now, nil
}

// EndRecord clears the fields that only an open handoff has: mailbox, dependencies, lease and reservation. Holder,
// connection and claim token stay, because the last holder may still repeat its call or send a late outcome. The
// deadline stays for readers, and [NextChangeTime] ignores the deadline of an ended handoff.
func (o *Op) EndRecord(r *store.Record) {
	r.Ended, r.Lease, r.Reserved, r.Box, r.After, r.NeedsApproval = store.TimeOf(o.Now), 0, 0, "", nil, false
}

// CheckCallerPart returns an error if the caller plays none of the given parts (sender, holder and others). The error
// names the agents that may do the action. If only a person may do the action, the error names the command for a
// person.
//
// CheckCallerPart tries the parts in the order of their bits and stops at the first part that the caller plays. A
// caller named human that did not prove to be a person gets the error of [PersonNeededError], if only a person may act.
// With this error the client asks a person.
func (o *Op) CheckCallerPart(a life.Action, parts life.CallerParts, r *store.Record) error {
	if parts == life.Human && o.By.Agent == schemas.Human && !o.By.IsProvenPerson() {
		return PersonNeededError(r, string(a))
	}
	for part := life.Recipient; part <= life.Verifier; part <<= 1 {
		if parts&part == 0 {
			continue
		}
		if yes, err := o.callerHasPart(part, r); yes || err != nil {
			return err
		}
	}
	if parts&life.Recipient != 0 {
		if err := o.CheckMayTake(a, offer.RecipientReasons, r); err != nil {
			return err
		}
	}
	e := schemas.Errorf(schemas.Denied, "%s was not %s: only %s may do this, and you are %s",
		r.ID, a, o.partNames(parts, r), cmp.Or(string(o.By.Agent), "without a name")).WithHandoff(r.ID, r.Status, 0).WithField("agent")
	if parts == life.Human {
		verb := cmp.Or(map[life.Action]string{life.Redact: "redact", life.Refuse: "refuse"}[a], "approve")
		return e.WithHint("A person decides this on the command line, acting as human, as with handoff %s %s.", verb, r.ID)
	}
	return o.explainDenied(e, a, r)
}

// explainDenied adds to the error denied what the caller can do instead. That depends on the part that the caller plays
// for the handoff, and on the action that it wanted.
func (o *Op) explainDenied(e *schemas.Error, a life.Action, r *store.Record) error {
	recipient, err := o.MayClaim(r)
	if err != nil {
		return err
	}
	if r.Holder == o.By.Agent {
		if explained := explainDeniedToHolder(e, a, r); explained != nil {
			return explained
		}
	}
	switch {
	case recipient && a == life.Cancel:
		return e.WithHint("It is for you, and not from you.")
	case a == life.Claim && r.From == o.By.Agent:
		return e.WithHint("You sent it, and it waits for %s.", r.To)
	case a == life.Claim:
		return e.WithHint("It is not for you. Act under another name only if that is your own subagent or earlier session.")
	case r.Review != 0 && slices.Contains([]life.Action{life.Accept, life.Return}, a):
		return AdviseReview(e, r)
	case r.From == o.By.Agent || r.From == schemas.System:
		return e.WithHint("Leave it to them.")
	}
	tell := schemas.SendIn{To: string(r.From), Task: schemas.Blank, Type: schemas.TypeMessage}
	return e.WithHint("Tell them what you want.").WithNext(schemas.AdviseCall(tell, "tells "+string(r.From)))
}

// AdviseReview adds to an error about a handoff which handoff reviews it, if one does.
func AdviseReview(e *schemas.Error, r *store.Record) *schemas.Error {
	if r.Review == 0 {
		return e
	}
	return e.WithHint("%s reviews it.", r.Review).
		WithNext(schemas.AdviseCall(schemas.ClaimIn{HandoffID: r.Review.String()}, "takes the review, if it is for you"))
}

// explainDeniedToHolder adds to the error denied what the holder of the handoff can do instead of the action. It
// returns nil if the advice for other agents fits the holder too.
func explainDeniedToHolder(e *schemas.Error, a life.Action, r *store.Record) *schemas.Error {
	id := r.ID.String()
	switch {
	case a == life.Answer:
		return e.WithHint("The question is your own.").
			WithNext(schemas.AdviseUpdate(id, schemas.ActProgress, "withdraws the question, and goes on"))
	case r.Status == schemas.Completed:
		return e.WithHint("You delivered it, so another judges it.").
			WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: id, View: "outcome"}, "shows whether it is judged"))
	case a == life.Cancel:
		return e.WithHint("You hold it.")
	}
	return nil
}

// callerHasPart reports whether the caller plays one part for a handoff, for example the recipient. It decides by the
// current state of the store: an agent that declined the handoff is no recipient any more. For the holder it compares
// only the name, because its caller has already checked the claim token. An unreadable store is an error, and does not
// count as false.
func (o *Op) callerHasPart(part life.CallerParts, r *store.Record) (bool, error) {
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
		return o.isCallerVerifier(r)
	}
	return false, nil
}

// isCallerVerifier reports whether the caller is the reviewer of r, or holds a verification request that is a child of
// r. It skips children that cannot be read. The number of reads has no limit, because a handoff has few children.
func (o *Op) isCallerVerifier(r *store.Record) (bool, error) {
	if review := o.UsableRecord(r.Review); review != nil && review.Holder == o.By.Agent &&
		(review.Status.IsHeld() || review.Status == schemas.Completed) {
		return true, nil
	}
	for child, err := range reading.Records(o.OldestFirst(store.IndexByParent(r.ID), 0), o.UsableRecord) {
		if err != nil {
			return false, err
		}
		if child.Type == schemas.TypeVerification && child.Status.IsHeld() && child.Holder == o.By.Agent {
			return true, nil
		}
	}
	return false, nil
}

// partNames returns the names of the parts as a text for people, each with its agent if the record names the agent. It
// leaves out the clock, because no caller plays that part.
func (o *Op) partNames(parts life.CallerParts, r *store.Record) string {
	var names []string
	add := func(part life.CallerParts, text string) {
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

// CheckMayTake returns an error if package offer decides that the caller may not take a handoff. The argument asked
// selects the rule to check. See [offer.Verdict.RefusalError] for the error.
func (o *Op) CheckMayTake(a life.Action, asked offer.Reason, r *store.Record) error {
	me, err := o.CallerRow()
	if err != nil {
		return err
	}
	v, err := o.Offers().JudgeClaim(*me, r, asked)
	return cmp.Or(err, v.RefusalError(string(a), o.Now))
}

// MayClaim reports whether the caller is a recipient of a handoff. A recipient is the agent that the handoff is
// addressed to, or an agent of its pool that may take the handoff, see [offer.RecipientReasons].
func (o *Op) MayClaim(r *store.Record) (bool, error) {
	me, err := o.CallerRow()
	if err != nil {
		return false, err
	}
	v, err := o.Offers().JudgeClaim(*me, r, offer.RecipientReasons)
	return v.Reason == 0, err
}
