package mailbox

import (
	"slices"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// boxesOf are the mailboxes that an agent may claim from: its own, the pools that it qualifies for, and those in which
// mail waits for siblings that are not here.
func (s *Service) boxesOf(v *store.View, name schemas.Agent) ([]schemas.Address, error) {
	a, err := agentNamed(v, name)
	if err != nil {
		return nil, err
	}
	orphaned, err := s.orphaned(v, a)
	return append(roster.Boxes(a.Card), orphaned...), err
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

// mayClaim tells whether the caller is the recipient of a handoff or qualifies for it, and is not excluded. While the
// handoff is reserved it is for one agent alone.
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
