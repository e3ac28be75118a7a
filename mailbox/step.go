package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// step applies an action to a record as the table of package life says: it gives a copy in the next state, and leaves
// the rest for the operation to change before [op.commit]. It changes nothing but what the clock has changed. The error
// is conflict for a state in which the action is not allowed, and names what took the handoff's place; denied for a
// caller who plays none of the parts that may do it, and names them. The state is judged first, so a caller that may do
// nothing still learns that a handoff has ended. The lists of the copy are its own. Proof of a claim is no part of
// this: [op.heldNow] and [judge] see to it before.
func (o *op) step(a life.Action, r *store.Record) (now store.Record, err error) {
	s, ok := life.Next(a, r.Status)
	if !ok {
		return now, o.notNow(a, r)
	}
	if err := o.allowed(a, s.By, r); err != nil {
		return now, err
	}
	now = r.Clone()
	now.Status = s.To
	return now, nil
}

// end sets what every ended record has in common: it is in no mailbox, waits for nothing, and no lease or reservation
// runs. Holder, connection and token stay, because the last holder may still repeat its outcome or send a late one. The
// deadline stays for those who read it; [wakes] passes over it.
func (o *op) end(r *store.Record) {
	r.Ended, r.Lease, r.Reserved, r.Box, r.After, r.NeedsApproval = store.At(o.now), 0, 0, "", nil, false
}

// allowed refuses a caller that plays none of the parts that an action asks for. It says who may do it, and for what
// only a person decides, how.
//
// Parts are asked for in the order of their bits, until one is played. That of a verifier is last, because it reads the
// children. Where only a person may act, human without a proof gets the error by which a person is asked.
func (o *op) allowed(a life.Action, parts life.Parts, r *store.Record) error {
	if parts == life.Human && o.by.Agent == schemas.Human && !o.by.InPerson() {
		return personNeeded(r, string(a))
	}
	for part := life.Recipient; part <= life.Verifier; part <<= 1 {
		if parts&part == 0 {
			continue
		}
		if yes, err := o.plays(part, r); yes || err != nil {
			return err
		}
	}
	if kept, err := o.keptForAnother(parts, r); kept != nil || err != nil {
		return cmp.Or(err, error(kept))
	}
	if parts&life.Recipient != 0 && slices.Contains(r.Excluded, o.by.Agent) {
		barred := o.offers(o.View).Bar(r, schemas.Card{Name: o.by.Agent})
		return schemas.Errorf(schemas.Denied, "%s was not %s: %s %s", r.ID, a, o.by.Agent, barred).About(r.ID, r.Status, 0).
			WithNext(schemas.Call(schemas.ClaimIn{}, "takes the next one for you"))
	}
	e := schemas.Errorf(schemas.Denied, "%s was not %s: only %s may do this, and you are %s",
		r.ID, a, o.who(parts, r), o.by.Agent).About(r.ID, r.Status, 0).WithField("agent")
	if parts == life.Human {
		return e.WithHint("A person decides this on the command line, acting as human, as with handoff approve %s.", r.ID)
	}
	return e.WithHint("Act under another name only for a subagent or an earlier session of your own; else send them a message.")
}

// keptForAnother refuses an agent that qualifies for a handoff which is kept for another for a time, nil for others. The
// error is conflict and says how long.
func (o *op) keptForAnother(parts life.Parts, r *store.Record) (*schemas.Error, error) {
	if parts&life.Recipient == 0 || r.Reserved == 0 {
		return nil, nil
	}
	open := r.Clone()
	open.Reserved, open.Box = 0, r.To
	if may, err := o.mayClaim(&open); !may || err != nil {
		return nil, err
	}
	left := int(r.Reserved.Time().Sub(o.now).Seconds()) + 1
	return conflict(r, "%s is kept for %s for another %d s", r.ID, r.Box, left).
		WithHint("Unless it takes it, you may then.").
		WithNext(schemas.Call(schemas.ClaimIn{WaitSeconds: schemas.MaxWait}, "waits for the next one for you")), nil
}

// personNeeded refuses what only a person may do with a handoff, and says what it is about: this is what a person is
// asked.
func personNeeded(r *store.Record, what string) error {
	return schemas.PersonNeeded("%s (%s), from %s to %s, is %s by a person alone", r.ID, strings.Join(strings.Fields(r.Title), " "), r.From, r.To, what).
		About(r.ID, r.Status, 0)
}

// plays tells whether the caller plays a part towards a handoff. Each part is judged by the store as it is now: a
// caller loses the part of a recipient when it declines, and that of a verifier when its request ends. Holding is
// judged by the name alone; that it is proved, [op.heldNow] checks before. A store that cannot be read is an error and
// not a refusal.
func (o *op) plays(part life.Parts, r *store.Record) (bool, error) {
	switch part {
	case life.Recipient:
		return o.mayClaim(r)
	case life.Holder:
		return r.Holder == o.by.Agent, nil
	case life.Sender:
		return r.From == o.by.Agent, nil
	case life.Owner:
		wf, err := o.Workflow(r.Workflow)
		return wf != nil && wf.Owner == o.by.Agent, err
	case life.Human:
		return o.by.Agent == schemas.Human, nil
	case life.Clock:
		return o.by.Via == schemas.ViaClock, nil
	case life.Verifier:
		return o.verifies(r)
	}
	return false, nil
}

// verifies tells whether the caller reviews r, or holds a verification request that is a child of r. Children that
// cannot be read do not count. It reads all children, oldest first, until one fits; there is no bound, as a handoff has
// few.
func (o *op) verifies(r *store.Record) (bool, error) {
	if review := o.usable(r.Review); review != nil && review.Holder == o.by.Agent &&
		(review.Status.Held() || review.Status == schemas.Completed) {
		return true, nil
	}
	for id, err := range o.Oldest(store.ChildrenOf(r.ID), 0) {
		if err != nil {
			return false, err
		}
		child := o.usable(id)
		if child != nil && child.Type == schemas.TypeVerification && child.Status.Held() && child.Holder == o.by.Agent {
			return true, nil
		}
	}
	return false, nil
}

// who names the parts for people, with the agents that play them where these are known from the record. The clock is
// not named, since no caller plays it.
func (o *op) who(parts life.Parts, r *store.Record) string {
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

// notNow explains that the state does not allow an action, and names what took the handoff's place. Where there is a
// way on, such as claiming first, it advises that. The error is conflict.
//
// Also a caller gets it that may do nothing with the handoff, since anybody may read how it stands. It only reads.
func (o *op) notNow(a life.Action, r *store.Record) error {
	cannot := string(a)
	if a == life.Progress {
		cannot = "reported on"
	}
	e := conflict(r, "%s is %s, so it cannot be %s", r.ID, r.Status, cannot)
	if (a == life.Accept || a == life.Return) && !r.Status.Ended() {
		wait := schemas.GetIn{HandoffID: r.ID.String(), View: "outcome", WaitSeconds: schemas.MaxWait}
		return conflict(r, "%s is not completed, so there is no result to judge", r.ID).WithNext(
			schemas.Call(wait, "waits for the result, where you sent it"),
			schemas.Call(schemas.ClaimIn{HandoffID: r.ID.String()}, "takes the work, where it is for you"))
	}
	switch {
	case r.Successor != 0:
		return e.WithHint("%s", o.inItsPlace(r))
	case a == life.Cancel && r.Dismissed != 0:
		return e.WithHint("Somebody said before that nobody is to go on with it.")
	case a == life.Accept && endedBadly(r):
		again := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActRetry}
		return e.WithHint("There is no result to accept. The action cancel says that nobody is to go on with it.").
			WithNext(schemas.Call(again, "has it done again"))
	case r.Status == schemas.Cancelled:
		return e.WithHint("%s", o.whyCancelled(r))
	case r.Status == schemas.Completed && (a == life.Retry || a == life.Amend || a == life.Cancel):
		return e.WithNext(o.judging(r)...)
	case r.Status.Held() && a == life.Amend && r.Holder != o.by.Agent:
		return e.WithHint("%s holds it: tell it what is new.", r.Holder).WithNext(tellAgent(r.Holder))
	case r.Status.Held() && a == life.Claim:
		return e.WithHint("%s holds it.", r.Holder).WithNext(schemas.Call(schemas.ClaimIn{}, "takes the next one for you"))
	case r.Status == schemas.Pending && a == life.Release && o.allowed(life.Amend, life.Sender|life.Owner|life.Human, r) == nil:
		amend := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAmend, To: schemas.Blank}
		return e.WithHint("Nobody holds it.").WithNext(schemas.Call(amend, "sends it to another"))
	case r.Status == schemas.Pending && (a == life.Progress || a == life.Ask || a == life.Release):
		return o.beforeClaim(e, r)
	case r.Status == schemas.Working && (a == life.Reject || a == life.Decline):
		release := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActRelease}
		return e.WithHint("Work has begun.").WithNext(holderDoes(life.Fail, r.ID, ""), schemas.Call(release, "leaves it to others"))
	}
	return e
}

// inItsPlace names what took the place of r, and for whom it is. Only a caller that may work on it, or that sent r, is
// told to go on with it.
func (o *op) inItsPlace(r *store.Record) string {
	next := reading.Readable(o.View, r.Successor)
	mine := r.From == o.by.Agent || next != nil && next.Holder == o.by.Agent
	if mine || next == nil || o.allowed(life.Claim, life.Recipient, next) == nil {
		return fmt.Sprintf("%s took its place: go on with that one.", r.Successor)
	}
	return fmt.Sprintf("%s took its place, for %s: leave the work to that one.", r.Successor, cmp.Or(schemas.Address(next.Holder), next.To))
}

// whyCancelled says who cancelled a handoff and why, as far as that was said. It looks at the last nine events: the
// cancel, and the late results that may have come since, of which [lateKept] are kept. Where the cancel is not among
// them, the sender is named.
func (o *op) whyCancelled(r *store.Record) string {
	by := string(r.From)
	events, _ := o.EventsOf(r, 1+lateKept) // without them the sender is named
	for _, e := range events {
		if e.Action == string(life.Cancel) {
			by = string(e.Agent)
		}
	}
	why, err := reading.WhyEnded(o.View, r, nil)
	if err != nil || why == "" {
		return "It was cancelled by " + by + "."
	}
	return schemas.Visible(fmt.Sprintf("It was cancelled by %s: %s", by, schemas.Clip(why, 500)))
}
