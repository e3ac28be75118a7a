// Package store keeps handoffs, in two layers. A [Backend] keeps rows in order and does not know handoffs. [View] and
// [Tx] give the rows their types. They are the same for all engines. So a new engine implements only [Backend], and
// packages audit and travel work with it unchanged.
//
// Keys and values, by [Space]. A text in a key ends with a zero byte. Ids, numbers and times are 8 bytes, big-endian,
// so that keys sort as the values do. Times are milliseconds since 1970.
//
//	sys         "events"                      → how many events there are
//	            "declared"                    → digest of the latest declaration of agents and rules in files
//	            "copy"                        → the place to which all rows were copied, see package travel
//	            "ruled"                       → HourlyRuleSends: handoffs that time rules sent in one hour
//	            "uncut"                       → progress of a correction of times, see View.TimeCorrectionCursor
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
//	by_origin   SHA-256 of a foreign id, or of an id in another workspace, id
//	by_after    id of a dependency, id        → the handoff waits for the dependency
//	by_freed    id of a dependency, id        → the handoff waited for it until it ended well
//	agents      agent                         → Agent
//	mailboxes   box                           → Counters
//	            "token:" name                 → counters of a bearer token: pending handoffs sent with it
//	workflows   workflow                      → Workflow
//	tokens      "n", name                     → Token
//	            "h", SHA-256 of the secret    → name
//	notices     agent, notice                 → Notice
//	unread      agent, notice                 → the handoff that the notice is about, zero for a message
//	events      number                        → Event, JSON
//	salts       number                        → the salt of the event's content
//	tree        number                        → the hashes that the event completed, see package ledger
//	receipts    "r", request id               → time, digest, outcome of a call, for a day
//	            "k", sender, key              → the same for a send, as long as the store exists
//	references  SHA-256, chunk (2 bytes)      → content that handoffs refer to, 2,000 bytes a row
//	words       id                            → the words by which the handoff is found
//	rules       file                          → DeclaredRules
//	touches     id                            → TouchedFiles: files that the work on a handoff touches
//	tellings    agent, session                → DeliveredItems: items that hooks delivered to the session, for a week
//
// A [Record] is small and changes. Each change is committed together with its [schemas.Event]. Texts of people and
// agents are the content of events, which only a redaction changes. A record has the numbers of the events whose
// content is its body, its result and its last note. [IndexRowsOf] returns all index rows of a record, so a check
// compares its result with the stored rows.
//
// Writers and lifetime of each row:
//
//   - [Tx.WriteChange] alone writes events, salts, tree, bodies and records, all in one transaction. These rows stay: an
//     ended handoff stays with its history. Only [RowTx.RedactContent] replaces rows in bodies, and deletes the row in
//     salts. Package travel writes rows of all spaces, into an empty store.
//   - [Tx.WriteChange] writes and deletes ready, wakes and the by_ spaces, as the difference of [IndexRowsOf] before
//     and after. They hold only data of the record, so they can be computed again.
//   - [Tx.WriteChange], [RowTx.AddNotice] and [RowTx.MarkNoticesRead] keep the counters in mailboxes. A row whose counters
//     are all zero is deleted.
//   - [RowTx.PutAgent] and [RowTx.PutWorkflow] replace agents and workflows. These rows stay.
//   - [RowTx.PutDeclaredRules] writes rules when a file is read, and deletes them with the file. [RowTx.PutDeclarationDigest]
//     replaces the digest with each declaration.
//   - [RowTx.PutToken] writes tokens. The row of a revoked or expired token stays, and its fields say that it is revoked
//     or expired.
//   - [RowTx.AddNotice] writes notices. They stay, unless [RowTx.RecallNotice] deletes one. [RowTx.MarkNoticesRead] deletes
//     their row in unread.
//   - [Tx.DeleteOldReceipts] deletes receipts of request ids, a few with each call that writes one. Receipts of keys
//     stay.
//   - [RowTx.PutReference] writes references, each content once, and [RowTx.DeleteReference] deletes them when they are
//     redacted.
//   - [RowTx.PutWords] writes words when a handoff is sent, and [RowTx.AddWords] adds to them.
//   - [RowTx.PutTouchedFiles] writes the row of a handoff in touches at its claim, its reports and its completion.
//     [RowTx.DeleteTouchedFiles] deletes it when the claim ends in another way. The row of a completed handoff goes when
//     a later claim, report or completion no longer compares it.
//   - [RowTx.PutDeliveredItems] replaces tellings, and [RowTx.DeleteOldDeliveries] deletes them after their session had no
//     delivery for a while.
//
// A new version of this program does not rewrite existing rows. A program keeps the fields of a record that it does not
// know. So an older program can change the records of a newer program, if their schema number is not above its own. A
// version whose rows an older program could not read raises the schema number of the record, or the format of the file.
// The older program then refuses, with a sentence that says to update.
//
// This package returns errors of the backend, wrapped with the name of the row, and [ErrCorrupt] for a row that no
// version could have written. Only two errors are a [schemas.Error] with a code: limit for content that is too large,
// and unavailable for a record of a newer program. [CodedError] gives all other errors their codes and sentences.
//
// # Rows beneath their types
//
// Package audit compares rows with each other, and package travel copies them to another store. Both read rows with
// [View.RawRows], and encode rows with the functions that this package uses too: [EncodeNumber], [SplitIntoChunks],
// [EncodeRecord], [IndexRowsOf], [CountersOf], [UnreadRow], [Token.HashRow] and [Receipt.Encode].
//
// # Decisions
//
// The number of events is a row, which is written in the transaction of each event. Numbers of the engine may have
// gaps, and an audit could not tell a gap from a deleted event.
//
// Content that handoffs refer to is stored once, even if many handoffs refer to it. A handoff has the digest of this
// content, so the event of the handoff proves the content too. A retry refers to the same content, without another
// copy. A redaction deletes the content for all handoffs, because a secret must not remain anywhere.
//
// A search reads one row of words for each handoff, newest first. One answer looks at 1,000 handoffs and returns a
// cursor. An inverted index would cost each send many rows.
package store

import "context"

// Store is the typed layer over a backend. It is safe for use by many goroutines. It keeps no state in addition to the
// rows of the backend, starts no goroutine and reads no clock.
type Store struct {
	backend Backend
	agents  agentCache
}

// New returns the typed layer over a backend. Closing the store closes the backend.
func New(b Backend) *Store { return &Store{backend: b} }

// View calls fn once, with one snapshot. Fn takes no more than 50 ms or 1,000 rows. Errors and panics are as in
// [Backend].View. A view changes nothing, so it may be repeated.
//
// Fn assigns its results to variables outside. The caller may keep decoded values of the methods of [View], but not the
// iterators, because they read during ranging.
func (s *Store) View(ctx context.Context, fn func(*View) error) error {
	return s.backend.View(ctx, func(r Reader) error { return fn(&View{r, &s.agents}) })
}

// Update calls fn in a transaction. It keeps all changes of fn, or none if fn returns an error or panics. Fn may run
// more than once. So each run of fn sets its results anew, without adding to earlier values, and fn changes no other
// variable outside. [Backend].Update lists the errors.
//
// Callers read the clock before the call, so that a second run of fn decides by the same time. On packages bolt and
// memory only one fn runs at a time, so fn does not wait, read files or use the network.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.backend.Update(ctx, func(w Writer) error { return fn(newTx(w, &s.agents)) })
}

// Inspect implements [Inspector]. It returns no faults if the engine is no Inspector.
func (s *Store) Inspect(ctx context.Context) (faults []string, err error) {
	if i, can := s.backend.(Inspector); can {
		return i.Inspect(ctx)
	}
	return nil, nil
}

// Close finishes the running calls and closes the backend. Later calls return [ErrClosed]. It may be called twice.
func (s *Store) Close() error { return s.backend.Close() }

// TryPart runs a part of a transaction that may fail alone. If fn returns an error or panics, TryPart drops the changes
// of fn and returns the error, or the panic as a [*Panic]. All other changes of the transaction stay. Parts may be
// nested.
//
// The clock uses TryPart: if the change of one handoff fails, the changes of other handoffs stay. A later part may get
// the ids and numbers of a failed part.
func (t *Tx) TryPart(fn func(*Tx) error) error {
	o := NewOverlay(t.w)
	if err := o.Run(func(w Writer) error { return fn(newTx(w, t.agents)) }); err != nil {
		return err
	}
	return o.Flush(t.w)
}

// View reads one snapshot, or inside Update the state of the transaction. One goroutine at a time may use it, until the
// function that received it returns. The caller owns the results. Errors are errors of the backend, [ErrCorrupt], or
// decoding errors.
//
// A missing row is no error: a method returns nil or the zero value. An iterator yields the rows of the moment at which
// ranging began. It yields an error once, with a zero value, and then ends.
type View struct {
	r      Reader
	agents *agentCache
}

// RawRows returns the reader of the raw rows, for packages audit and travel. Other callers use the methods of the View.
func (v *View) RawRows() Reader { return v.r }

// Tx reads and changes rows inside Update. Its reads see its own changes at once. Its methods check no rule: package
// mailbox decides before whether an action is allowed. If a method returns an error, the caller returns the error from
// its function, so that the whole transaction is dropped.
type Tx struct{ RowTx }

func newTx(w Writer, agents *agentCache) *Tx { return &Tx{RowTx{&View{w, agents}, w}} }

// RowTx is the part of a [Tx] that reads all rows, and writes rows without changing a record or adding an event.
type RowTx struct {
	*View
	w Writer
}
