package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
)

// Space is one ordered set of rows. Keys of different spaces never mix.
type Space uint8

// The spaces, in the order in which an [Overlay] is flushed. Their numbers live in memory only and may change. Their
// names, from [Space.String], are on disk and never change once released. What each holds is in the package comment.
const (
	Sys        Space = iota // facts about the store; the keys "format" and "next/…" belong to the driver
	Records                 // what changes about a handoff, by id
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
	ByAfter                 // handoffs by the handoff they wait for
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
	References              // empty; reserved for content under its own address
	Words                   // the words by which a handoff is found
	Deliveries              // what hooks delivered to sessions, by agent and session
	Spaces                  // the number of spaces; not a space
)

var spaceNames = [Spaces]string{
	Sys: "sys", Records: "records", Bodies: "bodies", Ready: "ready", Wakes: "wakes",
	ByBox: "by_box", BySender: "by_sender", ByHolder: "by_holder", ByWorkflow: "by_workflow",
	ByState: "by_state", ByParent: "by_parent", ByOrigin: "by_origin", ByAfter: "by_after",
	Agents: "agents", Mailboxes: "mailboxes", Workflows: "workflows", Tokens: "tokens",
	Notices: "notices", Unread: "unread", Events: "events",
	Salts: "salts", Tree: "tree", Receipts: "receipts", References: "references",
	Words: "words", Deliveries: "tellings",
}

// String is the name under which a driver keeps s on disk.
func (s Space) String() string {
	if s < Spaces {
		return spaceNames[s]
	}
	return fmt.Sprintf("space(%d)", uint8(s))
}

// MaxKey is the longest key, in bytes, that every engine can keep in order.
const MaxKey = 2048

// Row is one key and its value. The value of a row is never nil, though it may be empty. Both slices belong to the
// driver: the function that receives them may read them until it returns, and must neither change nor keep them.
type Row struct{ Key, Value []byte }

// Range is a part of one space: From ≤ key < To, compared byte by byte. A nil From is the beginning of the space and a
// nil To is its end.
type Range struct {
	Space    Space
	From, To []byte
	Reverse  bool // yield the same rows from the last to the first

	// Hold passes over rows that another transaction holds, and holds the rows that it yields until this transaction
	// ends. A driver with one writer ignores it: there is no other transaction.
	Hold bool
}

// Prefix is the range of all keys of s that begin with p.
func Prefix(s Space, p []byte) Range { return Range{Space: s, From: p, To: After(p)} }

// After is the smallest key beyond all keys that begin with p. It is nil when there is no such key; as To of a [Range]
// that is the end of the space.
func After(p []byte) []byte {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] != 0xff {
			q := bytes.Clone(p[:i+1])
			q[i]++
			return q
		}
	}
	return nil
}

// Reader reads rows, from one snapshot inside View, or inside Update. One goroutine at a time may use it, and nobody
// after the function that received it has returned.
type Reader interface {
	// Get returns the value of key in s, or nil when there is no such row. Inside Update it holds the row: no other
	// transaction changes it before this Update ends.
	Get(s Space, key []byte) ([]byte, error)

	// Scan yields the rows of r in bytewise order of their keys. The caller may write while it ranges. The scan yields
	// the rows as they stood when ranging began, so it never meets what the caller writes meanwhile; Get, and scans
	// that begin later, do. An error is yielded once, last.
	//
	// Ranging must end before the function that received the reader returns, also through [iter.Pull2]. Inside Update,
	// on an engine with several writers, a row that was read neither by Get nor by a scan with Hold may be stale: the
	// caller must not decide by it.
	Scan(r Range) iter.Seq2[Row, error]
}

// Writer reads and writes rows inside Update. It reads what it wrote.
type Writer interface {
	Reader

	// Put sets the value of key in s. It keeps neither slice. A nil value means an empty one. It fails when key is
	// empty or longer than [MaxKey].
	Put(s Space, key, value []byte) error

	// Delete removes key from s. A key that is not there is no error.
	Delete(s Space, key []byte) error

	// Next returns a number greater than zero and greater than all numbers that it returned for s in transactions that
	// were committed. There may be gaps. Two writers at the same time get different numbers, and may commit them in
	// either order.
	Next(s Space) (uint64, error)
}

// Backend keeps rows in order and knows nothing of what they mean. It is safe for use by many goroutines. A function
// that was given to it must not call it: on an engine with one writer that never returns.
type Backend interface {
	// View calls fn once, with one snapshot. Updates go on meanwhile, and fn does not see them. A snapshot that is kept
	// long makes some engines grow, so fn takes no more than 50 ms or 1,000 rows; for more, its caller calls View again
	// and goes on after the last key. View returns the error of fn unchanged, the error of ctx if ctx was done before
	// fn was called, or [ErrClosed]. A panic of fn goes through to the caller.
	View(ctx context.Context, fn func(Reader) error) error

	// Update calls fn and keeps all of its writes, or none of them when fn returns an error or panics. When Update
	// returns nil, the writes are durable. When fn wrote nothing, nothing is committed. Fn may run more than once, and
	// on another goroutine: it assigns its results at its start and touches nothing else outside. Several calls may
	// share one commit. No call sees writes that did not become durable, and no result depends on them.
	//
	// Update returns the error of fn unchanged, and a panic of fn as a [*Panic]. When ctx is done before fn was
	// started, fn is not run and Update returns the error of ctx; later, Update waits for the outcome. [ErrClosed] and
	// [ErrReadOnly] mean that nothing was kept. Any other error, such as [ErrFull], comes from the commit and leaves
	// open whether the writes were kept: the caller reads before it repeats, or makes repeating harmless.
	Update(ctx context.Context, fn func(Writer) error) error

	// Close waits for the calls that are under way, releases the rows and makes later calls return [ErrClosed]. It may
	// be called twice.
	Close() error
}

// Errors of drivers. They arrive wrapped with the file or the row that they are about, so compare with [errors.Is].
var (
	// ErrLocked means that another process holds the store. Nothing was read.
	ErrLocked = errors.New("the store is held by another process")

	// ErrNewer means that a newer version of this program wrote the store. It was not touched.
	ErrNewer = errors.New("the store was written by a newer version of handoff: update handoff to open it")

	// ErrForeign means that the file is not a store of handoff. It was not touched.
	ErrForeign = errors.New("not a store of handoff")

	// ErrCorrupt means that the store is damaged.
	ErrCorrupt = errors.New("the store is damaged: keep a copy of it and put the latest backup in its place")

	// ErrFull means that there is no space left on the disk. Reading goes on, and writing works again as soon as there
	// is space.
	ErrFull = errors.New("no space left for the store")

	// ErrClosed means that the store was closed before the call began.
	ErrClosed = errors.New("the store is closed")

	// ErrReadOnly means that the store cannot be written to: its permissions, those of its directory or a file system
	// that is mounted read-only forbid it.
	ErrReadOnly = errors.New("the store cannot be written to")
)

// Panic is the error of an Update whose function panicked. Its text does not name the cause, which is for the log and
// not for users.
type Panic struct {
	Value any    // the argument of panic
	Stack []byte // as [runtime/debug.Stack] prints it
}

// Error implements error.
func (*Panic) Error() string { return "an unexpected fault stopped the operation: nothing was changed" }
