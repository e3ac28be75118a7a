package overview

import (
	"iter"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// count reads the mailboxes, which later steps go through, and counts what their counters say.
func (l *look) count() (err error) {
	for b, err := range l.Boxes() {
		if err != nil {
			return err
		}
		if len(l.boxes) == most {
			l.running.early, l.stuck.early = true, true
			break
		}
		l.boxes = append(l.boxes, b)
		l.counts.Claimable += b.Pending
		l.counts.Held += b.Held
	}
	if l.counts.Waiting, err = distinct(l.Oldest(store.InState(schemas.Waiting), 0)); err != nil {
		return err
	}
	if l.counts.Blocked, err = distinct(l.Oldest(store.Dependents(), 0)); err != nil {
		return err
	}
	for id, err := range l.Newest(store.All(), 0) {
		l.counts.Sent = int(id) //nolint:gosec // ids count up from 1
		if err != nil {
			return err
		}
		break
	}
	l.counts.Events, err = l.Events()
	return err
}

// distinct counts the handoffs among the first rows.
func distinct(ids iter.Seq2[schemas.ID, error]) (int, error) {
	found, rows := map[schemas.ID]bool{}, 0
	for id, err := range ids {
		if err != nil {
			return 0, err
		}
		if rows++; rows > most {
			break
		}
		found[id] = true
	}
	return len(found), nil
}

// first calls fn with the records of the first handoffs, and tells whether there were more. One that was found by an
// earlier step, or cannot be read, is passed over.
func (l *look) first(ids iter.Seq2[schemas.ID, error], limit int, fn func(*store.Record) error) (more bool, err error) {
	looked := 0
	for id, err := range ids {
		if err != nil {
			return false, err
		}
		if looked++; looked > limit {
			return true, nil
		}
		if l.seen[id] {
			continue
		}
		if r := reading.Readable(l.View, id); r != nil {
			if err := fn(r); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}
