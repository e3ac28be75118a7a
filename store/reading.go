package store

import (
	"fmt"
	"iter"

	"handoff/schemas"
)

// EventCountKey is the key of the number of events, in [Sys].
const EventCountKey = "events"

// Record returns the record of a handoff; nil if there is none of that id. The error is [schemas.Unavailable] if a
// newer version of handoff wrote the record.
//
// The caller may change the record. To write it back, the caller keeps an unchanged copy for [Tx.WriteChange], see
// [Record.Clone].
func (v *View) Record(id schemas.ID) (*Record, error) {
	b, err := v.r.Get(Records, EncodeNumber(id))
	if b == nil || err != nil {
		return nil, err
	}
	r, err := DecodeRecord(b)
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", id, err)
	}
	return r, nil
}

// EventCount returns the number of events, which is also the number of the last one.
//
// Events are numbered from 1 without gaps. The error wraps [ErrCorrupt] when the counter is damaged.
func (v *View) EventCount() (uint64, error) {
	b, err := v.r.Get(Sys, []byte(EventCountKey))
	if b == nil || err != nil {
		return 0, err
	}
	if len(b) != 8 {
		return 0, fmt.Errorf("count of events: %d bytes: %w", len(b), ErrCorrupt)
	}
	return DecodeLastNumber(b), nil
}

// Event returns one event; nil when there is none of that number.
//
// It returns the event as it was written, and does not compare it with its neighbours.
func (v *View) Event(n uint64) (*schemas.Event, error) {
	e, err := getJSON[schemas.Event](v, Events, EncodeNumber(n))
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", n, err)
	}
	return e, nil
}

// EventsAfter yields the events after number n, in order. Like all iterators of a View, it yields an error once, last.
//
// It stops at the last event of the snapshot and does not wait. A caller that follows the log remembers the last number
// and begins again after it: it misses and repeats no event, because numbers have no gaps and appear in order.
func (v *View) EventsAfter(n uint64) iter.Seq2[schemas.Event, error] {
	return decodeRows(v, Range{Space: Events, From: keyAfter(n)}, DecodeJSONRow[schemas.Event])
}

// EventsOf returns the last events of a handoff, newest first, at most limit. The error wraps [ErrCorrupt] if one of
// them is missing.
//
// It follows the links of the events backwards from the last one, one read for each.
func (v *View) EventsOf(r *Record, limit int) ([]schemas.Event, error) {
	var events []schemas.Event
	for n := r.Event; n != 0 && len(events) < limit; {
		e, err := v.Event(n)
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, fmt.Errorf("event %d of %s is missing: %w", n, r.ID, ErrCorrupt)
		}
		if e.Before >= n { // it would never end
			return nil, fmt.Errorf("event %d of %s names event %d as the one before: %w", n, r.ID, e.Before, ErrCorrupt)
		}
		events = append(events, *e)
		n = e.Before
	}
	return events, nil
}

// HandoffsWithOrigin yields the handoffs that came with the given id of a foreign message, the newest first.
//
// Foreign ids are unique for each sender only, so several handoffs may have the same one.
func (v *View) HandoffsWithOrigin(foreign string) iter.Seq2[schemas.ID, error] {
	return v.NewestFirst(indexByOrigin(foreign), 0)
}

// HandoffIndex is a set of handoffs in the order of their ids, for [View.OldestFirst] and [View.NewestFirst].
//
// The zero value is no index. Each index has one row for each handoff that belongs to it at this moment: when a handoff
// leaves the set, for example by a change of its holder, the same transaction deletes the row.
type HandoffIndex struct {
	space  Space
	prefix []byte
}

// These functions return the indexes. IndexByHolder has the handoffs that an agent holds now. IndexByLastHolder has the handoffs that
// it held last and that no agent holds now. IndexByDependency has the handoffs that are blocked by the given one,
// IndexByFreedDependency the handoffs that depended on it and were freed because it ended well. IndexOfAllDependents has all
// handoffs that wait for a dependency, once for each dependency.
//
// IndexByRecipient has the handoffs that were sent to an address, even if others may claim them now. IndexBySender has the handoffs
// of a sender, IndexByWorkflow of a workflow, IndexByState of a state. IndexByParent has the handoffs that name a handoff as their
// parent, and All has all handoffs. No index considers the caller: package mailbox decides which handoffs a caller may
// see.

func IndexByRecipient(to schemas.Address) HandoffIndex {
	return HandoffIndex{ByBox, zeroTerminated(to)}
}
func IndexBySender(from schemas.Agent) HandoffIndex {
	return HandoffIndex{BySender, zeroTerminated(from)}
}
func IndexByHolder(a schemas.Agent) HandoffIndex {
	return HandoffIndex{ByHolder, joinBytes(zeroTerminated(a), []byte{0})}
}

func IndexByLastHolder(a schemas.Agent) HandoffIndex {
	return HandoffIndex{ByHolder, joinBytes(zeroTerminated(a), []byte{1})}
}
func IndexByWorkflow(wf schemas.Workflow) HandoffIndex {
	return HandoffIndex{ByWorkflow, zeroTerminated(wf)}
}
func IndexByState(s schemas.Status) HandoffIndex   { return HandoffIndex{ByState, zeroTerminated(s)} }
func IndexByParent(id schemas.ID) HandoffIndex     { return HandoffIndex{ByParent, EncodeNumber(id)} }
func IndexByDependency(id schemas.ID) HandoffIndex { return HandoffIndex{ByAfter, EncodeNumber(id)} }
func IndexByFreedDependency(id schemas.ID) HandoffIndex {
	return HandoffIndex{ByFreed, EncodeNumber(id)}
}
func indexByOrigin(foreign string) HandoffIndex { return HandoffIndex{ByOrigin, originKey(foreign)} }
func IndexOfAllDependents() HandoffIndex        { return HandoffIndex{ByAfter, nil} }
func IndexOfAllHandoffs() HandoffIndex          { return HandoffIndex{Records, nil} }

// OldestFirst yields the ids above the given one, upwards; 0 begins at the first.
//
// It reads one index row for each id that it yields, and no records. Ids count up with time, so this is also the order
// of sending.
func (v *View) OldestFirst(i HandoffIndex, after schemas.ID) iter.Seq2[schemas.ID, error] {
	r := Prefix(i.space, i.prefix)
	r.From = joinBytes(i.prefix, keyAfter(after))
	return v.idsInRange(r)
}

// NewestFirst yields the ids below the given one, downwards; 0 begins at the last.
//
// The next page of a list begins below the last id shown. Handoffs that are sent meanwhile have greater ids, so no
// later page shows a handoff twice.
func (v *View) NewestFirst(i HandoffIndex, before schemas.ID) iter.Seq2[schemas.ID, error] {
	r := reversePrefix(i.space, i.prefix)
	if before != 0 {
		r.To = joinBytes(i.prefix, EncodeNumber(before))
	}
	return v.idsInRange(r)
}

// BlockingHandoffs yields the handoffs that block others, upwards. It costs one seek for each, however many handoffs it
// blocks.
func (v *View) BlockingHandoffs() iter.Seq2[schemas.ID, error] {
	return distinctBeginnings(v, Range{Space: ByAfter}, firstNumber, func(id []byte) schemas.ID { return schemas.ID(DecodeLastNumber(id)) })
}

// idsInRange yields the ids at the end of the keys of a range.
func (v *View) idsInRange(r Range) iter.Seq2[schemas.ID, error] {
	return decodeRows(v, r, func(row Row) (schemas.ID, error) { return schemas.ID(DecodeLastNumber(row.Key)), nil })
}

// SentHandoff is the entry of a handoff in the index of senders, so that callers need not read the record.
//
// It is the row of the space by_sender: key sender and id, value send time and digest. The digest is empty if the
// record has none.
type SentHandoff struct {
	ID     schemas.ID
	At     Time
	Digest string // of the content, as in [Record]
}

// SentHandoffs yields the handoffs that an agent sent, newest first.
//
// Package mailbox uses it to warn about a repeated send of the same content within ten minutes, and stops at the first
// older row. The error wraps [ErrCorrupt] for a row that is too short to hold a time.
func (v *View) SentHandoffs(from schemas.Agent) iter.Seq2[SentHandoff, error] {
	return decodeRows(v, reversePrefix(BySender, zeroTerminated(from)), func(row Row) (SentHandoff, error) {
		if len(row.Value) < 8 {
			return SentHandoff{}, fmt.Errorf("what %s sent: a row of %d bytes: %w", from, len(row.Value), ErrCorrupt)
		}
		return SentHandoff{schemas.ID(DecodeLastNumber(row.Key)), decodeTime(row.Value), string(row.Value[8:])}, nil
	})
}
