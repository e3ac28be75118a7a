package store

import (
	"bytes"
	"iter"
	"slices"
	"time"

	"handoff/schemas"
)

// ClaimableHandoffs yields the handoffs that may be claimed from the given mailboxes, in the order of their
// [QueuePosition]. Inside Update no other transaction can change the yielded rows before this Update ends. It costs one
// seek for each mailbox.
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
		for at, err := range Merge(bytes.Compare, schemas.Map(boxes, v.queuePlaces)...) {
			if !yield(schemas.ID(DecodeLastNumber(at)), err) || err != nil {
				return
			}
		}
	}
}

// queuePlaces yields the order and id of each handoff that may be claimed from a mailbox.
func (v *View) queuePlaces(box schemas.Address) iter.Seq2[[]byte, error] {
	return decodeRows(v, claimableRange(box), func(row Row) ([]byte, error) { return bytes.Clone(row.Key[len(box)+1:]), nil })
}

// Merge yields the values of several sequences in one order. Each of the sequences has to be in this order. It yields
// an error before all values that are left, and then ends.
func Merge[T any](compare func(a, b T) int, all ...iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		type head struct {
			value T
			err   error
			next  func() (T, error, bool)
		}
		var heads []head
		for _, values := range all {
			next, stop := iter.Pull2(values)
			defer stop()
			if value, err, ok := next(); ok {
				heads = append(heads, head{value, err, next})
			}
		}
		for len(heads) > 0 {
			first := 0
			for i, h := range heads {
				if h.err != nil || heads[first].err == nil && compare(h.value, heads[first].value) < 0 {
					first = i
				}
			}
			h := &heads[first]
			if !yield(h.value, h.err) || h.err != nil {
				return
			}
			var ok bool
			if h.value, h.err, ok = h.next(); !ok {
				heads = slices.Delete(heads, first, first+1)
			}
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

// claimableRange returns the range of the handoffs that may be claimed from a mailbox.
func claimableRange(box schemas.Address) Range { return Prefix(Ready, zeroTerminated(box)) }

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
