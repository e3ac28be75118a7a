package mailbox

import (
	"context"
	"iter"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// changesRead is how many events are read in one snapshot.
const changesRead = 256

// Changes yields the events after the given number, from the stored log, and waits for more until ctx is
// done, which is its last error. Whoever remembers the last number misses nothing.
func (s *Service) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		for {
			more := s.hub.NextChange()
			changes, err := s.changesAfter(ctx, after)
			if err != nil {
				yield(schemas.Change{}, err)
				return
			}
			for _, c := range changes {
				if !yield(c, nil) {
					return
				}
				after = c.N
			}
			if len(changes) > 0 {
				continue
			}
			if err := s.sleep(ctx, more, s.Now().Add(time.Minute)); err != nil {
				yield(schemas.Change{}, err)
				return
			}
		}
	}
}

func (s *Service) changesAfter(ctx context.Context, after uint64) (changes []schemas.Change, err error) {
	err = s.read(ctx, func(v *store.View) error {
		changes = nil
		for e, err := range v.EventsAfter(after) {
			if err != nil || len(changes) == changesRead {
				return err
			}
			c := schemas.Change{Event: e}
			if r := readable(v, e.Handoff); r != nil {
				c.Workflow, c.Box, c.Sender, c.Holder, c.Title = r.Workflow, r.To, r.From, r.Holder, r.Title
			}
			changes = append(changes, c)
		}
		return nil
	})
	return changes, err
}

// Head gives the number of the newest event, and tells when changes cannot be kept.
func (s *Service) Head(ctx context.Context, _ schemas.Caller, _ schemas.NewestIn) (out schemas.NewestOut, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		out.Event, err = v.Events()
		return err
	})
	if err == nil && s.Failed != nil {
		if failed := s.Failed(); failed != nil {
			out.Failing = schemas.AsError(s.coded(failed)).Message
		}
	}
	return out, s.coded(err)
}

// Audit walks the whole registry and compares it with what is stored.
func (s *Service) Audit(ctx context.Context, _ schemas.Caller, _ schemas.AuditIn) (schemas.AuditOut, error) {
	out, err := s.Store.Audit(ctx)
	return out, s.coded(err)
}
