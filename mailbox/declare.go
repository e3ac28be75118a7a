package mailbox

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"handoff/mailbox/card"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/store"
)

// Declare keeps what files say of agents. The process that has a project calls it with all that the files of the project
// say, and only what is new or differs from what was declared before is kept, so that a repetition costs no write. An
// agent that a file declares is known before anybody saw it, and qualifies for pools as if it had registered. A
// declaration that differs takes the place of all that is known of the agent but whether it is away; one that does not
// leaves what the agent said of itself since.
//
// What a role says holds for each agent whose name begins with it, unless that one is declared or registered itself. Of
// an agent that no file of these declares any more only what it said itself stays.
//
// The rules of a file take the place of those that it declared before, and of all rules where the declaration is whole.
//
// The digest of the declaration is kept with it, see [Service.Declared].
//
// The error is that of [Service.Register] for the first agent that could not register so, and invalid for a rule that
// cannot be read. Then nothing is changed.
//
// What differs is looked for on a snapshot first and again in the transaction, because another process may have
// declared the same in between. Each agent that changes is one event, in the name of system, and wakes those who wait
// for mail of its pools. The result names these agents. What the clock has changed is applied by the next call, and not
// here: rules that a file has no more send nothing because of it.
func (s *Service) Declare(ctx context.Context, by schemas.Caller, in schemas.DeclareIn) (out schemas.DeclareOut, err error) {
	said, err := card.ParseDeclared(in)
	if err != nil {
		return out, err
	}
	last, err := operation.ReadSnapshot(ctx, s.engine, (*store.View).Declared)
	agents, unread := operation.ReadSnapshot(ctx, s.engine, said.Changes)
	rules, unruled := operation.ReadSnapshot(ctx, s.engine, said.OtherRules)
	if err = cmp.Or(err, unread, unruled); err != nil || len(agents) == 0 && !rules && in.Digest == last && !in.Whole {
		return out, err
	}
	if rules {
		if err := said.CheckRules(); err != nil {
			return out, err
		}
	}
	by.Agent = schemas.System // a file speaks, whoever made the call after which it was read
	err = s.engine.Transact(ctx, by, func(o *operation.Op) (err error) {
		for row, err := range o.AllRules() {
			if err != nil {
				return err
			}
			if _, here := said.Rules[string(row.Key)]; in.Whole && !here {
				said.Rules[string(row.Key)] = store.DeclaredRules{}
			}
		}
		out, err = opOf(o).declare(said, in.Digest)
		return err
	})
	return out, err
}

// declare keeps what differs from what was declared before, and makes due what gets leave by it.
func (o *op) declare(said card.Declared, digest string) (out schemas.DeclareOut, err error) {
	changed, err := said.Changes(o.View)
	if err != nil {
		return out, err
	}
	for _, a := range changed {
		out.Changed = append(out.Changed, a.Card.Name)
		if err := o.putCard(a, a.Card); err != nil {
			return out, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(said.Rules)) {
		changed, err := o.PutRules(name, said.Rules[name])
		if err != nil {
			return out, err
		}
		if changed {
			out.Rules = append(out.Rules, name)
			if err := o.RecordEvent(life.Declare, said.Rules[name]); err != nil {
				return out, err
			}
		}
	}
	return out, cmp.Or(o.releaseAllowed(), o.PutDeclared(digest))
}

// putDeclared keeps the row of an agent, unless nothing is known of it any more. The row goes where nobody was seen
// under the name or claimed, and nothing is said of it. Mail of that name stays, and whoever acts as it later begins a
// new row.
func (o *op) putDeclared(a store.Agent) error {
	if a.Seen == 0 && a.Claims == 0 && !a.Card.Registered && !a.Card.Away {
		return o.DeleteAgent(a.Card.Name)
	}
	return o.PutAgent(a)
}
