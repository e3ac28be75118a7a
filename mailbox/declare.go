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

// Declare stores the agents and rules that the files of a project declare. The process in the project's directory calls
// it with the content of all declaring files. Only new and changed declarations are stored, so a repeated call costs no
// write.
//
// A declared agent is known before its first call, and qualifies for pools like a registered agent. A changed
// declaration replaces the whole card of the agent, except for the mark that the agent is away. An unchanged
// declaration keeps a later registration of the agent. The declaration of a role holds for each agent whose name begins
// with the name of the role, unless that agent is declared or registered itself. If no file declares an agent any more,
// only its registration stays.
//
// The rules of a file replace its earlier rules. If the field `whole` is set, the rules of all other files are removed.
//
// The errors are the errors of [Service.Register] for a declared agent, and invalid for a rule that cannot be read.
// After an error nothing has changed.
//
// For each changed agent the registry gets one event in the name of system, and the result names the agent. The digest
// of the declaration is stored, too, see [Service.Declared]. Declare does not apply due changes, so that removed rules
// cannot fire for them.
func (s *Service) Declare(ctx context.Context, by schemas.Caller, in schemas.DeclareIn) (out schemas.DeclareOut, err error) {
	said, err := card.ParseDeclarations(in)
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

// storeDeclaration stores the differences to the earlier declaration. Some consequences wait until a person allows
// their rules. If a person has allowed these rules now, storeDeclaration makes the consequences due.
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

// storeOrDeleteAgent stores the row of an agent. It deletes the row if the row says nothing: no call and no claim was
// made under the name, the agent is neither declared nor registered, and the agent is not away. The mail of the agent
// stays.
func (o *op) storeOrDeleteAgent(a store.Agent) error {
	if a.Seen == 0 && a.Claims == 0 && !a.Card.Registered && !a.Card.Away {
		return o.DeleteAgent(a.Card.Name)
	}
	return o.PutAgent(a)
}
