package reading

import (
	"handoff/schemas"
	"handoff/store"
)

// Principal is the agent that is told of a handoff: its sender. Of what the rules sent, the owner of the workflow is
// told, and human where the rules own that, too. So every outcome is told to somebody who reads. It reads one row, and
// only for what the rules sent.
func Principal(v *store.View, r *store.Record) (schemas.Agent, error) {
	if r.From != schemas.System {
		return r.From, nil
	}
	wf, err := v.Workflow(r.Workflow)
	if err != nil || wf == nil || wf.Owner == schemas.System {
		return schemas.Human, err
	}
	return wf.Owner, nil
}

// Answerer is the agent that answers what an agent asks about a handoff: its principal, and human where that is the
// agent itself. So no agent waits for its own answer.
func Answerer(v *store.View, r *store.Record, asker schemas.Agent) (schemas.Agent, error) {
	to, err := Principal(v, r)
	if to == asker {
		to = schemas.Human
	}
	return to, err
}

// AwaitedAnswerer is the agent whose answer a handoff waits for: a permission is for a person to grant.
func AwaitedAnswerer(v *store.View, r *store.Record) (schemas.Agent, error) {
	if r.Permission {
		return schemas.Human, nil
	}
	return Answerer(v, r, r.Asker)
}

// RollbackTarget is who takes failed work where its holder names nobody: the agent of rollback.on_failure, else the sender,
// and human for what the rules sent. It reads the record alone; whether that agent was ever here does not matter.
func RollbackTarget(r *store.Record) schemas.Agent {
	switch {
	case r.OnFailure != "":
		return r.OnFailure
	case r.From == schemas.System:
		return schemas.Human
	}
	return r.From
}
