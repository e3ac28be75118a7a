// Package store keeps handoffs, in two layers. A [Backend] keeps rows in order and knows nothing of handoffs. [View]
// and [Tx] give the rows their types. They are written once, above every engine, so a new engine brings only rows, and
// [Store.Check] and [Store.Audit] hold for it as they are.
//
// Keys and values, by [Space]. A text in a key ends with a zero byte. Ids, numbers and times are 8 bytes, big-endian,
// so that keys sort as the values do. Times are milliseconds since 1970.
//
//	sys         "events"                      → how many events there are
//	records     id                            → Record: the state of a handoff
//	bodies      id, event, chunk (2 bytes)    → content of the event, 2,000 bytes a row
//	ready       box, order, id                → the handoff may be claimed from the box
//	wakes       time, id                      → time will change the handoff then
//	by_box      to, id                        → the handoff was sent to this address
//	by_sender   from, id                      → time, digest of the content
//	by_holder   agent, 0 or 1 (ended), id     → the agent holds or held it
//	by_workflow workflow, id
//	by_state    status, id
//	by_parent   parent id, id
//	by_origin   SHA-256 of a foreign id, id
//	by_after    id waited for, id
//	agents      agent                         → Agent
//	mailboxes   box                           → Mailbox: counters
//	            "token:" name                 → the same of a bearer token: pending handoffs sent with it
//	workflows   workflow                      → Workflow
//	tokens      "n", name                     → Token
//	            "h", SHA-256 of the secret    → name
//	notices     agent, notice                 → Notice
//	unread      agent, notice
//	events      number                        → Event, JSON
//	salts       number                        → the salt of the event's content
//	tree        number                        → the hashes that the event completed, see package ledger
//	receipts    "r", request id               → time, digest, outcome of a call, for a day
//	            "k", sender, key              → the same of a send, as long as the store exists
//	references                                empty; reserved for content under its own address
//	words       id                            → the words by which the handoff is found
//	tellings    agent, session                → Delivered: what hooks delivered to the session, for a week
//
// A [Record] is small and changes. Each change is committed together with its [schemas.Event]. What people and agents
// say is content of an event and never changes: a record names the events whose content is its body, its result, its
// last note. [Entries] returns all index keys of a record, so a check is a loop over it.
package store

import "context"

// Store is the typed layer over a backend. It is safe for use by many goroutines.
type Store struct {
	backend Backend
}

// New puts the typed layer over a backend. Closing the store closes the backend.
func New(b Backend) *Store { return &Store{backend: b} }

// View calls fn once, with one snapshot. Fn takes no more than 50 ms or 1,000 rows. Errors and panics are as at
// [Backend].View; nothing is changed by a view, so it may always be repeated.
func (s *Store) View(ctx context.Context, fn func(*View) error) error {
	return s.backend.View(ctx, func(r Reader) error { return fn(&View{r}) })
}

// Update calls fn in a transaction and keeps all of its changes, or none when fn returns an error or panics. Fn may run
// more than once: it assigns its results at its start and touches nothing else outside. Which errors mean that nothing
// was kept, and which leave it open, is said at [Backend].Update.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.backend.Update(ctx, func(w Writer) error { return fn(&Tx{View: View{w}, w: w}) })
}

// Close closes the backend. It may be called twice.
func (s *Store) Close() error { return s.backend.Close() }

// Try runs a part of a transaction that may fail alone. When fn returns an error or panics, the changes of fn are
// dropped, Try returns that error (a panic as a [*Panic]), and the transaction goes on with all its other changes.
func (t *Tx) Try(fn func(*Tx) error) error {
	var o Overlay
	o.Reset(t.w)
	if err := o.Run(func(w Writer) error { return fn(&Tx{View: View{w}, w: w}) }); err != nil {
		return err
	}
	return o.Flush(t.w)
}

// View reads one snapshot, or inside Update what the transaction sees. One goroutine at a time may use it, and nobody
// after the function that received it has returned. What its methods return belongs to the caller. Their errors are
// those of the backend, or wrap [ErrCorrupt] or a decoding error for a row that cannot be read.
type View struct {
	r Reader
}

// Tx reads and changes, inside Update. What it changed is seen by its own reads, and by others after the commit.
type Tx struct {
	View
	w Writer
}
