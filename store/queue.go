package store

import (
	"bytes"
	"iter"
	"time"

	"handoff/schemas"
)

// ClaimableHandoffs yields the handoffs that may be claimed from the given mailboxes, in the order of claims: first by
// [queuePosition], then by id. Inside Update no other transaction can change the yielded rows before this Update ends.
// It costs one seek for each mailbox.
//
// The caller reads the record and checks all rules that the index does not know, such as an exclusion. A mailbox that
// is given twice yields its handoffs twice.
//
// It never looks at the clock: it yields a handoff even if a change by time is overdue. So callers apply due changes
// first.
func (v *View) ClaimableHandoffs(boxes ...schemas.Address) iter.Seq2[schemas.ID, error] {
	if len(boxes) == 1 { // the usual case: nothing to merge
		return v.idsInRange(claimableRange(boxes[0]))
	}
	return func(yield func(schemas.ID, error) bool) {
		var heads []*queueReader
		defer func() {
			for _, h := range heads {
				h.stop()
			}
		}()
		for _, box := range boxes {
			heads = append(heads, v.openQueueReader(box))
		}
		for best := firstInQueue(heads); best != nil; best = firstInQueue(heads) {
			if !yield(schemas.ID(DecodeLastNumber(best.at)), best.err) || best.err != nil {
				return
			}
			best.advance()
		}
	}
}

// MailboxesWithWork yields the mailboxes that have a claimable handoff and whose addresses begin with the given text,
// in the order of their addresses. It costs one seek for each mailbox. An empty text selects all mailboxes.
func (v *View) MailboxesWithWork(beginning string) iter.Seq2[schemas.Address, error] {
	return distinctBeginnings(v, Prefix(Ready, []byte(beginning)), firstWord, func(box []byte) schemas.Address {
		return schemas.Address(bytes.TrimSuffix(box, []byte{0}))
	})
}

// queueReader reads the claimable handoffs of one mailbox, one by one. It keeps a scan open, so the caller must call
// stop.
type queueReader struct {
	next func() (Row, error, bool)
	stop func()
	skip int    // length of the mailbox's name in the key, with its zero byte
	at   []byte // order and id; nil at the end
	err  error
}

func (v *View) openQueueReader(box schemas.Address) *queueReader {
	h := &queueReader{skip: len(box) + 1}
	h.next, h.stop = iter.Pull2(v.r.Scan(claimableRange(box)))
	h.advance()
	return h
}

func (h *queueReader) advance() {
	row, err, ok := h.next()
	h.at, h.err = nil, err
	if ok && err == nil {
		h.at = bytes.Clone(row.Key[h.skip:])
	}
}

// claimableRange returns the range of the handoffs that may be claimed from a mailbox.
func claimableRange(box schemas.Address) Range { return Prefix(Ready, zeroTerminated(box)) }

// firstInQueue returns the reader whose current handoff comes first in the order of claims. It returns a reader with an
// error before any other reader, and nil if all readers are at their end.
func firstInQueue(heads []*queueReader) (best *queueReader) {
	for _, h := range heads {
		if h.err != nil {
			return h
		}
		if h.at != nil && (best == nil || bytes.Compare(h.at, best.at) < 0) {
			best = h
		}
	}
	return best
}

// DueHandoffs yields the handoffs whose Wakes is at or before now, to the millisecond, the earliest first. Inside
// Update no other transaction can change the yielded rows before this Update ends.
//
// A handoff stays due until a change gives it another Wakes. So a caller that skips a handoff gets it again from the
// next call.
func (v *View) DueHandoffs(now time.Time) iter.Seq2[schemas.ID, error] {
	return v.idsInRange(Range{Space: Wakes, To: EncodeNumber(TimeOf(now) + 1)})
}

// PermissionWakeTime, in the year 9999, is the value of Wakes in a record whose open consequences all need a person's
// permission.
const PermissionWakeTime Time = 253_370_764_800_000

// HandoffsAwaitingPermission yields the handoffs whose open consequences need a person's permission, oldest first.
func (v *View) HandoffsAwaitingPermission() iter.Seq2[schemas.ID, error] {
	return v.idsInRange(Range{Space: Wakes, From: EncodeNumber(PermissionWakeTime)})
}

// NextDueTime returns the time of the next change by the clock, and the zero time if there is none. The time is in the
// past if a change is overdue. Another change may add an earlier time, so timers ask again after each change.
func (v *View) NextDueTime() (time.Time, error) {
	for row, err := range v.r.Scan(Range{Space: Wakes}) {
		return decodeTime(row.Key).Time(), err
	}
	return time.Time{}, nil
}
