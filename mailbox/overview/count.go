package overview

import (
	"cmp"
	"iter"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// count reads the mailboxes, which later steps go through, and counts what their counters say.
func (l *look) count() {
	for b := range kept(l, l.Boxes()) {
		if len(l.boxes) == most {
			l.running.early, l.stuck.early = true, true
			break
		}
		l.boxes = append(l.boxes, b)
		l.counts.Claimable += b.Pending
		l.counts.Held += b.Held
	}
	l.counts.Waiting = l.distinct(l.Oldest(store.InState(schemas.Waiting), 0))
	l.counts.Blocked = l.distinct(l.Oldest(store.Dependents(), 0))
	for id := range kept(l, l.Newest(store.All(), 0)) {
		l.counts.Sent = int(id) //nolint:gosec // ids count up from 1
		break
	}
	events, err := l.Events()
	l.counts.Events, l.err = events, cmp.Or(l.err, err)
}

// kept yields what is read until there is an error, and keeps that.
func kept[T any](l *look, read iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, err := range read {
			if l.err = cmp.Or(l.err, err); l.err != nil || !yield(v) {
				return
			}
		}
	}
}

// distinct counts the handoffs among the first rows.
func (l *look) distinct(ids iter.Seq2[schemas.ID, error]) int {
	found, rows := map[schemas.ID]bool{}, 0
	for id := range kept(l, ids) {
		if rows++; rows > most {
			break
		}
		found[id] = true
	}
	return len(found)
}

// first yields the records of the first handoffs. Where there are more, looking ended early for these parts. One that was
// found by an earlier step, or cannot be read, is passed over.
func (l *look) first(ids iter.Seq2[schemas.ID, error], limit int, parts ...*part) iter.Seq[*store.Record] {
	return func(yield func(*store.Record) bool) {
		looked := 0
		for id := range kept(l, ids) {
			if looked++; looked > limit {
				for _, p := range parts {
					p.early = true
				}
				return
			}
			if l.seen[id] {
				continue
			}
			if r := reading.Readable(l.View, id); r != nil && !yield(r) {
				return
			}
		}
	}
}
