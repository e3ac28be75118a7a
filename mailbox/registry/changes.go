package registry

import (
	"context"
	"iter"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

const (
	maxChanges = 256   // events that one snapshot reads
	maxNotices = 1_000 // notices that are searched for a message
)

// Changes yields the events of the registry with numbers above after, in order and without a gap, and then waits for
// new events. Its callers are the command watch, telemetry, notifications over MCP, and other processes of the same
// workspace. It writes only changes that are due by time, and checks for new events at least once a minute.
//
// The sequence ends when ctx is done, and then yields the error of ctx last. It ends with the error unavailable or
// internal if events cannot be read, and it ends when the caller leaves its loop. A caller that calls Changes again
// with the last number that it saw, also at another process, misses no event and sees none twice. Each event comes with
// fields of the handoff's record as they are now, not as they were at the time of the event; if the record cannot be
// read, the event comes without these fields. A slow caller blocks no other call, because Changes reads 256 events at a
// time, each time in a snapshot of its own.
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

// changesAfter reads at most 256 events with numbers above after, and adds fields of the current records of their
// handoffs.
func (r *Registry) changesAfter(ctx context.Context, after uint64) ([]schemas.RegistryChange, error) {
	return readCurrent(ctx, r, func(v *store.View) (changes []schemas.RegistryChange, err error) {
		for e, err := range v.EventsAfter(after) {
			if err != nil || len(changes) == maxChanges {
				return changes, err
			}
			changes = append(changes, changeFromEvent(v, e))
		}
		return changes, nil
	})
}

// changeFromEvent adds fields of the handoff's current record to an event. For a claim the holder is the agent that
// claimed, and for a send there is none; for other events it is the current holder of the handoff. The event of a
// message has no record; changeFromEvent takes the recipient from the content of the event.
func changeFromEvent(v *store.View, e schemas.Event) schemas.RegistryChange {
	c := schemas.RegistryChange{Event: e, Text: reading.EventText(v, e)}
	if life.Action(e.Action) == life.Message {
		var sent schemas.Handoff
		if v.DecodeContent(e.Handoff, e.N, &sent) == nil { // else it was erased
			c.Box, c.Sender, c.Title = schemas.Address(sent.Target.Agent), e.Agent, sent.Title
			c.Text, c.Notice = schemas.Shorten(sent.Task, reading.MaxTextBytes), noticeOfMessage(v, sent.Target.Agent, e)
		}
		return c
	}
	r := reading.RecordOrNil(v, e.Handoff)
	if r == nil {
		return c
	}
	c.Workflow, c.Box, c.Sender, c.Holder, c.Title = r.Workflow, r.To, r.From, r.Holder, r.Title
	switch life.Action(e.Action) { //nolint:exhaustive // for the others it may be the current holder
	case life.Claim, life.Reclaim:
		c.Holder = e.Agent
	case life.Send:
		c.Holder = ""
	}
	return c
}

// noticeOfMessage returns the id of the notice that a message put into the recipient's mailbox; e is the event of the
// message. It searches only the last notices of the mailbox, and returns 0 if the notice is not among them.
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
