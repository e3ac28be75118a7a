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
	a, err := o.Agent(o.by.Agent)
	if err != nil {
		return nil, err
	}
	if o.unknown = a == nil; o.unknown {
		a = &store.Agent{Card: schemas.Card{Name: o.by.Agent}}
	}
	o.self = a
	return a, nil
}

// noteSeen notes that the caller is here, to the minute.
func (o *op) noteSeen() error {
	if o.by.Agent == "" || o.by.Agent == schemas.System || o.by.Agent == schemas.Human {
		return nil
	}
	a, err := o.me()
	if err != nil || o.now.Sub(a.Seen.Time()) < time.Minute && !o.unknown {
		return err
	}
	a.Seen = store.At(o.now)
	return o.tx.PutAgent(*a)
}

func (o *op) agentOrNew(name schemas.Agent) (store.Agent, error) {
	a, err := o.Agent(name)
	if a == nil || err != nil {
		return store.Agent{Card: schemas.Card{Name: name}, Seen: store.At(o.now)}, err
	}
	return *a, nil
}

// boxesOfCaller are the mailboxes that the caller may claim from.
func (o *op) boxesOfCaller() ([]schemas.Address, error) {
	a, err := o.me()
	if err != nil {
		return nil, err
	}
	return roster.Boxes(a.Card), nil
}

// claimsFrom are the mailboxes from which an agent takes the next: only its own while it holds as many as it
// said that it takes.
func claimsFrom(v *store.View, card schemas.Card) ([]schemas.Address, error) {
	if card.MaxOpen == 0 {
		return roster.Boxes(card), nil
	}
	m, err := v.Mailbox(schemas.Address(card.Name))
	if m.Held >= card.MaxOpen {
		return []schemas.Address{schemas.Address(card.Name)}, err
	}
	return roster.Boxes(card), err
}

// mayClaim tells whether the caller is the recipient, or one that qualifies and is not excluded.
func (o *op) mayClaim(r *store.Record) (bool, error) {
	if slices.Contains(r.Excluded, o.by.Agent) {
		return false, nil
	}
	boxes, err := o.boxesOfCaller()
	box := r.Box
	if r.Reserved == 0 {
		box = r.To
	}
	return slices.Contains(boxes, box), err
}
