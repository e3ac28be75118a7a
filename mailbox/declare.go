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

// Declare stores the agents and rules that files declare. The process that has a project calls it with the content of
// all declaring files of the project. Only new and changed declarations are stored, so a repetition costs no write. A
// declared agent is known before its first call, and qualifies for pools as if it had registered. A changed declaration
// replaces the whole card of the agent; only the mark that the agent is away stays. An unchanged declaration keeps the
// agent's own later registration.
//
// The declaration of a role holds for each agent whose name begins with the name of the role, unless that agent is
// declared or registered itself. If no file declares an agent any more, only the agent's own registration stays.
//
// The rules of a file replace its earlier rules. If the declaration says that it is whole, the rules of all files that
// it does not contain are removed.
//
// The digest of the declaration is stored with it, see [Service.Declared].
//
// The errors are the errors of [Service.Register] for the first agent that could not register with this card, and
// invalid for a rule that cannot be read. Then nothing changes.
//
// Declare looks for differences on a snapshot first, and again in the transaction, because another process may have
// declared the same in between. Each changed agent is one event, in the name of system, and wakes the agents that wait
// for mail of its pools. The result names these agents. Declare does not apply the clock; the next call does. So rules
// that were just removed from a file cannot fire for changes that are due already.
func (s *Service) Declare(ctx context.Context, by schemas.Caller, in schemas.DeclareIn) (out schemas.DeclareOut, err error) {
	said, err := card.ParseDeclared(in)
	if err != nil {
		return out, err
	}
	last, err := operation.ReadSnapshot(ctx, s.engine, (*store.View).DeclarationDigest)
	agents, unread := operation.ReadSnapshot(ctx, s.engine, said.ChangedAgents)
	rules, unruled := operation.ReadSnapshot(ctx, s.engine, said.HasNewRules)
	if err = cmp.Or(err, unread, unruled); err != nil || len(agents) == 0 && !rules && in.Digest == last && !in.Whole {
		return out, err
	}
	if rules {
		if err := said.CheckRules(); err != nil {
			return out, err
		}
	}
	by.Agent = schemas.System // the file declares, and not the caller whose call made the process read it
	err = s.engine.UpdateWithoutDue(ctx, by, func(o *operation.Op) (err error) {
		for row, err := range o.DeclaredRuleRows() {
			if err != nil {
				return err
			}
			if _, here := said.Rules[string(row.Key)]; in.Whole && !here {
				said.Rules[string(row.Key)] = store.DeclaredRules{}
			}
		}
		out, err = opOf(o).storeDeclaration(said, in.Digest)
		return err
	})
	return out, err
}

// storeDeclaration stores the differences to the earlier declaration. Consequences that waited for a person to allow their rules
// are due now if the person has allowed these rules.
func (o *op) storeDeclaration(said card.Declarations, digest string) (out schemas.DeclareOut, err error) {
	changed, err := said.ChangedAgents(o.View)
	if err != nil {
		return out, err
	}
	for _, a := range changed {
		out.Changed = append(out.Changed, a.Card.Name)
		if err := o.storeCard(a, a.Card); err != nil {
			return out, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(said.Rules)) {
		changed, err := o.PutDeclaredRules(name, said.Rules[name])
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
	return out, cmp.Or(o.resumeAllowedWorkflows(), o.PutDeclarationDigest(digest))
}

// storeOrDeleteAgent stores the row of an agent, or deletes it if the row would be empty: no call and no claim was made under
// the name, no file and no registration describes the agent, and it is not away. Its mail stays, and an agent that acts
// under the name later begins a new row.
func (o *op) storeOrDeleteAgent(a store.Agent) error {
	if a.Seen == 0 && a.Claims == 0 && !a.Card.Registered && !a.Card.Away {
		return o.DeleteAgent(a.Card.Name)
	}
	return o.PutAgent(a)
}
