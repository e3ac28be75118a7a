package reading

import (
	"handoff/schemas"
	"handoff/store"
)

// Principal returns the agent that hears of a handoff's outcome: its sender. For a handoff that rules sent it is the
// owner of the workflow, or human if rules own the workflow, too. So every outcome has a reader. It reads one row, and
// only for handoffs that rules sent.
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

// Answerer returns the agent that answers an agent's questions about a handoff: its principal, or human if that is the
// asker itself. So no agent waits for its own answer.
func Answerer(v *store.View, r *store.Record, asker schemas.Agent) (schemas.Agent, error) {
	to, err := Principal(v, r)
	if to == asker {
		to = schemas.Human
	}
	return to, err
}

// AwaitedAnswerer returns the agent whose answer a handoff waits for. Only a person grants a permission.
func AwaitedAnswerer(v *store.View, r *store.Record) (schemas.Agent, error) {
	if r.Permission {
		return schemas.Human, nil
	}
	return Answerer(v, r, r.Asker)
}

// RollbackTarget returns the agent that takes back failed work if its holder names none: the agent of
// rollback.on_failure, else the sender, and human for work that rules sent. It reads only the record; the agent may
// never have been here.
func RollbackTarget(r *store.Record) schemas.Agent {
	switch {
	case r.OnFailure != "":
		return r.OnFailure
	case r.From == schemas.System:
		return schemas.Human
	}
	return r.From
}
