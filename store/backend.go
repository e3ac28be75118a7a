package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
)

// Space is one ordered set of rows. Keys of different spaces never mix.
//
// Package bolt makes the bucket of a new space when it next opens a file. A space is never renamed and never removed,
// because files of older versions have it.
type Space uint8

// The spaces, in the order in which an [Overlay] is flushed. Their numbers live in memory only and may change. Their
// names, from [Space.String], are on disk and never change once released. The package comment lists their contents.
const (
	Sys        Space = iota // facts about the store; the keys "format" and "next/…" belong to the driver
	Records                 // the parts of a handoff that change, by id
	Bodies                  // content, which never changes, in chunks
	Ready                   // handoffs that may be claimed, by box and order
	Wakes                   // handoffs that time will change, by time
	ByBox                   // handoffs by the address they were sent to
	BySender                // handoffs by their sender
	ByHolder                // handoffs by their holder
	ByWorkflow              // handoffs by workflow
	ByState                 // handoffs by state
	ByParent                // handoffs by the handoff they came from
	ByOrigin                // handoffs by the id in a foreign message
	ByAfter                 // handoffs by their dependency, while they are blocked by it
	ByFreed                 // handoffs by a dependency that ended well
	Agents                  // cards of agents, by name
	Mailboxes               // counters of a mailbox, by box
	Workflows               // owners of workflows, by name
	Tokens                  // bearer tokens, by name and by hash
	Notices                 // mail that is read and never claimed, by reader
	Unread                  // notices not yet read, by reader
	Events                  // the audit log, by number
	Salts                   // salts of content digests, by event
	Tree                    // hashes of the Merkle tree, by event
	Receipts                // outcomes of calls, by request id
	References              // content that handoffs refer to, by digest
	Words                   // the words by which a handoff is found
	Deliveries              // items that hooks delivered to client sessions, by agent and session
	Rules                   // other declarations of files than agents, by file
	Touches                 // files that held work touches, by handoff
	Spaces                  // the number of spaces; not a space
)

var spaceNames = [Spaces]string{
	Sys: "sys", Records: "records", Bodies: "bodies", Ready: "ready", Wakes: "wakes",
	ByBox: "by_box", BySender: "by_sender", ByHolder: "by_holder", ByWorkflow: "by_workflow",
	ByState: "by_state", ByParent: "by_parent", ByOrigin: "by_origin", ByAfter: "by_after", ByFreed: "by_freed",
	Agents: "agents", Mailboxes: "mailboxes", Workflows: "workflows", Tokens: "tokens",
	Notices: "notices", Unread: "unread", Events: "events",
	Salts: "salts", Tree: "tree", Receipts: "receipts", References: "references",
	Words: "words", Deliveries: "tellings", Rules: "rules", Touches: "touches",
}

// String returns the name under which a driver keeps s on disk.
func (s Space) String() string {
	if s < Spaces {
		return spaceNames[s]
	}
	return fmt.Sprintf("space(%d)", uint8(s))
}

// MaxKey is the length of the longest key, in bytes, that every engine can keep in order.
const MaxKey = 2048

// Row is one key and its value. The value of a row is never nil, though it may be empty. Both slices belong to the
// driver: the function that receives them may read them until it returns, and must neither change nor keep them.
//
// A caller that needs a row for longer copies it with bytes.Clone. A driver over a mapped file passes the mapped bytes,
// and reading them after the file was unmapped may end the process.
type Row struct{ Key, Value []byte }

// Range is a part of one space: From ≤ key < To, compared byte by byte. A nil From is the beginning of the space and a
// nil To is its end.
//
// An empty From is the beginning of the space, as nil is. An empty To, unlike nil, is before every key, so the range
// has no rows. A range whose From is not before its To has no rows either; this is no error. The slices belong to the
// caller, and the caller does not change them while a scan of the range goes on.
type Range struct {
	Space    Space
	From, To []byte
	Reverse  bool // yield the same rows from the last to the first
}

// Prefix returns the range of all keys of s that begin with p.
func Prefix(s Space, p []byte) Range { return Range{Space: s, From: p, To: PrefixEnd(p)} }

// PrefixEnd returns the smallest key after all keys that begin with p. It returns nil if no key is greater; nil as To
// of a [Range] is the end of the space.
//
// It returns nil for an empty prefix, and for a prefix of 0xff bytes only. The result is a new slice.
func PrefixEnd(p []byte) []byte {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] != 0xff {
			q := bytes.Clone(p[:i+1])
			q[i]++
			return q
		}
	}
	return nil
}

// Reader reads rows, from one snapshot inside View, or inside Update. One goroutine at a time may use it, until the
// function that received it returns.
//
// A reader has no lock of its own and no clock. Writes of others never make a read fail. The errors of its methods are
// [ErrCorrupt] for rows that the driver cannot read, and errors of the system. After an error, the caller returns it
// from its function and stops reading.
type Reader interface {
	// Get returns the value of key in s, or nil if there is no row. Inside Update it holds the row: no other
	// transaction changes it before this Update ends.
	//
	// The value belongs to the driver, as in a [Row]. An empty value is not nil. Every key is allowed: for an empty key
	// and for one longer than [MaxKey] there is no row.
	Get(s Space, key []byte) ([]byte, error)

	// Scan yields the rows of r in bytewise order of their keys. The caller may write while it ranges. The scan yields
	// the rows as they stood when ranging began, so it never yields later writes of the caller. Get, and scans that
	// begin later, see them. An error is yielded once, last.
	//
	// Ranging must end before the function that received the reader returns, also through [iter.Pull2].
	Scan(r Range) iter.Seq2[Row, error]
}

// Writer reads and writes rows inside Update. It sees its own writes.
//
// The Get of an Update sees its writes at once; its scans see writes made before they began. Other callers see them
// after the commit. The order of writes matters only within one key: the last write counts.
type Writer interface {
	Reader

	// Put sets the value of key in s. It keeps neither slice. A nil value means an empty one. It fails when key is
	// empty or longer than [MaxKey].
	//
	// After an error nothing is written for this key. The caller returns the error, and Update then drops all writes.
	Put(s Space, key, value []byte) error

	// Delete removes key from s. A missing key is no error.
	Delete(s Space, key []byte) error

	// Next returns a number greater than zero and greater than all numbers that it returned for s in transactions that
	// were committed. There may be gaps. Two writers at the same time get different numbers, and may commit them in
	// either order.
	//
	// The first number of a space is 1. A transaction that is undone may use up its numbers or not: package bolt
	// returns them again, an engine with sequences does not. So a number proves nothing until its transaction is
	// committed.
	Next(s Space) (uint64, error)
}

// Backend keeps rows in order and does not know their meaning. It is safe for use by many goroutines. A function that
// was given to it must not call it: on an engine with one writer that call never returns.
//
// A driver promises the following, and a row in the table of engines in package storetest proves it:
//
//   - Order: keys sort as bytes, and each space for itself. A scan yields each row once, in order, in either direction.
//   - Isolation: a View sees one moment, an Update sees that moment and its own writes. The Updates read the same
//     rows as if they had run one after another.
//   - Atomicity: all writes of one Update are kept or none, also when the process or the machine ends meanwhile.
//   - Durability: a nil from Update means that the rows survive the end of the process and of the machine. Package
//     memory, which is for tests and trials, does not promise this.
//   - Independence: a call that fails or panics changes nothing for other calls, also those that share its commit.
//
// A driver decides nothing about handoffs. It compares no values, knows no JSON and reads no clock for its rows. [Tx]
// decides about the meaning of rows, about rows that belong together and about deletion. So a driver is complete when
// the suite passes, and a new kind of row needs no change to it.
type Backend interface {
	// View calls fn once, with one snapshot. Updates go on meanwhile, and fn does not see them. A snapshot that is kept
	// long makes some engines grow, so fn takes no more than 50 ms or 1,000 rows; to read more rows, the caller calls
	// View again and continues after the last key. View returns the error of fn unchanged, the error of ctx if ctx was
	// done before fn was called, or [ErrClosed]. A panic of fn passes through to the caller.
	//
	// Fn runs on the goroutine of the caller. The end of ctx does not stop fn while it runs: a long fn checks ctx
	// itself. A View never makes an Update fail and changes nothing, so the caller may repeat it at any time.
	View(ctx context.Context, fn func(Reader) error) error

	// Update calls fn and keeps all of its writes, or none of them when fn returns an error or panics. When Update
	// returns nil, the writes are durable. When fn wrote nothing, nothing is committed. Fn may run more than once, and
	// on another goroutine: it assigns its results at its start and touches nothing else outside. Several calls may
	// share one commit. No call sees writes that did not become durable, and no result depends on them.
	//
	// Update returns the error of fn unchanged, and a panic of fn as a [*Panic]. If ctx is done before fn was started,
	// fn is not run and Update returns the error of ctx; later, Update waits for the outcome. [ErrClosed] and
	// [ErrReadOnly] mean that nothing was kept. Any other error, such as [ErrFull], comes from the commit and does not
	// say whether the writes were kept: the caller reads before it repeats, or makes the repeat harmless.
	//
	// If the process dies before Update returned, its caller does not know whether the writes were kept. They are kept
	// as a whole or not at all. Therefore calls carry a request id whose receipt is a row of the same transaction: the
	// repeated call finds the receipt, or finds none and takes effect.
	//
	// The driver does not repeat a failed commit. All calls that shared it fail with the same error, including calls
	// that only read, because they may have read lost rows. The driver then makes the state known again, for instance
	// by opening its file anew, before it runs the next function. Until it succeeds, Update returns the reason.
	Update(ctx context.Context, fn func(Writer) error) error

	// Close waits for the calls under way, releases the rows and makes later calls return [ErrClosed]. It may be called
	// twice.
	//
	// A call that is still queued is run or gets [ErrClosed]; the driver decides. Acknowledged writes are durable even
	// if Close returns an error. The error is about releasing the rows, and a second call may return it again.
	Close() error
}

// UpdateEach calls fn with each value, in one [Backend].Update, and stops at the first error.
func UpdateEach[T any](ctx context.Context, b Backend, values []T, fn func(Writer, T) error) error {
	return b.Update(ctx, func(w Writer) error {
		for _, v := range values {
			if err := fn(w, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// Inspector is a backend that can check the layout of its rows on the disk.
type Inspector interface {
	// Inspect returns the first faults that it finds, a sentence each. It changes nothing. Updates may have to wait
	// meanwhile.
	Inspect(ctx context.Context) ([]string, error)
}

// Errors of drivers. They arrive wrapped with the file or the row that they are about, so compare with [errors.Is].
var (
	// ErrLocked means that another process holds the store. Nothing was read.
	//
	// The caller may try again: the lock is free as soon as that process has closed the store or has ended.
	ErrLocked = errors.New("the store is held by another process")

	// ErrNewer means that a newer version of this program wrote the store. It was not touched.
	//
	// Trying again does not help, a newer program does. A single record of a newer program is another case:
	// [View.Record] refuses that record and the rest of the store goes on.
	ErrNewer = errors.New("the store was written by a newer version of handoff: update handoff to open it")

	// ErrForeign means that the file is not a store of handoff. It was not touched.
	//
	// A path that is no regular file is foreign as well.
	ErrForeign = errors.New("not a store of handoff")

	// ErrCorrupt means that the store is damaged.
	//
	// It comes when the store is opened, and from any read or write that meets damaged bytes. Nothing is repaired: the
	// text tells a person the next step. Package audit names the damaged rows.
	ErrCorrupt = errors.New("the store is damaged: keep a copy of it and put the latest backup in its place")

	// ErrFull means that there is no space left on the disk. Reading goes on, and writing works again as soon as there
	// is space.
	//
	// Every call that shared the failed commit gets this error, and none of their writes were kept.
	ErrFull = errors.New("no space left for the store")

	// ErrUnwritten means that the disk refused a commit for another reason than space, and none of its writes were
	// kept.
	//
	// Every call that shared the commit gets this error. The caller may try again.
	ErrUnwritten = errors.New("the disk failed, and nothing was changed")

	// ErrUncertain means that the disk refused a commit, and that it is unknown whether the commit was kept.
	//
	// Every call that shared the commit gets this error. Until the disk works again, later calls get it too, both reads
	// and writes. Then a call that is repeated under its request id finds its receipt if the commit was kept.
	ErrUncertain = errors.New("the commit was not confirmed, and it is not known whether this was kept")

	// ErrUnreachable means that the database cannot be reached, or that it ended a call because the database itself
	// stops.
	//
	// The caller may try again: the store works as soon as the database does.
	ErrUnreachable = errors.New("the database cannot be reached")

	// ErrFenced means that another owner took the store over. Nothing was kept.
	//
	// The store is of no more use: all its calls return this error. The caller repeats the call at the new owner.
	ErrFenced = errors.New("another process took the store over")

	// ErrClosed means that the store was closed before the call began.
	//
	// Fn was not run and nothing was changed. The caller may open the store again.
	ErrClosed = errors.New("the store is closed")

	// ErrReadOnly means that the store cannot be written to. Its permissions, the permissions of its directory or a
	// read-only file system forbid it.
	ErrReadOnly = errors.New("the store cannot be written to")
)

// Panic is the error of an Update whose function panicked. Its text does not name the cause: the cause is for the log
// and not for users.
//
// The writes of the function are undone, and the store goes on with the next call. A caller that gets a Panic has met a
// bug of this program: repeating the call most likely panics again.
type Panic struct {
	Value any    // the argument of panic
	Stack []byte // as [runtime/debug.Stack] prints it
}

// Error implements error.
func (*Panic) Error() string { return "an unexpected fault stopped the operation: nothing was changed" }
