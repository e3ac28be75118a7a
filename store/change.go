package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"handoff/schemas"
	"handoff/store/ledger"
)

// Content is the text or data of an event. Bytes is JSON of at most 131 MB, see [EncodeContent]. Salt is random and
// made by the caller. The digest of the event covers salt and bytes, so nobody can guess short content from the digest.
// Erasing content also erases its salt. An event without content has neither.
type Content struct {
	Bytes []byte
	Salt  []byte
}

// EncodeContent encodes a value as the content of an event, with a random salt from newID. A value that is a [Content]
// is returned unchanged. For nil the result is the zero Content.
func EncodeContent(value any, newID func(prefix string) string) (c Content, err error) {
	switch made := value.(type) {
	case nil:
		return c, nil
	case Content:
		return made, nil
	}
	if c.Bytes, err = schemas.Encode(value); err != nil {
		return c, err
	}
	c.Salt = []byte(newID("salt"))
	return c, nil
}

// WriteChange writes a record together with the event that changed the record and the content of the event. It returns
// the number of the event. Was is the record as this transaction read it, nil for a new record. Now is the record after
// the change, nil for an event that changes no record. WriteChange sets Event and Schema of now.
//
// The caller fills in the fields of e except its number, digests and links, which WriteChange sets. If now is not nil,
// WriteChange also sets the handoff of e. The error is [schemas.Limit] for content that is too large. It wraps
// [ErrCorrupt] if the store lacks the last event of the record.
//
// Was must be the record that this transaction read: WriteChange compares it with now to find the index rows to delete.
// The number of an event is one above the last number, so two changes of a store never run side by side. Repeating
// WriteChange makes another event.
func (t *Tx) WriteChange(was, now *Record, e schemas.Event, content Content) (uint64, error) {
	if err := schemas.CheckBytes("content", len(content.Bytes), maxContent); err != nil {
		return 0, err
	}
	n, err := t.EventCount()
	if err != nil {
		return 0, err
	}
	e.N = n + 1
	if now != nil {
		e.Handoff, now.Event = now.ID, e.N
	}
	if was != nil {
		if e.Before, e.Prev, err = t.eventHash(was.Event); err != nil {
			return 0, err
		}
	}
	if len(content.Bytes) > 0 {
		e.Said, e.Bytes = HashOf(content.Salt, content.Bytes), len(content.Bytes)
		if err := t.putContent(e, content); err != nil {
			return 0, err
		}
	}
	if now != nil {
		if e.State, err = t.putRecord(was, now); err != nil {
			return 0, err
		}
	}
	return e.N, t.appendEvent(&e)
}

// eventHash returns n, the number of a handoff's last event, and the hash of that event. WriteChange puts both into the
// next event of the handoff. Package audit follows these links.
func (t *Tx) eventHash(n uint64) (uint64, string, error) {
	b, err := t.w.Get(Events, EncodeNumber(n))
	if err == nil && b == nil {
		err = fmt.Errorf("event %d is missing: %w", n, ErrCorrupt)
	}
	return n, HashOf(b), err
}

// appendEvent appends an event to the registry and to the Merkle tree. It reads about log2(n) rows of the tree. It
// trusts the counter of events: if the counter is too small, appendEvent overwrites an event. Package audit finds a
// wrong counter.
func (t *Tx) appendEvent(e *schemas.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	row, err := ledger.ComputeRow(int64(e.N-1), b, t.TreeRows()) //nolint:gosec // events are counted from 1
	if err != nil {
		return err
	}
	n := EncodeNumber(e.N)
	return cmp.Or(t.w.Put(Events, n, b), t.w.Put(Tree, n, row), t.w.Put(Sys, []byte(EventCountKey), n))
}

// TreeRows returns a function that reads the rows of the Merkle tree. Callers compute hashes and proofs from these
// rows.
func (v *View) TreeRows() ledger.TreeRows {
	return func(n int64) ([]byte, error) { return v.r.Get(Tree, EncodeNumber(n+1)) } // package ledger counts from 0
}

// RawEvents yields the events after number n, in order, as the bytes whose hashes are the leaves of the tree.
func (v *View) RawEvents(n uint64) iter.Seq2[[]byte, error] {
	return decodeRows(v, Range{Space: Events, From: keyAfter(n)}, func(row Row) ([]byte, error) { return bytes.Clone(row.Value), nil })
}

// putRecord writes a record with its index rows and counters, and returns the digest of its bytes.
func (t *Tx) putRecord(was, now *Record) (state string, err error) {
	b, err := EncodeRecord(now)
	if err != nil {
		return "", err
	}
	return HashOf(b), cmp.Or(t.updateIndexRows(was, now), t.updateCounters(was, now), t.w.Put(Records, EncodeNumber(now.ID), b))
}

// updateIndexRows replaces the index rows of the old record, was, by the index rows of the new record, now. It does not
// write unchanged rows, because a commit is cheaper if it touches fewer pages.
func (t *Tx) updateIndexRows(was, now *Record) error {
	var old []IndexRow
	if was != nil {
		old = IndexRowsOf(was)
	}
	for _, e := range IndexRowsOf(now) {
		i := slices.IndexFunc(old, e.HasSameKey)
		if i >= 0 {
			same := bytes.Equal(old[i].Value, e.Value)
			old[i] = old[len(old)-1]
			old = old[:len(old)-1]
			if same {
				continue
			}
		}
		if err := t.w.Put(e.Space, e.Key, e.Value); err != nil {
			return err
		}
	}
	for _, e := range old {
		if err := t.w.Delete(e.Space, e.Key); err != nil {
			return err
		}
	}
	return nil
}

// NewID returns the next id of a handoff. Ids count up from 1. If the transaction is not committed, the id may be
// returned again, or leave a gap. The caller must not show the id before Update returned nil.
func (t *Tx) NewID() (schemas.ID, error) {
	n, err := t.w.Next(Records)
	return schemas.ID(n), err
}
