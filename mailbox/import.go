package mailbox

import (
	"context"
	"strings"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// An Import brings an exported workspace into another, see [life.Import]. No service is at work on either store.
type Import struct {
	Heading schemas.ExportHeading
	By      schemas.Event // who imports, when, and how that is known
	Hold    bool          // work that is open waits for a person's approval
	NewID   func(prefix string) string
}

// Into brings the handoffs of an exported workspace, from a store that [store.Load] filled, into one that is in use. It
// is one transaction.
func (i Import) Into(ctx context.Context, from, to *store.Store) (store.Merged, error) {
	return store.Merge{
		From: from, To: to, Heading: i.Heading, By: i.By, Salt: i.salt, Arrive: i.arrive,
		Carried: string(life.Carry), Imported: string(life.Import),
	}.Run(ctx)
}

func (i Import) salt() []byte { return []byte(i.NewID("salt")) }

// Settle changes in an exported workspace, that [store.Load] filled, what does not go to another as it is: see arrive.
// Each change is an event. It gives how many handoffs there are and how many are open.
func (i Import) Settle(ctx context.Context, s *store.Store) (done store.Merged, err error) {
	counts, err := s.CountStates(ctx, schemas.Statuses...)
	if err != nil {
		return done, err
	}
	done.Added, done.Notices = i.Heading.Lines["handoff"], i.Heading.Lines["notice"]
	var open []schemas.ID
	for _, status := range schemas.Open.States() {
		done.Open += counts[status]
		err := s.View(ctx, func(v *store.View) error {
			for id, err := range v.Oldest(store.InState(status), 0) {
				if err != nil {
					return err
				}
				open = append(open, id)
			}
			return nil
		})
		if err != nil {
			return done, err
		}
	}
	for ; len(open) > 0 && err == nil; open = open[min(len(open), mostFollow):] {
		err = s.Update(ctx, func(tx *store.Tx) error {
			for _, id := range open[:min(len(open), mostFollow)] {
				if err := i.settle(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return done, err
}

func (i Import) settle(tx *store.Tx, id schemas.ID) error {
	was, err := tx.Record(id)
	if err != nil {
		return err
	}
	now, e := was.Clone(), i.By
	said := schemas.Imported{Note: i.arrive(&now), Workspace: i.Heading.Workspace, Handoff: id, Events: i.Heading.Events, Root: i.Heading.Root}
	if said.Note == "" {
		return nil
	}
	content, err := store.ContentOf(said, i.NewID)
	if err != nil {
		return err
	}
	e.Action, e.From, e.To, e.Attempt = string(life.Import), was.Status, now.Status, now.Attempt
	_, err = tx.Change(was, &now, e, content)
	return err
}

// arrive changes a record to what it is after an import, and says what it changed. Work that is open goes on, because
// who moves a workspace goes on with it. A claim does not: its holder is another process, of another machine, which has
// not heard of it. So the work is pending again, as after a release, and the next claim is no new attempt.
func (i Import) arrive(r *store.Record) string {
	var notes []string
	if r.Status.Held() {
		notes = append(notes, "the claim of "+string(r.Holder)+" did not come along")
		r.Status, r.Quiet = schemas.Pending, 0
		dropClaim(r)
	}
	if i.Hold && !r.Status.Ended() && !r.NeedsApproval {
		notes = append(notes, "a person approves it before anybody may claim it")
		r.NeedsApproval = true
	}
	if len(notes) > 0 {
		r.Wakes = wakes(r)
	}
	return strings.Join(notes, ", and ")
}
