package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"

	"handoff/schemas"
)

// Mailbox holds the counters of a mailbox, so that a count costs one read. [Tx.Change], [Tx.Notify] and [Tx.MarkRead]
// change the counters. Package audit counts the rows and compares.
//
// The key is the address: a name of an agent, capability:x, role:y or human. The value is four counters of four bytes.
// Counters are written in the transaction that changes the counted rows, so they are exact at every commit. An empty
// mailbox has no row.
type Mailbox struct {
	Pending int // handoffs that may be claimed
	Urgent  int // of these, the ones of high and critical priority
	Held    int // handoffs that the agent of this name holds
	Unread  int // notices
}

// fields returns the counters in the order in which they are stored, four bytes each.
func (m *Mailbox) fields() [4]*int { return [...]*int{&m.Pending, &m.Urgent, &m.Held, &m.Unread} }

func (m *Mailbox) add(by Mailbox) {
	theirs := by.fields()
	for i, n := range m.fields() {
		*n += *theirs[i]
	}
}

// Encode writes each counter as a signed number of 32 bits. A negative counter is a fault that a check reports; Encode
// keeps it so that later changes do not hide it.
func (m Mailbox) Encode() []byte {
	b := make([]byte, 0, 16)
	for _, n := range m.fields() {
		b = binary.BigEndian.AppendUint32(b, uint32(*n)) //nolint:gosec // a negative number stays negative
	}
	return b
}

// DecodeMailbox decodes the result of [Mailbox.Encode].
func DecodeMailbox(b []byte) (m Mailbox, err error) {
	if len(b) != 16 {
		return m, fmt.Errorf("counters of %d bytes: %w", len(b), ErrCorrupt)
	}
	for i, n := range m.fields() {
		*n = int(int32(binary.BigEndian.Uint32(b[4*i:]))) //nolint:gosec // see Encode
	}
	return m, nil
}

// Mailbox returns the counters of a mailbox, zeros for an empty one.
//
// The server reads it for nearly every result of a tool, because results name the amount of waiting mail. The error
// wraps [ErrCorrupt] for a row of another length.
func (v *View) Mailbox(box schemas.Address) (m Mailbox, err error) {
	b, err := v.r.Get(Mailboxes, []byte(box))
	if b == nil || err != nil {
		return m, err
	}
	return DecodeMailbox(b)
}

// Box is a mailbox that is not empty, with its counters.
type Box struct {
	Address schemas.Address
	Mailbox
}

// Boxes yields the mailboxes that are not empty, by name. It costs one row for each mailbox. Counters of tokens are not
// included. The error wraps [ErrCorrupt] for a row of another length.
func (v *View) Boxes() iter.Seq2[Box, error] {
	tokens := []byte(tokenBox(""))
	isMailbox := func(row Row) bool { return !bytes.HasPrefix(row.Key, tokens) }
	return decodedIf(v, Range{Space: Mailboxes}, isMailbox, func(row Row) (Box, error) {
		counters, err := DecodeMailbox(row.Value)
		return Box{schemas.Address(row.Key), counters}, err
	})
}

// Tally counts the contents of mailboxes, from the [Shares] of all records and from the unread notices.
type Tally map[schemas.Address]Mailbox

// Add adds the counters of boxes.
func (t Tally) Add(boxes ...Box) {
	for _, by := range boxes {
		m := t[by.Address]
		m.add(by.Mailbox)
		t[by.Address] = m
	}
}

// count adds to the counters of a mailbox, and deletes its row if all are zero.
func (t *Tx) count(box schemas.Address, by Mailbox) error {
	if by == (Mailbox{}) {
		return nil
	}
	m, err := t.Mailbox(box)
	if err != nil {
		return err
	}
	m.add(by)
	if m == (Mailbox{}) {
		return t.w.Delete(Mailboxes, []byte(box))
	}
	return t.w.Put(Mailboxes, []byte(box), m.Encode())
}

// Shares returns the numbers that one record adds to the counters: to the mailbox in which it is pending, or else the
// mailbox of its holder; and to the token with which it was sent. A zero [Box] means that the record adds nothing.
func Shares(r *Record) [2]Box {
	if r == nil {
		return [2]Box{}
	}
	return [...]Box{boxShare(r), tokenShare(r)}
}

// boxShare returns the numbers that a record adds to the counters of the mailbox in which it is pending, or of its
// holder's mailbox. An ended or blocked handoff adds nothing.
func boxShare(r *Record) Box {
	switch {
	case r.Claimable():
		m := Mailbox{Pending: 1}
		if r.Priority == schemas.High || r.Priority == schemas.Critical {
			m.Urgent = 1
		}
		return Box{r.Box, m}
	case r.Status.Held():
		return Box{schemas.Address(r.Holder), Mailbox{Held: 1}}
	}
	return Box{}
}

// tokenShare returns the numbers that a pending record adds to the counters of the token with which it was sent. A
// blocked handoff counts too, because it was sent and no agent has claimed it.
func tokenShare(r *Record) Box {
	if r.SentWith == "" || r.Status != schemas.Pending {
		return Box{}
	}
	return Box{tokenBox(r.SentWith), Mailbox{Pending: 1}}
}

// updateCounters subtracts the shares of was from the counters and adds the shares of now.
//
// It does not write a mailbox whose counters stay equal. When a handoff moves, it writes both mailboxes.
func (t *Tx) updateCounters(was, now *Record) error {
	before, after := Shares(was), Shares(now)
	for i, less := range before {
		if less == after[i] {
			continue
		}
		negative := Mailbox{Pending: -less.Pending, Urgent: -less.Urgent, Held: -less.Held}
		if err := t.count(less.Address, negative); err != nil {
			return err
		}
		if err := t.count(after[i].Address, after[i].Mailbox); err != nil {
			return err
		}
	}
	return nil
}
