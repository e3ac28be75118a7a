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

// releaseTo gives a claim back, or passes it to another with all progress and context, see [life.Release]. It is no
// attempt. A holder proves its claim; the owner of the workflow and a person need none, but a token that they give has
// to be that of the claim: who speaks of an own claim that was lost takes no other's. The new recipient is checked as
// for a send.
//
// The error for a new recipient is that of [op.checkRecipient], and no release is forced. A name that is left out
// leaves the recipient as it is. The caller that is not the holder is judged by [op.Step].
func (o *op) releaseTo(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	o.asHolder(r, in.Token)
	if r.Holder == o.By.Agent || in.Token != "" && in.Token != r.Token {
		if err := o.heldNow(life.Release, r, in.Token); err != nil {
			return nil, err
		}
	}
	to := schemas.Address("")
	if in.To != "" {
		var err error
		if to, err = o.addressee("to", in.To); err != nil {
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
	r, err := o.marked(r, in, out)
	if err != nil {
		return nil, err
	}
	now, err := o.release(r, to, in.Note)
	if err != nil {
		return nil, err
	}
	out.To = now.To
	return now, nil
}

// release makes a held handoff pending again, for the recipient or for another. Giving back a claim that could not be
// delivered comes here, too. The old holder is told unless it did it; the sender is told where the work goes to
// another.
func (o *op) release(r *store.Record, to schemas.Address, note string) (*store.Record, error) {
	text := "Your claim was released by " + string(o.By.Agent) + ". " + note
	if to != "" && to != r.To { // which its sender reads, too
		from := ""
		if r.Holder != o.By.Agent {
			from = " from " + string(r.Holder)
		}
		text = strings.TrimSpace(fmt.Sprintf("%s passed it%s to %s. %s", o.By.Agent, from, to, note))
	}
	said := schemas.UpdateIn{Action: schemas.ActRelease, Note: note, To: string(to)}
	return o.ChangeNoted(&operation.Happening{Action: life.Release, Text: text}, r, said, func(now *store.Record) {
		if to != "" {
			readdress(now, to)
		}
		operation.DropClaim(now)
	})
}

// readdress changes for whom a handoff is. Who is named may take it, even if it declined before; agents of a pool that
// declined it stay excluded. The record is a copy that is not committed yet.
func readdress(r *store.Record, to schemas.Address) {
	r.To, r.Reserved = to, 0
	if agent, directed := to.Directed(); directed {
		r.Excluded = slices.DeleteFunc(r.Excluded, func(a schemas.Agent) bool { return a == agent })
	}
}
