package keeping

import (
	"context"
	"slices"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/store"
)

// An Import prepares an exported workspace that was loaded into the store of another machine or directory, see
// [life.Import]. No server may use the store at the same time.
type Import struct {
	Heading schemas.ExportHeading
	By      schemas.Event // the caller, the time, and the proof of the caller
	NewID   func(prefix string) string

	Open int // number of open handoffs that Examine found; they stay open, because their workspace only moves
	held []schemas.ID
}

// RemoveClaims removes all claims from an exported workspace, because the holders are processes of another machine. Its
// caller calls Examine before. A held handoff becomes pending, as after a release, and its next claim does not count as
// a new attempt. Each change is an event.
func (i *Import) RemoveClaims(ctx context.Context, s *store.Store) error {
	for ids := range slices.Chunk(i.held, operation.MaxVisitedHandoffs) {
		err := s.Update(ctx, func(tx *store.Tx) error {
			for _, id := range ids {
				if err := i.removeClaim(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (i *Import) removeClaim(tx *store.Tx, id schemas.ID) error {
	was, err := tx.Record(id)
	if err != nil {
		return err
	}
	now, e := was.Clone(), i.By
	now.Status, now.SilentAt = schemas.Pending, 0
	operation.DropClaim(&now)
	now.Wakes = operation.NextChangeTime(&now)
	content, err := store.EncodeContent(schemas.Imported{
		Note:      "the claim of " + string(was.Holder) + " did not come along",
		Workspace: i.Heading.Workspace, Handoff: id, Events: i.Heading.Events, Root: i.Heading.Root,
	}, i.NewID)
	if err != nil {
		return err
	}
	e.Action, e.From, e.To, e.Attempt = string(life.Import), was.Status, now.Status, now.Attempt
	_, err = tx.WriteChange(was, &now, e, content)
	return err
}
