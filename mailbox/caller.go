package mailbox

import (
	"time"

	"handoff/schemas"
	"handoff/store"
)

// me is what is kept of the caller, read once. A caller that was never here begins to exist.
func (o *op) me() (*store.Agent, error) {
	if o.self != nil && o.self.Card.Name == o.by.Agent {
		return o.self, nil
	}
	a, err := agentNamed(o.View, o.by.Agent)
	if err != nil {
		return nil, err
	}
	o.self = &a
	return o.self, nil
}

// noteSeen notes when the caller was seen, to the minute, and on its first write that its session does something.
func (o *op) noteSeen() error {
	if o.by.Agent == "" || o.by.Agent == schemas.System || o.by.Agent == schemas.Human {
		return nil
	}
	a, err := o.me()
	if err != nil || o.now.Sub(a.Seen.Time()) < time.Minute && !a.Idle {
		return err
	}
	a.Seen, a.Idle = store.At(o.now), false
	if err := o.tx.PutAgent(*a); err != nil || a.Client == "" {
		return err
	}
	o.self = nil // the caller may be among the names that expire
	return o.expireNames(a.Client)
}

// agentNamed is what is kept of an agent, or a new one that nobody has seen.
func agentNamed(v *store.View, name schemas.Agent) (store.Agent, error) {
	a, err := v.Agent(name)
	if a == nil || err != nil {
		return store.Agent{Card: schemas.Card{Name: name}}, err
	}
	return *a, nil
}
