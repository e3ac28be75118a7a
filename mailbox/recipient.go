package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/offer"
	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/store"
)

// checkRecipient refuses a recipient that must not get the work, and returns warnings for the sender. The record r has
// the new recipient. Sends, continuations, amendments and releases call it. Consequences, such as a rollback, do not
// call it, because they must not be refused.
//
// Errors:
//   - limit: the mailbox is full.
//   - not_found: no agent has the name, although agents are registered.
//   - conflict: the agent does not accept the type of work.
//
// If the name is that of a client that is set up on the caller's machine, the warning says to open it.
//
// With force, or if the recipient is human or the caller itself, only a full mailbox is refused. If no agent is
// registered, a send to an unknown name makes a mailbox for that name, with a warning. A pool without members keeps the
// work until an agent qualifies.
func (o *op) checkRecipient(r *store.Record, force bool) (warnings []string, err error) {
	o.checked = append(o.checked, r.To)
	to, directed := r.To.SingleAgent()
	if !directed {
		return o.checkPool(r, force)
	}
	if err := o.checkMailboxLimit(r.To); err != nil {
		return nil, err
	}
	if to == schemas.Human || to == o.By.Agent {
		return nil, nil
	}
	a, err := o.knownAgent(to)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return o.checkUnknownRecipient(to, force)
	}
	if !force && r.Type != schemas.TypeMessage {
		if warnings, err = o.checkWork(a.Card, r); err != nil {
			return nil, err
		}
	}
	if a.Claims == 0 && !o.here.IsActing(to) {
		warnings = append(warnings, cmp.Or(offer.ClosedClientText(o.By.Clients, to), fmt.Sprintf("nobody has claimed as %s yet", to)))
	}
	more, err := o.Offers().SenderWarnings(*a)
	return append(append(warnings, fitWarnings(a.Card, r)...), more...), err
}

// knownAgent returns the row of an agent. An agent that is connected and has done nothing yet gets a new row, and so
// does one whose name begins with a role that a file declares. For an unknown name it returns nil.
func (o *op) knownAgent(name schemas.Agent) (*store.Agent, error) {
	known, err := o.Agent(name)
	if known != nil || err != nil {
		return known, err
	}
	a, err := sessions.AgentOrNew(o.View, name)
	if a.Declared == nil && !o.here.IsActing(name) {
		return nil, err
	}
	return &a, err
}

// fitWarnings warns of work for one agent that a pool would not offer to it: its estimate is longer than the agent's
// longest session, or the agent has none of the required skills.
func fitWarnings(to schemas.Card, r *store.Record) (warnings []string) {
	if roster.ExceedsLongestSession(to, r.EstimatedDuration()) {
		warnings = append(warnings, fmt.Sprintf("%s works %s at a time at most, and this is estimated at %d: send it in parts, or to another",
			to.Name, schemas.CountNoun(to.MaxMinutes, "minute"), r.Estimate))
	}
	if to.Registered && roster.LacksSkills(to, r.To, r.Requires) {
		warnings = append(warnings, fmt.Sprintf("%s has no skill of %s, which this requires", to.Name, schemas.JoinFirst(r.Requires, maxAdvisedNames)))
	}
	return warnings
}

// checkPool refuses a full pool. Without force it also refuses a pool without members that has the name of an agent,
// because the sender probably means that agent. It warns if no agent can take the work now. Other pools without members
// are accepted, because an agent may register for the pool later.
func (o *op) checkPool(r *store.Record, force bool) (warnings []string, err error) {
	pool := r.To
	if err := o.checkMailboxLimit(pool); err != nil {
		return nil, err
	}
	warning, err := o.Offers().NoTakerReason(r, offer.PresentMemberReasons)
	if warning == "" || err != nil {
		return nil, err
	}
	warning += ": it waits until one does"
	if err := o.refusePoolNamedLikeAgent(pool, force); err != nil {
		return nil, err
	}
	cards, err := o.cards()
	if near := roster.SuggestPool(pool, cards); near != "" && !strings.HasSuffix(near, string(pool)) {
		warning += "; " + near + ": amend it to that, if it is meant"
	} else if pools := roster.PoolNames(cards); len(pools) > 0 {
		warning += "; there are " + schemas.JoinFirst(pools, maxAdvisedNames)
	}
	skilled := slices.IndexFunc(cards, func(c schemas.Card) bool { return roster.HasUnacceptedSkill(c, string(pool)) })
	if skilled >= 0 {
		c := cards[skilled]
		register := schemas.AdviseCall(schemas.RegisterIn{Name: string(c.Name), Accepts: c.AcceptedKindsPlus(string(pool))}, "lets it take it")
		warning += fmt.Sprintf("; %s has it as a skill only: %s", c.Name, register)
	}
	return []string{warning}, err
}

// refusePoolNamedLikeAgent refuses a pool without members that has the name of an agent, unless force is set. The error
// is not_found, and names the pool and the agent.
func (o *op) refusePoolNamedLikeAgent(pool schemas.Address, force bool) error {
	kind, name := pool.Split()
	known, err := o.knownAgent(schemas.Agent(name))
	if err != nil || force || known == nil {
		return err
	}
	for _, err := range o.Offers().AddressedAgents(pool) {
		return err
	}
	return schemas.Errorf(schemas.NotFound, "%s is an agent, and nobody takes %s", name, pool).WithField("to").WithChoices(name).
		WithHint("Send to %s, or have an agent register for the %s first. Nothing was sent.", name, kind)
}

// checkMailboxLimit refuses a mailbox that has the largest allowed number of pending handoffs, 10,000 by default.
// Claimed handoffs do not count.
func (o *op) checkMailboxLimit(box schemas.Address) error {
	m, err := o.Counters(box)
	if err != nil || m.Pending < o.Limits.Mailbox {
		return err
	}
	return schemas.Errorf(schemas.Limit, "the mailbox of %s holds %s, the limit", box, schemas.CountNoun(m.Pending, "pending handoff")).
		WithField("to").WithHint("Send to another agent, or wait until some are claimed. Nothing was sent.")
}

// checkUnknownRecipient refuses a name that no agent has, if agents are registered, and suggests similar names. It
// accepts a name whose mailbox has mail. With force it accepts any name. For an accepted name it returns a warning.
func (o *op) checkUnknownRecipient(to schemas.Agent, force bool) (warnings []string, err error) {
	if closed := offer.ClosedClientText(o.By.Clients, to); closed != "" {
		return []string{closed}, nil
	}
	pool, err := findPoolNamed(o.View, to)
	if err != nil {
		return nil, err
	}
	if pool != "" && !force {
		return nil, refusePoolName("to", to, pool, "Send to %s: its members may claim it. Nothing was sent.")
	}
	known, err := o.AgentNames()
	if err != nil {
		return nil, err
	}
	known = slices.Concat(known, o.here.ActingAgents(), o.By.Clients, []schemas.Agent{schemas.Human})
	slices.Sort(known)
	known = slices.Compact(known)
	meant := closest.LikelyNames(to, known)
	cards, refused, err := o.refusesUnknownRecipient(to, force)
	if err != nil || !refused {
		advice := ": if that is a typing error, cancel and send again"
		if len(meant) > 0 {
			advice = fmt.Sprintf("; did you mean %s? Then cancel and send again", meant[0])
		}
		return []string{fmt.Sprintf("nobody has claimed as %s yet%s", to, advice)}, err
	}
	// The text is from HandoffTargetNotFoundError in the kernl handoffs design.
	e := schemas.Errorf(schemas.NotFound, "Agent %q tried to handoff to %q, but it's not registered. Available: %s",
		o.By.Agent, to, enumerateAgents(known))
	hint := fmt.Sprintf("Agent not found: %s.", to)
	if len(meant) > 0 {
		hint += fmt.Sprintf(" Closest: %s.", meant[0])
	}
	if near := roster.SuggestPool(schemas.Address(":"+to), cards); near != "" {
		hint += " " + near + "."
	}
	return nil, e.WithField("to").WithAgentChoices(closest.SortByLikelihood(to, known)).
		WithHint("%s Nothing was sent.", hint)
}

// adviseDeclaredNames advises one send for each kind of name that a project declares: its workflows, its pools and its
// checks. Each advice lists the first names of its kind. The pools are those of the given cards. The checks are known
// only in a call of list_agents, and only if the caller's process has a checkout.
func (e *env) adviseDeclaredNames(v *store.View, by schemas.Caller, cards []schemas.Card) (next []schemas.Advice, err error) {
	set, err := e.currentRules(v)
	if err != nil {
		return nil, err
	}
	add := func(names []string, a schemas.Advice) {
		if a.Say += ": " + schemas.JoinFirst(names, maxAdvisedNames); len(names) > 0 {
			next = append(next, a)
		}
	}
	waiting := schemas.Map(set.waiting.PlanNames(), func(name string) string { return name + " (once a person allows it)" })
	checks := &schemas.Expectations{Checks: []string{schemas.Blank}}
	add(append(set.PlanNames(), waiting...), schemas.AdviseCall(schemas.SendIn{To: "workflow:" + schemas.Blank, Task: schemas.Blank}, "begins a workflow"))
	add(roster.PoolNames(cards), schemas.AdviseCall(schemas.SendIn{To: schemas.Blank, Task: schemas.Blank}, "goes to any agent of a pool"))
	add(schemas.ValueOrZero(by.CheckReport).Listed,
		schemas.AdviseCall(schemas.SendIn{To: schemas.Blank, Task: schemas.Blank, Expectations: checks}, "asks for a check"))
	return next, nil
}

// maxAdvisedNames is the largest number of names of one kind in advice.
const maxAdvisedNames = 8

// adviseOtherNames adds the names that a project declares to the error of a send to an unknown name. Other errors stay
// unchanged, also an error that already names the one recipient that is meant.
func (o *op) adviseOtherNames(err error) error {
	e := schemas.AsError(err)
	if e.Code != schemas.NotFound || e.Field != "to" || len(e.Known) < 2 {
		return err
	}
	cards, err := o.cards()
	names, unread := o.adviseDeclaredNames(o.View, o.By, cards)
	return cmp.Or(err, unread, error(e.WithNext(append(names, e.Next...)...)))
}

// refusesUnknownRecipient reports whether the server must refuse a name that no agent has. If so, it also returns the
// cards of all agents for the error. It reads the cards only if the decision needs them, because reading them takes
// time.
func (o *op) refusesUnknownRecipient(to schemas.Agent, force bool) (cards []schemas.Card, refused bool, err error) {
	m, err := o.Counters(schemas.Address(to))
	if err != nil || force || m != (store.Counters{}) {
		return nil, false, err
	}
	cards, err = o.cards()
	return cards, slices.ContainsFunc(cards, func(c schemas.Card) bool { return c.Registered }), err
}

// checkWork refuses work of a type that the recipient does not accept. It also refuses work for a recipient that
// produces none of the deliverables although it declared its products, if another agent takes the work and produces one
// of them. It only warns if the recipient accepts the type of the work by name, if it produces a part of the
// deliverables, or if nobody else produces them: then their types are words that no agent declared, and prove nothing.
// The errors are conflict.
func (o *op) checkWork(to schemas.Card, r *store.Record) (warnings []string, err error) {
	if !roster.AcceptsType(to, r.Type) {
		able, err := o.Offers().AgentsWith(func(c schemas.Card) bool { return !c.Away && c.Name != r.From && roster.AcceptsByName(c, r.Type) })
		return nil, cmp.Or(err, refuseUnfitWork("type", able, "%s does not accept work of type %q: it accepts %s", to.Name, r.Type,
			schemas.JoinFirst(to.Accepts, maxAdvisedNames)))
	}
	missing := roster.MissingProducts(to, r.Products)
	if len(missing) == 0 {
		return nil, nil
	}
	able, err := o.Offers().AgentsProducing(missing, r)
	text := fmt.Sprintf("%s produces %s, and is asked for %s", to.Name,
		schemas.JoinFirst(to.Produces, maxAdvisedNames), schemas.EscapeHidden(schemas.JoinFirst(missing, maxAdvisedNames)))
	if len(missing) < len(r.Products) || len(able) == 0 || roster.AcceptsByName(to, r.Type) || err != nil {
		return []string{text}, err
	}
	return nil, refuseUnfitWork("expectations.deliverables", able, "%s", text)
}

// refuseUnfitWork returns the error conflict for work that does not fit its recipient. The error names the agents that
// could take the work, twenty at most.
func refuseUnfitWork(field string, able []schemas.Agent, format string, args ...any) error {
	e := schemas.Errorf(schemas.Conflict, format, args...).WithField(field).WithAgentChoices(able)
	if len(able) == 0 {
		return e.WithHint("No agent has declared this type. Nothing was sent.")
	}
	return e.WithHint("It could be taken by %s. Nothing was sent.", enumerateAgents(able))
}

// A token may have a limit of pending handoffs. Each send, continuation, retry and return of a caller counts for the
// caller's token. Handoffs that rules send count for no token. Work that the server sends again counts for the token of
// its first sender.

// pendingRetryAfter is the time after which a sender that [op.checkPendingLimit] refused should try again, because
// agents may have claimed some of its handoffs.
const pendingRetryAfter = 30 * time.Second

// checkPendingLimit refuses another handoff if the pending handoffs of the caller's token have reached the limit of the
// token. The error is limit, and says after how many seconds to try again. The count is exact, because the store
// updates it together with each record. A caller whose token has no limit, or that has no token, is never refused.
func (o *op) checkPendingLimit() error {
	if o.By.Token == "" || o.By.MaxPending == 0 {
		return nil
	}
	n, err := o.PendingSentWithToken(o.By.Token)
	if err != nil || n < o.By.MaxPending {
		return err
	}
	return schemas.Errorf(schemas.Limit, "token %s may have %s pending, and has %d",
		o.By.Token, schemas.CountNoun(o.By.MaxPending, "sent handoff"), n).
		WithHint("Wait until some are claimed. Nothing was sent.").
		WithNext(schemas.AdviseCall(schemas.ListIn{Box: "sent", Status: schemas.StatusFilter(schemas.Pending)}, "shows them")).
		WithRetryAfter(pendingRetryAfter)
}
