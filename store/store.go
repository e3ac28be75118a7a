// Package store says what keeping means. A [Backend] keeps rows in order and knows nothing of handoffs;
// [Tx] gives the rows their types and is written once, so that a new engine brings only the rows, and
// check and audit hold for it as they are.
//
// Keys, by [Space]. A word ends with a zero byte; ids, numbers and times are 8 bytes, big-endian, so that
// keys sort as the values do; times are milliseconds since 1970.
//
//	sys         "events"                      → how many events there are
//	records     id                            → Record: where a handoff stands
//	bodies      id, event, chunk (2 bytes)    → what was said with the event, 2,000 bytes a row
//	ready       box, order, id                → it may be claimed from the box
//	wakes       time, id                      → time will change it then
//	by_box      to, id                        → it was addressed so
//	by_sender   from, id                      → time, digest of the content
//	by_holder   agent, 0 or 1 (ended), id     → the agent holds or held it
//	by_workflow workflow, id
//	by_state    status, id
//	by_parent   parent id, id
//	by_origin   SHA-256 of a foreign id, id
//	by_after    id waited for, id
//	agents      agent                         → Agent
//	mailboxes   box                           → Mailbox: counters
//	            "token:" name                 → the same of a token: what was sent with it is pending
//	workflows   workflow                      → Workflow
//	tokens      "n", name                     → Token
//	            "h", SHA-256 of the secret    → name
//	notices     agent, notice                 → Notice
//	unread      agent, notice
//	events      number                        → Event, JSON
//	salts       number                        → the salt of what was said with it
//	tree        number                        → the hashes it completed, see package ledger
//	receipts    "r", request id               → time, digest, outcome of a call, for a day
//	            "k", sender, key              → the same of a send, as long as the store
//	references  address                       → nothing yet: content under its own address
//	words       id                            → the words by which it is found
//	tellings    agent, session                → Told: of what hooks have told it, for a week
//
// A [Record] is small and changes; each change commits together with its [schemas.Event]. Everything said
// is content of an event and never changes; a record names the events whose content is its body, its
// result, its last note. [Entries] gives every index key of a record, so checking is a loop over it.
package store

import (
	"context"
	"iter"
)

// Store is the typed layer over a backend.
type Store struct {
	backend Backend
}

// New puts the typed layer over a backend and takes over closing it.
func New(b Backend) *Store { return &Store{backend: b} }

// View calls fn with one snapshot; see [Backend].
func (s *Store) View(ctx context.Context, fn func(*View) error) error {
	return s.backend.View(ctx, func(r Reader) error { return fn(&View{r}) })
}

// Update calls fn, which may run more than once, and keeps all of its changes or none; see [Backend].
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.backend.Update(ctx, func(w Writer) error { return fn(&Tx{View: View{w}, w: w}) })
}

// Close closes the backend. It may be called twice.
func (s *Store) Close() error { return s.backend.Close() }

// Try runs a part of a transaction that may fail alone: its changes are kept or dropped together, and the
// transaction goes on either way.
func (t *Tx) Try(fn func(*Tx) error) error {
	var o Overlay
	o.Reset(t.w)
	if err := o.Run(func(w Writer) error { return fn(&Tx{View: View{w}, w: w}) }); err != nil {
		return err
	}
	return o.Flush(t.w)
}

// View reads one snapshot.
type View struct {
	r Reader
}

// Tx reads and changes, inside Update.
type Tx struct {
	View
	w Writer
}

// ids yields the ids at the end of the keys of a range.
func (v *View) ids(r Range) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for row, err := range v.r.Scan(r) {
			if err != nil {
				yield(0, err)
				return
			}
			if !yield(lastNumber(row.Key), nil) {
				return
			}
		}
	}
}
