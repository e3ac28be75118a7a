package registry

import (
	"context"
	"iter"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

const (
	maxChanges = 256   // events that one snapshot reads
	maxNotices = 1_000 // notices that are searched for a message
)

// Changes yields the events with numbers above `after`, in order and without a gap, and then waits for new events. It
// checks for new events at least once a minute. Each event comes with fields of the handoff's current record. If the
// record cannot be read, the event comes without these fields.
//
// When ctx is done, Changes yields the error of ctx and ends. If events cannot be read, it yields the error unavailable
// or internal and ends. A caller that calls Changes again with the last number, also in another process, misses no
// event. A slow caller blocks no other call, because each snapshot covers at most 256 events.
func (r *Registry) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(yield func(schemas.RegistryChange, error) bool) {
		for {
			more := r.config.Hub.NextChange()
			changes, err := r.changesAfter(ctx, after)
			if err != nil {
				yield(schemas.RegistryChange{}, err)
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
			if err := r.config.Sleep(ctx, more, r.config.Now().Add(time.Minute)); err != nil {
				yield(schemas.RegistryChange{}, err)
				return
			}
		}
	}
}

// changesAfter returns at most 256 events with numbers above `after`, with fields of the current records of their
// handoffs.
func (r *Registry) changesAfter(ctx context.Context, after uint64) ([]schemas.RegistryChange, error) {
	return operation.Read(ctx, r.config.Engine, func(v *store.View) (changes []schemas.RegistryChange, err error) {
		for e, err := range v.EventsAfter(after) {
			if err != nil || len(changes) == maxChanges {
				return changes, err
			}
			changes = append(changes, changeFromEvent(v, e))
		}
		return changes, nil
	})
}

// changeFromEvent adds fields of the handoff's current record to an event. The holder of a claim event is the agent
// that claimed. The recipient of a message comes from the content of its event.
func changeFromEvent(v *store.View, e schemas.Event) schemas.RegistryChange {
	c := schemas.RegistryChange{Event: e, Text: reading.EventText(v, e)}
	if r := reading.RecordOrNil(v, e.Handoff); r != nil {
		c.Workflow, c.Parent, c.Depth, c.Title = r.Workflow, r.Parent, r.Depth, r.Title
		c.Box, c.Sender, c.Holder = r.To, r.From, r.Holder
	}
	switch life.Action(e.Action) { //nolint:exhaustive // for the others it may be the current holder
	case life.Message:
		var sent schemas.Handoff
		if v.DecodeContent(e.Handoff, e.N, &sent) == nil { // else it was erased
			c.Box, c.Sender, c.Title = schemas.Address(sent.Target.Agent), e.Agent, sent.Title
			c.Text, c.Notice = schemas.Shorten(sent.Task, reading.MaxTextBytes), noticeOfMessage(v, sent.Target.Agent, e)
		}
	case life.Claim, life.Reclaim:
		c.Holder = e.Agent
	case life.Send:
		c.Holder = ""
	}
	return c
}

// noticeOfMessage returns the id of the notice that the message event e put into the recipient's mailbox. It returns 0
// if the notice is not among the newest [maxNotices].
func noticeOfMessage(v *store.View, to schemas.Agent, e schemas.Event) schemas.NoticeID {
	for n, err := range reading.AtMost(maxNotices, v.Notices(to, 0)) {
		if err != nil || n.At.Before(e.At) {
			break
		}
		if n.At.Equal(e.At) && n.From == e.Agent && n.Kind == schemas.TypeMessage {
			return n.ID
		}
	}
	return 0
}
