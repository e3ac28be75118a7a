package store

import (
	"fmt"
	"iter"

	"handoff/schemas"
)

// EventCountKey is the key of the number of events, in [Sys].
const EventCountKey = "events"

// Record returns the record of a handoff, nil if there is none. The error is [schemas.Unavailable] if a newer version
// of handoff wrote the record. The caller may change the result. [Tx.WriteChange] also needs the unchanged record, see
// [Record.Clone].
func (v *View) Record(id schemas.ID) (*Record, error) {
	return getRow(v, Records, EncodeNumber(id), func(b []byte) (*Record, error) {
		r, err := DecodeRecord(b)
		if err != nil {
			return nil, fmt.Errorf("record of %s: %w: %w", id, ErrCorrupt, err)
		}
		return r, nil
	})
}

// EventCount returns the number of events. Events are numbered from 1 without gaps, so this is also the number of the
// last event. The error wraps [ErrCorrupt] if the counter is damaged.
func (v *View) EventCount() (uint64, error) {
	return getRow(v, Sys, []byte(EventCountKey), func(b []byte) (uint64, error) {
		if len(b) != 8 {
			return 0, fmt.Errorf("count of events: %d bytes: %w", len(b), ErrCorrupt)
		}
		return DecodeLastNumber(b), nil
	})
}

// Event returns one event as it was written, nil if there is no event of that number. It does not check the event.
func (v *View) Event(n uint64) (*schemas.Event, error) {
	e, err := getJSON[schemas.Event](v, Events, EncodeNumber(n))
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", n, err)
	}
	return e, nil
}

// EventsAfter yields the events after number n, in order. It stops at the last event of the snapshot and does not wait.
// A caller that follows the log remembers the last number and calls again with that number. So it misses and repeats no
// event.
func (v *View) EventsAfter(n uint64) iter.Seq2[schemas.Event, error] {
	return decodeRows(v, Range{Space: Events, From: keyAfter(n)}, DecodeJSONRow[schemas.Event])
}

// EventsOf returns the last events of a handoff, newest first, at most limit. It follows the links between the events,
// with one read for each. The error wraps [ErrCorrupt] if one of the events is missing.
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

// HandoffsWithOrigin yields the handoffs that were made from the foreign message with the given id, newest first.
// Foreign ids are unique only for each sender, so several handoffs may have the same foreign id.
func (v *View) HandoffsWithOrigin(foreign string) iter.Seq2[schemas.ID, error] {
	return v.NewestFirst(indexByOrigin(foreign), 0)
}

// HandoffIndex selects an index: a set of handoffs in the order of their ids, for [View.OldestFirst] and
// [View.NewestFirst]. The transaction that changes a handoff also updates the indexes, so an index is always exact. The
// zero value selects no index.
type HandoffIndex struct {
	space  Space
	prefix []byte
}

// IndexByRecipient selects the handoffs that were sent to an address, even if other agents may claim them now.
func IndexByRecipient(to schemas.Address) HandoffIndex {
	return HandoffIndex{ByBox, zeroTerminated(to)}
}

// IndexBySender selects the handoffs of a sender.
func IndexBySender(from schemas.Agent) HandoffIndex {
	return HandoffIndex{BySender, zeroTerminated(from)}
}

// IndexByHolder selects the handoffs that an agent holds now.
func IndexByHolder(a schemas.Agent) HandoffIndex {
	return HandoffIndex{ByHolder, joinBytes(zeroTerminated(a), []byte{0})}
}

// IndexByLastHolder selects the handoffs that an agent held last and that no agent holds now.
func IndexByLastHolder(a schemas.Agent) HandoffIndex {
	return HandoffIndex{ByHolder, joinBytes(zeroTerminated(a), []byte{1})}
}

// IndexByWorkflow selects the handoffs of a workflow.
func IndexByWorkflow(wf schemas.Workflow) HandoffIndex {
	return HandoffIndex{ByWorkflow, zeroTerminated(wf)}
}

// IndexByState selects the handoffs in a state.
func IndexByState(s schemas.Status) HandoffIndex { return HandoffIndex{ByState, zeroTerminated(s)} }

// IndexByParent selects the handoffs that name a handoff as their parent.
func IndexByParent(id schemas.ID) HandoffIndex { return HandoffIndex{ByParent, EncodeNumber(id)} }

// IndexByDependency selects the handoffs that a handoff blocks.
func IndexByDependency(id schemas.ID) HandoffIndex { return HandoffIndex{ByAfter, EncodeNumber(id)} }

// IndexByFreedDependency selects the handoffs that waited for a handoff until it ended well.
func IndexByFreedDependency(id schemas.ID) HandoffIndex {
	return HandoffIndex{ByFreed, EncodeNumber(id)}
}

func indexByOrigin(foreign string) HandoffIndex { return HandoffIndex{ByOrigin, originKey(foreign)} }

// IndexOfAllDependents selects all handoffs that wait for a dependency, once for each dependency.
func IndexOfAllDependents() HandoffIndex { return HandoffIndex{ByAfter, nil} }

// IndexOfAllHandoffs selects all handoffs.
func IndexOfAllHandoffs() HandoffIndex { return HandoffIndex{Records, nil} }

// OldestFirst yields the ids in an index that are above the given id, in ascending order. Zero begins at the first id.
// It reads one index row for each id, and no records. Ids count up with time, so this is also the order of sending.
func (v *View) OldestFirst(i HandoffIndex, after schemas.ID) iter.Seq2[schemas.ID, error] {
	r := Prefix(i.space, i.prefix)
	r.From = joinBytes(i.prefix, keyAfter(after))
	return v.idsInRange(r)
}

// NewestFirst yields the ids in an index that are below the given id, in descending order. Zero begins at the last id.
// A list begins its next page below the last id of the page before. Handoffs that are sent meanwhile have greater ids,
// so no later page shows a handoff twice.
func (v *View) NewestFirst(i HandoffIndex, before schemas.ID) iter.Seq2[schemas.ID, error] {
	r := reversePrefix(i.space, i.prefix)
	if before != 0 {
		r.To = joinBytes(i.prefix, EncodeNumber(before))
	}
	return v.idsInRange(r)
}

// BlockingHandoffs yields the handoffs that block other handoffs, in ascending order, each once. It costs one seek for
// each.
func (v *View) BlockingHandoffs() iter.Seq2[schemas.ID, error] {
	return distinctBeginnings(v, Range{Space: ByAfter}, firstNumber, func(id []byte) schemas.ID { return schemas.ID(DecodeLastNumber(id)) })
}

// idsInRange yields the ids at the end of the keys of a range.
func (v *View) idsInRange(r Range) iter.Seq2[schemas.ID, error] {
	return decodeRows(v, r, func(row Row) (schemas.ID, error) { return schemas.ID(DecodeLastNumber(row.Key)), nil })
}

// SentHandoff is a row of the index of senders. With its time and digest, callers need not read the record.
type SentHandoff struct {
	ID     schemas.ID
	At     Time
	Digest string // of the content, as in [Record]
}

// SentHandoffs yields the handoffs that an agent sent, newest first. Package mailbox uses it to warn about a repeated
// send of the same content. The error wraps [ErrCorrupt] for a row that is too short to hold a time.
func (v *View) SentHandoffs(from schemas.Agent) iter.Seq2[SentHandoff, error] {
	return decodeRows(v, reversePrefix(BySender, zeroTerminated(from)), func(row Row) (SentHandoff, error) {
		if len(row.Value) < 8 {
			return SentHandoff{}, fmt.Errorf("what %s sent: a row of %d bytes: %w", from, len(row.Value), ErrCorrupt)
		}
		return SentHandoff{schemas.ID(DecodeLastNumber(row.Key)), decodeTime(row.Value), string(row.Value[8:])}, nil
	})
}
