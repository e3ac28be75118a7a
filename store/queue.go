package store

import (
	"bytes"
	"iter"
	"time"

	"handoff/schemas"
)

// ClaimableHandoffs yields the handoffs that may be claimed from the given mailboxes, best first. It costs one seek for each
// mailbox. Inside Update it holds the rows that it yields: no other transaction gets them before this one ends.
//
// Best first means by the position in the mailbox, which is the send time less the bonus of the priority, and then by
// id. The mailboxes have no order among themselves. If a mailbox is named twice, Queue yields its handoffs twice. An id
// says only that the index has it: the caller reads the record and checks all rules that the mailbox cannot know, such
// as an exclusion.
//
// Queue never looks at the clock. If a change by the clock is overdue, Queue yields the handoff as if nothing were due;
// so callers apply due changes before they call Queue.
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

// MailboxesWithWork yields the mailboxes that have a handoff to claim and whose names begin with the given text, by name.
// It costs one seek for each.
//
// It leaves out a mailbox without any claimable handoff, even if it has notices. The text is compared byte by byte; an
// empty text selects all mailboxes.
func (v *View) MailboxesWithWork(beginning string) iter.Seq2[schemas.Address, error] {
	return distinctBeginnings(v, Prefix(Ready, []byte(beginning)), firstWord, func(box []byte) schemas.Address {
		return schemas.Address(bytes.TrimSuffix(box, []byte{0}))
	})
}

// queueReader is the next row of one mailbox. It holds a scan open between two calls of advance, so its owner must call stop.
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

// firstInQueue returns the head with the best row, or one that cannot be read; nil at the end of all.
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

// DueHandoffs yields the handoffs whose changes by time are due, the longest due first. Inside Update it holds the rows that it
// yields.
//
// A handoff is due if Wakes of its record is at or before now, to the millisecond. This is a hint: the clock decides
// from the record. A handoff stays due until a change gives it another Wakes, so a caller that skips one meets it again
// with the next call.
func (v *View) DueHandoffs(now time.Time) iter.Seq2[schemas.ID, error] {
	return v.idsInRange(Range{Space: Wakes, To: EncodeNumber(TimeOf(now) + 1)})
}

// LeaveTime is the Wakes of handoffs whose only open consequences need a person's permission: the year 9999.
const LeaveTime Time = 253_370_764_800_000

// HandoffsAwaitingLeave yields the handoffs whose open consequences need a person's permission, oldest first.
func (v *View) HandoffsAwaitingLeave() iter.Seq2[schemas.ID, error] {
	return v.idsInRange(Range{Space: Wakes, From: EncodeNumber(LeaveTime)})
}

// NextDueTime returns the time of the next change by the clock; the zero time if there is none.
//
// The time may be in the past, if a change is overdue. Timers sleep until it. Another change may add an earlier time,
// so callers ask again.
func (v *View) NextDueTime() (time.Time, error) {
	for row, err := range v.r.Scan(Range{Space: Wakes}) {
		return decodeTime(row.Key).Time(), err
	}
	return time.Time{}, nil
}
