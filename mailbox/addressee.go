package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/offer"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// parseAddress reads an address with [schemas.ParseAddress]. A word for a person (such as "operator") becomes the
// address "human", unless an agent has that word as its name.
func (o *op) parseAddress(field, s string) (schemas.Address, error) {
	to, err := schemas.ParseAddress(field, s)
	if err != nil {
		return "", err
	}
	return o.resolveAddress(field, string(to))
}

// resolveAddress turns a word for a person (such as "operator") into the address "human", unless an agent has that word
// as its name. The address was parsed before.
func (o *op) resolveAddress(_, to string) (schemas.Address, error) {
	name := schemas.Agent(to)
	if known, err := o.Agent(name); known != nil || err != nil || !name.IsPersonWord() || o.here.IsActing(name) {
		return schemas.Address(to), err
	}
	return schemas.Address(schemas.Human), nil
}

// resolveAddresses applies [op.resolveAddress] to three addresses of a draft: the recipient, the reviewer, and the
// agent that gets the work after a failure. It warns if the recipient became human. If an address changed, it returns a
// changed copy of the draft.
func (o *op) resolveAddresses(d *draft.Draft) (*draft.Draft, error) {
	next, h := *d, &d.Handoff
	var err error
	if next.To, err = o.resolveAddress("to", string(d.To)); err != nil {
		return nil, err
	}
	e, back, err := draft.ParseAddresses(h.Expectations, h.Rollback, o.resolveAddress)
	if err != nil || next.To == d.To && schemas.ValueOrZero(e).Review == schemas.ValueOrZero(h.Expectations).Review &&
		schemas.ValueOrZero(back).OnFailure == schemas.ValueOrZero(h.Rollback).OnFailure {
		return d, err
	}
	if next.To != d.To {
		next.Warnings = append(slices.Clone(d.Warnings), fmt.Sprintf("to: %s is read as human, since no agent is called so", d.To))
	}
	next.Handoff.Target, next.Handoff.Expectations, next.Handoff.Rollback = compose.TargetOf(next.To, h.Target.Reason), e, back
	return &next, o.drafts.Encode(&next)
}

// findPoolNamed returns the pool with the given name, such as role:qa for the name qa or QA, if an agent of another
// name takes work from that pool. Otherwise it returns "".
func findPoolNamed(v *store.View, name schemas.Agent) (schemas.Address, error) {
	words := roster.PoolSearchWords(schemas.Address("role:"+name), false)
	for a, err := range v.AgentsMentioning(append(words, schemas.Map(words, strings.ToLower)...)...) {
		if err != nil {
			return "", err
		}
		for _, box := range roster.BoxesForCard(a.Card)[1:] {
			if _, of := box.Split(); strings.EqualFold(of, string(name)) && !strings.EqualFold(string(a.Card.Name), of) {
				return box, nil
			}
		}
	}
	return "", nil
}

// refusePoolName returns the error not_found for the name of a pool in a field that needs the name of an agent. The
// parameter `do` is the text of the hint, in which %s stands for the pool.
func refusePoolName(field string, name schemas.Agent, pool schemas.Address, do string) *schemas.Error {
	kind, _ := pool.Split()
	return schemas.Errorf(schemas.NotFound, "%s is a %s, and no agent is called so", name, kind).WithField(field).
		WithChoices(string(pool)).WithHint(do, pool)
}

// CheckNotPool refuses a caller that acts under the name of a pool, with not_found. It accepts such a name only if an
// agent is known by it, if an agent acts under it over an open connection, or if the mailbox of that name has mail.
// Package tools calls CheckNotPool before every tool except register, because register makes the name known.
func (s *Service) CheckNotPool(ctx context.Context, name schemas.Agent) error {
	pool, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.Address, error) {
		if unknown, err := s.isNameUnknown(v, name); !unknown || err != nil {
			return "", err
		}
		return findPoolNamed(v, name)
	})
	if err != nil || pool == "" {
		return err
	}
	return refusePoolName("agent", name, pool, "Leave agent out: an agent takes %s under its own name. An agent that wants this name registers first.")
}

// isNameUnknown reports whether no agent is known by a name, no agent acts under it over an open connection, and its
// mailbox has no mail.
func (s *Service) isNameUnknown(v *store.View, name schemas.Agent) (bool, error) {
	if name == "" || name == schemas.Human || name == schemas.System || s.here.IsActing(name) {
		return false, nil
	}
	m, err := v.Counters(schemas.Address(name))
	known, broken := v.Agent(name)
	return known == nil && m == (store.Counters{}), cmp.Or(err, broken)
}

// tellSenderOfNoTaker is a hook that runs after each change that makes a handoff claimable. If no agent can take the
// handoff now, the sender gets a notice. The exception is a sender that made the change itself: [op.checkRecipient]
// warns that sender in the result of its call.
func (o *op) tellSenderOfNoTaker(h *operation.RecordChange) error {
	was, now := h.Was, h.Now
	if !now.IsClaimable() || was != nil && was.IsClaimable() && was.To == now.To {
		return nil
	}
	name, directed := now.To.SingleAgent()
	if known, err := o.Agent(name); directed && known == nil && was != nil && was.To == now.To || err != nil {
		return err // the send has warned that no agent has this name
	}
	why, err := o.Offers().NoTakerReason(now, offer.PresentMemberReasons)
	if why == "" || err != nil {
		return err
	}
	to, err := reading.AgentToNotify(o.View, now)
	if err != nil || to == o.By.Agent && slices.Contains(o.checked, now.To) {
		return err
	}
	n := operation.NoticeOf(noticeNoTakers, now, why+". It waits until one does; you may give it to another.")
	return o.RunAs(operation.ClockCaller, func() error { return o.NotifyAgent(to, n) })
}

// storeCard stores the new card of an agent, and wakes the waiting calls of the agent's mailboxes. It also looks at the
// first thousand pending handoffs of these mailboxes. If no agent can take one of them any more, the sender of that
// handoff gets a notice.
func (o *op) storeCard(a store.Agent, said any) error {
	before, err := o.Agent(a.Card.Name)
	o.WakeAfterCommit(roster.BoxesForCard(a.Card)...) // these mailboxes may have mail that no agent could take before
	if err = cmp.Or(err, o.storeOrDeleteAgent(a), o.RecordEvent(life.Register, said)); err != nil || before == nil || before.Card.Away {
		return err
	}
	looked, offers := 0, o.Offers()
	for id, err := range o.ClaimableHandoffs(roster.BoxesForCard(before.Card)...) {
		if looked++; err != nil || looked > operation.MaxVisitedHandoffs {
			return err
		}
		r := o.UsableRecord(id)
		if r == nil || !r.IsClaimable() {
			continue
		}
		v, err := offers.JudgeClaim(*before, r, offer.MemberReasons)
		if v.Reason == 0 {
			err = o.tellSenderOfNoTaker(&operation.RecordChange{Now: r})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whyNoReviewer returns the reason why no agent could review work that goes to an address. It returns "" if at least
// one agent that may do the work has a possible reviewer.
func (o *op) whyNoReviewer(to, reviewer schemas.Address) (why string, err error) {
	for a, err := range o.Offers().AddressedAgents(to) {
		review := store.Record{To: reviewer, Type: schemas.TypeReview, Excluded: []schemas.Agent{a.Card.Name}}
		if err == nil {
			why, err = o.Offers().NoTakerReason(&review, offer.PresentMemberReasons)
		}
		if why == "" || err != nil {
			return "", err
		}
	}
	return why, nil
}

// Check does [registry.Registry.Check]. If that check finds no fault, Check also looks for mail that no agent reads.
// This is mail to an address that is now spelled in another way, to a word for a person, or to the name of a pool.
func (s *Service) Check(ctx context.Context, by schemas.Caller, in schemas.CheckIn) (schemas.CheckOut, error) {
	out, err := s.Registry.Check(ctx, by, in)
	if err != nil || !out.OK {
		return out, err
	}
	lost, err := operation.ReadSnapshot(ctx, s.engine, listMailWithoutReader)
	out.Found, out.OK, out.Faults = len(lost), len(lost) == 0, lost[:min(len(lost), schemas.MaxNamed)]
	return out, err
}

// listMailWithoutReader lists all mail in mailboxes that no agent reads. Each entry has the command that moves the
// mail.
func listMailWithoutReader(v *store.View) (lost []schemas.StoreFault, err error) {
	find := func(say string, args ...any) {
		lost = append(lost, schemas.StoreFault{What: fmt.Sprintf(say, args...)})
	}
	for b, err := range v.NonEmptyMailboxes() {
		box := schemas.Agent(b.Address)
		known, broken := v.Agent(box)
		pool, unread := findPoolNamed(v, box)
		if err = cmp.Or(err, broken, unread); err != nil {
			return nil, err
		}
		to, _ := schemas.ParseAddress("to", string(box)) // "" for a word that is no address
		if _, directed := b.Address.SingleAgent(); known != nil || !directed || cmp.Or(pool, to) == b.Address && !box.IsPersonWord() {
			continue
		}
		if to = cmp.Or(pool, to, "NAME"); box.IsPersonWord() {
			to = schemas.Address(schemas.Human)
		}
		for id, err := range v.ClaimableHandoffs(b.Address) {
			if err != nil {
				return nil, err
			}
			find("%s is for %s, whose mailbox nobody reads: handoff assign %s %s", id, box, id, to)
		}
		for n, err := range v.UnreadNotices(box) {
			if err != nil {
				return nil, err
			}
			if n.Kind != schemas.TypeMessage {
				continue // only messages can be recalled
			}
			find("%s is for %s, whose mailbox nobody reads: handoff recall %s --agent %s, and send again: %s",
				n.ID, box, n.ID, n.From, schemas.EscapeHidden(schemas.Clip(n.Text, 200)))
		}
	}
	return lost, nil
}
