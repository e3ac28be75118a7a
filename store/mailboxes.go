package store

import (
	"encoding/binary"
	"fmt"

	"handoff/schemas"
)

// Mailbox counts what is in a mailbox, so that counts cost one read. Check recounts.
type Mailbox struct {
	Pending int // may be claimed
	Urgent  int // of these, high and critical
	Held    int // held by the agent of that name
	Unread  int // notices
}

// fields are the counters in the order in which they are stored, four bytes each.
func (m *Mailbox) fields() [4]*int { return [...]*int{&m.Pending, &m.Urgent, &m.Held, &m.Unread} }

func (m *Mailbox) add(by Mailbox) {
	theirs := by.fields()
	for i, n := range m.fields() {
		*n += *theirs[i]
	}
}

func encodeMailbox(m Mailbox) []byte {
	b := make([]byte, 0, 16)
	for _, n := range m.fields() {
		b = binary.BigEndian.AppendUint32(b, uint32(*n)) //nolint:gosec // what is negative stays so
	}
	return b
}

func decodeMailbox(b []byte) (m Mailbox, err error) {
	if len(b) != 16 {
		return m, fmt.Errorf("counters of %d bytes: %w", len(b), ErrCorrupt)
	}
	for i, n := range m.fields() {
		*n = int(int32(binary.BigEndian.Uint32(b[4*i:]))) //nolint:gosec // see encodeMailbox
	}
	return m, nil
}

// Mailbox gives the counters of a box.
func (v *View) Mailbox(box schemas.Address) (m Mailbox, err error) {
	b, err := v.r.Get(Mailboxes, []byte(box))
	if b == nil || err != nil {
		return m, err
	}
	return decodeMailbox(b)
}

// count adds to the counters of a box.
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
	return t.w.Put(Mailboxes, []byte(box), encodeMailbox(m))
}

// share is what one record adds to the counters of one box; zero for nothing.
type share struct {
	box schemas.Address
	of  Mailbox
}

// shares are all that one record adds to: the box it waits in or its holder's, and that of the token it was
// sent with.
func shares(r *Record) [2]share {
	if r == nil {
		return [2]share{}
	}
	return [...]share{inBox(r), ofToken(r)}
}

func inBox(r *Record) share {
	switch {
	case claimable(r):
		m := Mailbox{Pending: 1}
		if r.Priority == schemas.High || r.Priority == schemas.Critical {
			m.Urgent = 1
		}
		return share{r.Box, m}
	case r.Status.Held():
		return share{schemas.Address(r.Holder), Mailbox{Held: 1}}
	}
	return share{}
}

// ofToken counts what is blocked as well: it was sent and nobody has taken it.
func ofToken(r *Record) share {
	if r.SentWith == "" || r.Status != schemas.Pending {
		return share{}
	}
	return share{tokenBox(r.SentWith), Mailbox{Pending: 1}}
}

// recount moves what a record adds to the counters.
func (t *Tx) recount(was, now *Record) error {
	before, after := shares(was), shares(now)
	for i, less := range before {
		if less == after[i] {
			continue
		}
		if err := t.count(less.box, Mailbox{Pending: -less.of.Pending, Urgent: -less.of.Urgent, Held: -less.of.Held}); err != nil {
			return err
		}
		if err := t.count(after[i].box, after[i].of); err != nil {
			return err
		}
	}
	return nil
}
