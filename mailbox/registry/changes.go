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

// Changes yields the events of the registry after a number, in order and without a gap, and then waits for more.
// Watchers call it: the command watch, telemetry, notifications over MCP, another process of the same workspace. It
// writes only changes that are due by time, and looks at least once a minute.
//
// It ends when ctx is done, with the error of ctx last; with unavailable or internal, if events cannot be read; or when
// the loop around it breaks. A watcher that begins again after the last number that it saw, also at another process,
// misses nothing and sees nothing twice. An event of an unreadable handoff comes without the record's fields; these
// fields are current, not those of the event's time. A slow watcher blocks no other call: events are read in snapshots
// of 256.
func (r *Registry) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		for {
			more := r.config.Hub.NextChange()
			changes, err := r.changesAfter(ctx, after)
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
			if err := r.config.Sleep(ctx, more, r.config.Now().Add(time.Minute)); err != nil {
				yield(schemas.Change{}, err)
				return
			}
		}
	}
}

// changesAfter reads the next events, 256 at most, with fields of their current records.
func (r *Registry) changesAfter(ctx context.Context, after uint64) ([]schemas.Change, error) {
	return readCurrent(ctx, r, func(v *store.View) (changes []schemas.Change, err error) {
		for e, err := range v.EventsAfter(after) {
			if err != nil || len(changes) == maxChanges {
				return changes, err
			}
			changes = append(changes, changeOf(v, e))
		}
		return changes, nil
	})
}

// changeOf adds fields of the current record to an event. It takes the holder only if the holder may be the one of that
// time. A message has no record: its content names the recipient.
func changeOf(v *store.View, e schemas.Event) schemas.Change {
	c := schemas.Change{Event: e, Text: reading.EventText(v, e)}
	if life.Action(e.Action) == life.Message {
		var sent schemas.Handoff
		if v.DecodeContent(e.Handoff, e.N, &sent) == nil { // else it was erased
			c.Box, c.Sender, c.Title = schemas.Address(sent.Target.Agent), e.Agent, sent.Title
			c.Text, c.Notice = schemas.Shorten(sent.Task, reading.MaxTextBytes), noticeAt(v, sent.Target.Agent, e)
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

// noticeAt returns the notice that the event of a message left, 0 if it is not among the last ones.
func noticeAt(v *store.View, to schemas.Agent, e schemas.Event) schemas.NoticeID {
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
