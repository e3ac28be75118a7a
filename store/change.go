package store

import (
	"bytes"
	"encoding/json"
	"fmt"

	"handoff/schemas"
	"handoff/store/ledger"
)

// Content is what is said with an event: its bytes, and the salt of its digest. Erasing the salt later
// makes the erased content unprovable.
type Content struct {
	Bytes []byte
	Salt  []byte
}

// Change keeps a record together with the event that changed it and what was said. Was is the record as
// it was read, nil for a new one; now gets the number of the event. An event that changes no record has a
// nil now. The number, digests and links of the event are filled in here, and its handoff if there is one.
func (t *Tx) Change(was, now *Record, e schemas.Event, said Content) (uint64, error) {
	if err := schemas.TooBig("content", len(said.Bytes), maxSaid); err != nil {
		return 0, err
	}
	n, err := t.Events()
	if err != nil {
		return 0, err
	}
	e.N = n + 1
	if now != nil {
		e.Handoff, now.Event = now.ID, e.N
	}
	if was != nil {
		if e.Before, e.Prev, err = t.before(was.Event); err != nil {
			return 0, err
		}
	}
	if len(said.Bytes) > 0 {
		e.Said, e.Bytes = digest(said.Salt, said.Bytes), len(said.Bytes)
		if err := t.say(e, said); err != nil {
			return 0, err
		}
	}
	if now != nil {
		if e.State, err = t.putRecord(was, now); err != nil {
			return 0, err
		}
	}
	return e.N, t.addEvent(&e)
}

// before names a handoff's event before and gives its hash.
func (t *Tx) before(n uint64) (uint64, string, error) {
	b, err := t.w.Get(Events, number(n))
	if err == nil && b == nil {
		err = fmt.Errorf("event %d is missing: %w", n, ErrCorrupt)
	}
	return n, digest(b), err
}

// addEvent appends to the registry and to its tree.
func (t *Tx) addEvent(e *schemas.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	row, err := ledger.Row(int64(e.N-1), b, t.treeRow) //nolint:gosec // events are counted from 1
	if err != nil {
		return err
	}
	if err := t.w.Put(Events, number(e.N), b); err != nil {
		return err
	}
	if err := t.w.Put(Tree, number(e.N), row); err != nil {
		return err
	}
	return t.w.Put(Sys, eventCount, number(e.N))
}

func (v *View) treeRow(n int64) ([]byte, error) { return v.r.Get(Tree, number(n+1)) }

// putRecord writes a record with its index rows and counters, and gives the digest of its bytes.
func (t *Tx) putRecord(was, now *Record) (state string, err error) {
	b, err := encodeRecord(now)
	if err != nil {
		return "", err
	}
	if err := t.putEntries(was, now); err != nil {
		return "", err
	}
	if err := t.recount(was, now); err != nil {
		return "", err
	}
	return digest(b), t.w.Put(Records, number(now.ID), b)
}

// putEntries writes the index rows that are new or differ, and deletes those that are gone.
func (t *Tx) putEntries(was, now *Record) error {
	var old []Entry
	if was != nil {
		old = Entries(was)
	}
	for _, e := range Entries(now) {
		i := indexOf(old, e)
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

func indexOf(es []Entry, e Entry) int {
	for i := range es {
		if es[i].Space == e.Space && bytes.Equal(es[i].Key, e.Key) {
			return i
		}
	}
	return -1
}

// NewID gives the next handoff id.
func (t *Tx) NewID() (schemas.ID, error) {
	n, err := t.w.Next(Records)
	return schemas.ID(n), err
}
