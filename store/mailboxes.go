package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"

	"handoff/schemas"
)

// Counters holds the numbers of handoffs and notices in a mailbox, so that a count costs one read. The row has the
// address of the mailbox as its key and four counters of four bytes as its value. An empty mailbox has no row.
//
// [Tx.WriteChange], [RowTx.AddNotice] and [RowTx.MarkNoticesRead] change the counters in the transaction that changes
// the counted rows. Package audit counts the rows and compares.
type Counters struct {
	Pending int // handoffs that may be claimed
	Urgent  int // of these, the ones of high and critical priority
	Held    int // handoffs that the agent of this name holds
	Unread  int // notices
}

// counters returns the counters in the order in which they are stored, four bytes each.
func (m *Counters) counters() [4]*int { return [...]*int{&m.Pending, &m.Urgent, &m.Held, &m.Unread} }

func (m *Counters) add(by Counters) {
	theirs := by.counters()
	for i, n := range m.counters() {
		*n += *theirs[i]
	}
}

// Encode writes each counter as a signed number of 32 bits. It keeps a negative counter, which is a fault, so that a
// check can report it.
func (m Counters) Encode() []byte {
	b := make([]byte, 0, 16)
	for _, n := range m.counters() {
		b = binary.BigEndian.AppendUint32(b, uint32(*n)) //nolint:gosec // a negative number stays negative
	}
	return b
}

// DecodeCounters decodes the result of [Counters.Encode].
func DecodeCounters(b []byte) (m Counters, err error) {
	if len(b) != 16 {
		return m, fmt.Errorf("counters of %d bytes: %w", len(b), ErrCorrupt)
	}
	for i, n := range m.counters() {
		*n = int(int32(binary.BigEndian.Uint32(b[4*i:]))) //nolint:gosec // see Encode
	}
	return m, nil
}

// Counters returns the counters of a mailbox, zeros for an empty mailbox. The error wraps [ErrCorrupt] if the row is
// not 16 bytes long.
func (v *View) Counters(box schemas.Address) (Counters, error) {
	return getRow(v, Mailboxes, []byte(box), DecodeCounters)
}

// MailboxCounters is a mailbox that is not empty, with its counters.
type MailboxCounters struct {
	Address schemas.Address
	Counters
}

// NonEmptyMailboxes yields the mailboxes that are not empty, by address. It reads one row for each mailbox, and leaves
// out the counters of tokens. The error wraps [ErrCorrupt] if a row is not 16 bytes long.
func (v *View) NonEmptyMailboxes() iter.Seq2[MailboxCounters, error] {
	tokens := []byte(tokenCounterKey(""))
	isMailbox := func(row Row) bool { return !bytes.HasPrefix(row.Key, tokens) }
	return decodeRowsIf(v, Range{Space: Mailboxes}, isMailbox, func(row Row) (MailboxCounters, error) {
		counters, err := DecodeCounters(row.Value)
		return MailboxCounters{schemas.Address(row.Key), counters}, err
	})
}

// CounterTotals counts the contents of mailboxes anew: the caller adds the result of [CountersOf] for each record, and
// adds each unread notice.
type CounterTotals map[schemas.Address]Counters

// Add adds the counters of boxes.
func (t CounterTotals) Add(boxes ...MailboxCounters) {
	for _, by := range boxes {
		m := t[by.Address]
		m.add(by.Counters)
		t[by.Address] = m
	}
}

// addToCounters adds to the counters of a mailbox. It deletes the row if all counters become zero.
func (t *RowTx) addToCounters(box schemas.Address, by Counters) error {
	if by == (Counters{}) {
		return nil
	}
	m, err := t.Counters(box)
	if err != nil {
		return err
	}
	m.add(by)
	if m == (Counters{}) {
		return t.w.Delete(Mailboxes, []byte(box))
	}
	return t.w.Put(Mailboxes, []byte(box), m.Encode())
}

// CountersOf returns what one record adds to counters: first to the counters of a mailbox, then to the counters of the
// bearer token with which the handoff was sent. A zero [MailboxCounters] means that the record adds nothing.
func CountersOf(r *Record) [2]MailboxCounters {
	if r == nil {
		return [2]MailboxCounters{}
	}
	return [...]MailboxCounters{mailboxCountersOf(r), tokenCountersOf(r)}
}

// mailboxCountersOf returns the numbers that a record adds to the counters of a mailbox. A claimable handoff counts in
// the mailbox in which it is pending, a held handoff in the mailbox of its holder. An ended or blocked handoff adds
// nothing.
func mailboxCountersOf(r *Record) MailboxCounters {
	switch {
	case r.IsClaimable():
		m := Counters{Pending: 1}
		if r.Priority == schemas.High || r.Priority == schemas.Critical {
			m.Urgent = 1
		}
		return MailboxCounters{r.Box, m}
	case r.Status.IsHeld():
		return MailboxCounters{schemas.Address(r.Holder), Counters{Held: 1}}
	}
	return MailboxCounters{}
}

// tokenCountersOf returns the numbers that a pending record adds to the counters of the token with which it was sent. A
// blocked handoff counts too.
func tokenCountersOf(r *Record) MailboxCounters {
	if r.SentWith == "" || r.Status != schemas.Pending {
		return MailboxCounters{}
	}
	return MailboxCounters{tokenCounterKey(r.SentWith), Counters{Pending: 1}}
}

// updateCounters subtracts what the old record, `was`, added to the counters, and adds what the new record, `now`, adds
// to them. It does not write a mailbox whose counters stay equal.
func (t *Tx) updateCounters(was, now *Record) error {
	before, after := CountersOf(was), CountersOf(now)
	for i, less := range before {
		if less == after[i] {
			continue
		}
		negative := Counters{Pending: -less.Pending, Urgent: -less.Urgent, Held: -less.Held}
		if err := t.addToCounters(less.Address, negative); err != nil {
			return err
		}
		if err := t.addToCounters(after[i].Address, after[i].Counters); err != nil {
			return err
		}
	}
	return nil
}
