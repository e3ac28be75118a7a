package reading

import (
	"handoff/schemas"
	"handoff/store"
)

// AgentToNotify returns the agent that gets notices about a handoff's outcome: its sender. If rules of a file sent the
// handoff, it is the owner of the workflow, or human if no agent owns the workflow. So some agent or person always gets
// the notice.
func AgentToNotify(v *store.View, r *store.Record) (schemas.Agent, error) {
	if r.From != schemas.System {
		return r.From, nil
	}
	wf, err := v.Workflow(r.Workflow)
	if err != nil || wf == nil || wf.Owner == schemas.System {
		return schemas.Human, err
	}
	return wf.Owner, nil
}

// Answerer returns the agent that answers the questions of asker about a handoff: the agent of [AgentToNotify], or
// human if asker is that agent. So no agent waits for its own answer.
func Answerer(v *store.View, r *store.Record, asker schemas.Agent) (schemas.Agent, error) {
	to, err := AgentToNotify(v, r)
	if to == asker {
		to = schemas.Human
	}
	return to, err
}

// AwaitedAnswerer returns the agent whose answer a handoff waits for. For a permission it is human, because only a
// person grants a permission.
func AwaitedAnswerer(v *store.View, r *store.Record) (schemas.Agent, error) {
	if r.Permission {
		return schemas.Human, nil
	}
	return Answerer(v, r, r.Asker)
}

// RollbackTarget returns the agent that gets failed work back if the holder named no agent: the agent in
// rollback.on_failure, or the sender, or human if rules of a file sent the work. It reads only the record, so it may
// return an agent that has never used this workspace.
func RollbackTarget(r *store.Record) schemas.Agent {
	switch {
	case r.OnFailure != "":
		return r.OnFailure
	case r.From == schemas.System:
		return schemas.Human
	}
	return r.From
}
