package mailbox

import (
	"context"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// An Import makes an exported workspace ready for another place, see [life.Import]. No service is at work on its store.
type Import struct {
	Heading schemas.ExportHeading
	By      schemas.Event // who imports, when, and how that is known
	NewID   func(prefix string) string
}

// Settle takes the claims out of an exported workspace that [store.Load] filled: their holders are other processes, of
// another machine. So the work is pending again, as after a release, and the next claim is no new attempt. Each change is
// an event. It gives how many handoffs are open: they go on, because who moves a workspace goes on with it.
func (i Import) Settle(ctx context.Context, s *store.Store) (open int, err error) {
	counts, err := s.CountStates(ctx, schemas.Statuses...)
	if err != nil {
		return 0, err
	}
	for _, status := range schemas.Open.States() {
		open += counts[status]
		for more := status.Held(); more; {
			if more, err = i.release(ctx, s, status); err != nil {
				return 0, err
			}
		}
	}
	return open, nil
}

// release takes the claims of some handoffs of a state, and tells whether there may be others.
func (i Import) release(ctx context.Context, s *store.Store, status schemas.Status) (more bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx) error {
		var held []schemas.ID
		for id, err := range tx.Oldest(store.InState(status), 0) {
			if err != nil {
				return err
			}
			if held = append(held, id); len(held) == mostFollow {
				break
			}
		}
		for _, id := range held {
			if err := i.settle(tx, id); err != nil {
				return err
			}
		}
		more = len(held) == mostFollow
		return nil
	})
	return more, err
}

func (i Import) settle(tx *store.Tx, id schemas.ID) error {
	was, err := tx.Record(id)
	if err != nil {
		return err
	}
	now, e := was.Clone(), i.By
	now.Status, now.Quiet = schemas.Pending, 0
	dropClaim(&now)
	now.Wakes = wakes(&now)
	content, err := store.ContentOf(schemas.Imported{
		Note:      "the claim of " + string(was.Holder) + " did not come along",
		Workspace: i.Heading.Workspace, Handoff: id, Events: i.Heading.Events, Root: i.Heading.Root,
	}, i.NewID)
	if err != nil {
		return err
	}
	e.Action, e.From, e.To, e.Attempt = string(life.Import), was.Status, now.Status, now.Attempt
	_, err = tx.Change(was, &now, e, content)
	return err
}
