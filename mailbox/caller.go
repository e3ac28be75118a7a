package mailbox

import (
	"slices"
	"time"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// me is what is kept of the caller, read once; a caller that was never here begins to exist.
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

// noteSeen notes that the caller is here, to the minute, and at first that it writes.
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
	o.self = nil // it may be among them
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

// claimsFrom are the mailboxes from which an agent takes the next: its own, the pools that it qualifies for, and
// those of siblings that are not here; only its own while it holds as many as it said that it takes.
func claimsFrom(v *store.View, a store.Agent, siblings siblingBoxes) ([]schemas.Address, error) {
	if a.Card.MaxOpen > 0 {
		own := schemas.Address(a.Card.Name)
		m, err := v.Mailbox(own)
		if err != nil || m.Held >= a.Card.MaxOpen {
			return []schemas.Address{own}, err
		}
	}
	more, err := siblings(v, a)
	return append(roster.Boxes(a.Card), more...), err
}

// mayClaim tells whether the caller is the recipient, or one that qualifies and is not excluded.
func (o *op) mayClaim(r *store.Record) (bool, error) {
	if slices.Contains(r.Excluded, o.by.Agent) {
		return false, nil
	}
	a, err := o.me()
	switch {
	case err != nil:
		return false, err
	case r.Reserved != 0:
		return r.Box == schemas.Address(o.by.Agent), nil
	case slices.Contains(roster.Boxes(a.Card), r.To):
		return true, nil
	}
	return o.isOrphaned(o.View, *a, r.To)
}
