// Package store keeps handoffs, in two layers. A [Backend] keeps rows in order and knows nothing of handoffs. [View]
// and [Tx] give the rows their types. They are written once, above every engine, so a new engine brings only rows, and
// packages audit and travel hold for it as they are.
//
// Keys and values, by [Space]. A text in a key ends with a zero byte. Ids, numbers and times are 8 bytes, big-endian,
// so that keys sort as the values do. Times are milliseconds since 1970.
//
//	sys         "events"                      → how many events there are
//	            "declared"                    → digest of the files that declared agents and rules last
//	            "copy"                        → where everything was copied to, see package travel
//	            "ruled"                       → Ruled: what rules sent because of time in the last such hour
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
//	by_origin   SHA-256 of a foreign id, or of what a handoff was in another workspace, id
//	by_after    id waited for, id
//	by_freed    id that was waited for until it was done, id
//	agents      agent                         → Agent
//	mailboxes   box                           → Mailbox: counters
//	            "token:" name                 → the same of a bearer token: pending handoffs sent with it
//	workflows   workflow                      → Workflow
//	tokens      "n", name                     → Token
//	            "h", SHA-256 of the secret    → name
//	notices     agent, notice                 → Notice
//	unread      agent, notice → the handoff that tells the same, zero for a message
//	events      number                        → Event, JSON
//	salts       number                        → the salt of the event's content
//	tree        number                        → the hashes that the event completed, see package ledger
//	receipts    "r", request id               → time, digest, outcome of a call, for a day
//	            "k", sender, key              → the same of a send, as long as the store exists
//	references  SHA-256, chunk (2 bytes)      → content that handoffs refer to, 2,000 bytes a row
//	words       id                            → the words by which the handoff is found
//	rules       file                          → DeclaredRules
//	touches     id                            → Touch: files that held work touches
//	tellings    agent, session                → Delivered: what hooks delivered to the session, for a week
//
// A [Record] is small and changes. Each change is committed together with its [schemas.Event]. What people and agents
// say is content of an event and never changes: a record names the events whose content is its body, its result, its
// last note. [Entries] returns all index keys of a record, so a check is a loop over it.
//
// Who writes a row, and when it goes:
//
//   - events, salts, tree, bodies and records are written by [Tx.Change] alone, all in one transaction. No code deletes
//     them: a handoff that has ended stays, and its history with it. Package travel writes rows of all spaces, into a
//     store that has none.
//   - ready, wakes and the by_ spaces are written and deleted by [Tx.Change], as the difference of [Entries] before and
//     after. They hold nothing that is not in the record, so they could be computed again.
//   - mailboxes are counters that [Tx.Change], [Tx.Notify] and [Tx.MarkRead] keep. A row whose counters are all zero is
//     deleted.
//   - agents and workflows are replaced by [Tx.PutAgent] and [Tx.PutWorkflow], and stay.
//   - rules are written by [Tx.PutRules] as a file is read, and deleted with the file. [Tx.PutDeclared] replaces the
//     digest with each declaration.
//   - tokens are written by [Tx.PutToken]. A token that is revoked or expired stays and says so.
//   - notices are written by [Tx.Notify] and stay, unless [Tx.Recall] takes one back. Their row in unread goes when
//     [Tx.MarkRead] marks them.
//   - receipts of request ids are deleted by [Tx.ExpireReceipts], a few with each call that writes one. Receipts of
//     keys stay.
//   - references are written by [Tx.PutReference], each content once, and deleted by [Tx.DeleteReference] when they are redacted.
//   - words are written by [Tx.PutWords] when a handoff is sent, and [Tx.AddWords] adds to them.
//   - touches are written by [Tx.PutTouch] with a claim, a report and a completion, and deleted by [Tx.DeleteTouch] at the
//     next of these of anybody, when nobody needs them.
//   - tellings are replaced by [Tx.PutDelivered], and deleted by [Tx.ForgetDelivered] when their session delivered
//     nothing for a while.
//
// An upgrade changes no row in place. A record keeps the fields that this program does not know, so an older program
// may go on with the records of a newer one as long as their schema number is not above its own. A change that an older
// program could not read raises the schema number of the record, or the format of the file, and the older program then
// refuses with a sentence that says to update.
//
// Errors of this package are those of the backend, wrapped with the row that they are about, or [ErrCorrupt] for a row
// that cannot be what was written. Only content that is too large and a record of a newer program are
// [schemas.Error] with a code: limit and unavailable. [Coded] gives the others their codes, each with a sentence of its
// own.
//
// # Rows beneath their types
//
// Package audit compares rows with each other, and package travel takes them elsewhere. Both read them by [View.Rows], and
// build them by the functions that also write them here: [Number], [Chunks], [EncodeRecord], [Entries], [Shares],
// [UnreadEntry], [Token.HashEntry] and [Receipt.Encode].
//
// # Decisions
//
// Events are counted by a row of the same transaction. The engine's own counters may leave gaps, and no audit could
// tell a gap from a deletion.
//
// Content that handoffs refer to has no owner and is kept once, however many refer to it. A handoff has its digest,
// so its event proves the content too, and a retry carries it along for nothing. A redaction deletes it for all that
// refer to it, because a secret is one wherever it stands.
//
// A search reads one row of words for each handoff, newest first, and one answer looks at 1,000 handoffs and gives a
// cursor. An inverted index would cost each send many rows.
package store

import "context"

// Store is the typed layer over a backend. It is safe for use by many goroutines.
//
// It has no state of its own beside the backend: two stores over one backend see the same. It starts no goroutine and
// reads no clock.
type Store struct {
	backend Backend
	agents  agentCache
}

// New puts the typed layer over a backend. Closing the store closes the backend.
func New(b Backend) *Store { return &Store{backend: b} }

// View calls fn once, with one snapshot. Fn takes no more than 50 ms or 1,000 rows. Errors and panics are as at
// [Backend].View; nothing is changed by a view, so it may always be repeated.
//
// A result that is used after fn returned is assigned to a variable outside. What the methods of [View] return is
// decoded or copied, so it may be kept; only iterators may not, because they read while they are ranged over.
func (s *Store) View(ctx context.Context, fn func(*View) error) error {
	return s.backend.View(ctx, func(r Reader) error { return fn(&View{r, &s.agents}) })
}

// Update calls fn in a transaction and keeps all of its changes, or none when fn returns an error or panics. Fn may run
// more than once: it assigns its results at its start and touches nothing else outside. Which errors mean that nothing
// was kept, and which leave it open, is said at [Backend].Update.
//
// Callers take the time before they call it, so that a second run of fn decides by the same time. Many goroutines may
// call it at once; they run one after another on package bolt and memory, and calls that wait share a commit on package
// bolt. So fn does no work that could be done before: it neither waits nor reads files nor talks to anybody.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.backend.Update(ctx, func(w Writer) error { return fn(&Tx{View: View{w, &s.agents}, w: w}) })
}

// Inspect implements [Inspector]. It gives nothing where the engine is none.
func (s *Store) Inspect(ctx context.Context) (faults []string, err error) {
	if i, can := s.backend.(Inspector); can {
		return i.Inspect(ctx)
	}
	return nil, nil
}

// Close closes the backend. It may be called twice.
//
// Calls that came before are finished first; later ones get [ErrClosed].
func (s *Store) Close() error { return s.backend.Close() }

// Try runs a part of a transaction that may fail alone. When fn returns an error or panics, the changes of fn are
// dropped, Try returns that error (a panic as a [*Panic]), and the transaction goes on with all its other changes.
//
// The part sees the changes of the transaction so far, and the transaction sees those of the part once Try returned
// nil. Parts may be nested. Numbers that the part took may be given again after it failed. The clock uses it: one
// handoff whose change fails must not keep the others from theirs.
func (t *Tx) Try(fn func(*Tx) error) error {
	var o Overlay
	o.Reset(t.w)
	if err := o.Run(func(w Writer) error { return fn(&Tx{View: View{w, t.agents}, w: w}) }); err != nil {
		return err
	}
	return o.Flush(t.w)
}

// View reads one snapshot, or inside Update what the transaction sees. One goroutine at a time may use it, and nobody
// after the function that received it has returned. What its methods return belongs to the caller. Their errors are
// those of the backend, or wrap [ErrCorrupt] or a decoding error for a row that cannot be read.
//
// A row that is not there is never an error: a method that returns a pointer returns nil, one that returns a value
// returns its zero value. Iterators yield an error once, with a zero value, and then end. The rows that an iterator
// yields are those of the moment at which ranging began, also inside Update.
type View struct {
	r      Reader
	agents *agentCache
}

// Rows are the rows as they are kept, for packages audit and travel. Others read what the methods of the View return.
func (v *View) Rows() Reader { return v.r }

// Tx reads and changes, inside Update. What it changed is seen by its own reads, and by others after the commit.
//
// None of its methods checks a rule: whether an action is allowed, who may do it and what follows is decided before, in
// package mailbox. After an error the caller returns it, so that the whole transaction is dropped.
type Tx struct {
	View
	w Writer
}
