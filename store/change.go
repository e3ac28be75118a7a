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

// Content is the text or data of an event: its bytes, at most 131 MB, and the salt of its digest. When content is
// erased later, its salt is erased too: then the digest no longer proves anything about the erased content.
//
// Bytes is JSON, see [EncodeContent]; the store does not look into it. Salt is random and made by the caller. It prevents
// guessing short content from its digest. An event without content has neither.
type Content struct {
	Bytes []byte
	Salt  []byte
}

// EncodeContent encodes the content of an event, under a random salt that newID makes. A [Content] is returned as it is,
// and nil gives the zero Content.
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

// WriteChange writes a record together with the event that changed it and the content of that event, and returns the number
// of the event. Was is the record as this transaction read it, nil for a new one. Now is the record after the change,
// nil for an event that changes no record; Change sets its Event to the new number. The caller fills in the other
// fields of e; Change sets its number, digests and links, and takes its handoff from now. The error is [schemas.Limit]
// for content that is too large. It wraps [ErrCorrupt] if the store lacks the event that was names as the last event of
// its handoff.
//
// It writes in this order, all in the same transaction: content and salt, index rows, counters, record, event, tree
// row, and the count of events. The number of the event is one above the last, without gaps, so two changes of a store
// never happen side by side. Was must be the record that this transaction read: Change finds index rows by comparing
// was and now, so a stale record would leave rows behind. Change does not modify was. In now it sets only Event and
// Schema.
//
// Change is not idempotent: repeating it makes another event. Callers repeat whole calls by their request id instead.
// An event without a record, for example the refusal of a name that the caller may not use, keeps the Handoff that the
// caller set, and has no State.
func (t *Tx) WriteChange(was, now *Record, e schemas.Event, content Content) (uint64, error) {
	if err := schemas.TooBig("content", len(content.Bytes), maxContent); err != nil {
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

// eventHash returns n, the number of a handoff's last event, and its hash.
//
// Change puts both into the new event, so each event names the previous event of the same handoff with its hash.
// Package audit follows these links.
func (t *Tx) eventHash(n uint64) (uint64, string, error) {
	b, err := t.w.Get(Events, EncodeNumber(n))
	if err == nil && b == nil {
		err = fmt.Errorf("event %d is missing: %w", n, ErrCorrupt)
	}
	return n, HashOf(b), err
}

// appendEvent appends to the registry and to its tree.
//
// It costs about log2(n) reads of the tree. If the counter is too small, appendEvent overwrites the event of that number;
// package audit finds a wrong counter.
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

// TreeRows returns the rows of the tree, from which hashes and proofs are computed. It does not compare them with the
// events: package audit does.
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
	if err := t.updateIndexRows(was, now); err != nil {
		return "", err
	}
	if err := t.updateCounters(was, now); err != nil {
		return "", err
	}
	return HashOf(b), t.w.Put(Records, EncodeNumber(now.ID), b)
}

// updateIndexRows writes the index rows of now that are new or differ, and deletes the index rows of was that now does not
// have.
//
// A row is deleted only if now has no row under the same key, and a row whose value did not change is not written
// again. A commit is cheaper if it touches fewer pages.
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

// NewID returns the next id of a handoff. Ids count up from 1. If a transaction is not committed, its id may be
// returned again or be left out for ever, depending on the engine.
//
// The id is taken inside the transaction that creates the handoff, so a dropped transaction leaves at most a gap. The
// caller must not show the id before Update returned nil.
func (t *Tx) NewID() (schemas.ID, error) {
	n, err := t.w.Next(Records)
	return schemas.ID(n), err
}
