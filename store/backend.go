package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
)

// Space names one ordered set of rows. Keys of different spaces never mix.
type Space uint8

// The spaces, in the order in which an [Overlay] is flushed. Numbers live in
// memory only and may change; the names that [Space.String] gives are on disk
// and never change once released.
const (
	Sys        Space = iota // facts about the store; keys "format" and "next/…" belong to the driver
	Records                 // what changes about a handoff, by id
	Bodies                  // what was said and never changes, in chunks
	Ready                   // what may be claimed, by box and order
	Wakes                   // what time will change, by time
	ByBox                   // handoffs by whom they are addressed to
	BySender                // handoffs by who sent them
	ByHolder                // handoffs by who holds them
	ByWorkflow              // handoffs by workflow
	ByState                 // handoffs by state
	ByParent                // handoffs by the one they came from
	ByOrigin                // handoffs by the id that a foreign message brought
	ByAfter                 // handoffs by the one they wait for
	Agents                  // cards of agents, by name
	Mailboxes               // counters of a mailbox, by box
	Workflows               // who owns a workflow, by name
	Tokens                  // who may call over a network, by name and by hash
	Notices                 // mail that is read and not claimed, by reader
	Unread                  // notices not yet read, by reader
	Events                  // the audit log, by number
	Salts                   // salts of content digests, by event
	Tree                    // hashes of the Merkle tree, by event
	Receipts                // outcomes of calls, by request id
	References              // nothing yet: content under its own address
	Words                   // the words by which a handoff is found
	Tellings                // what sessions were told, by agent and session
	Spaces                  // how many there are; not a space
)

var spaceNames = [Spaces]string{
	Sys: "sys", Records: "records", Bodies: "bodies", Ready: "ready", Wakes: "wakes",
	ByBox: "by_box", BySender: "by_sender", ByHolder: "by_holder", ByWorkflow: "by_workflow",
	ByState: "by_state", ByParent: "by_parent", ByOrigin: "by_origin", ByAfter: "by_after",
	Agents: "agents", Mailboxes: "mailboxes", Workflows: "workflows", Tokens: "tokens",
	Notices: "notices", Unread: "unread", Events: "events",
	Salts: "salts", Tree: "tree", Receipts: "receipts", References: "references",
	Words: "words", Tellings: "tellings",
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

// Row is one key and its value. A value that is there is never nil, though it
// may be empty. Both slices belong to the driver: they may be read until the
// function that received them returns, and must be neither changed nor kept.
type Row struct{ Key, Value []byte }

// Range is a stretch of one space: From ≤ key < To, compared byte by byte.
// A nil From is the beginning of the space and a nil To is its end.
type Range struct {
	Space    Space
	From, To []byte
	Reverse  bool // yield the same rows from the last to the first
	Hold     bool // pass over rows held by another transaction and hold those yielded; a driver with one writer has nothing to do
}

// Prefix is the range of all keys of s that begin with p.
func Prefix(s Space, p []byte) Range { return Range{Space: s, From: p, To: After(p)} }

// After is the smallest key beyond every key that begins with p, or nil if
// there is no such key and a range must run to the end of its space.
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

// Reader reads rows, either from one snapshot (inside View) or inside Update.
// It is for one goroutine, and dead when the function that received it returns.
type Reader interface {
	// Get is the value of key in s, or nil when there is none. Inside Update
	// the row is held: nobody else changes it before this Update ends.
	Get(s Space, key []byte) ([]byte, error)

	// Scan yields the rows of r in bytewise order of their keys. The function
	// may write while it ranges: a scan yields the rows as they stood when
	// ranging over it began, so it never meets its own consequences; Get and
	// scans begun later see them. An error is yielded once, last.
	//
	// Ranging must end before the function returns, also through [iter.Pull2].
	// Inside Update, on an engine with several writers, a row that was not
	// read by Get or by a scan with Hold may be stale: do not decide on it.
	Scan(r Range) iter.Seq2[Row, error]
}

// Writer reads and writes rows inside Update and reads what it wrote.
type Writer interface {
	Reader

	// Put sets the value of key in s. Key and value are copied if they are
	// kept. A nil value is an empty one. It is an error if key is empty or
	// longer than [MaxKey].
	Put(s Space, key, value []byte) error

	// Delete removes key from s, without an error when it is not there.
	Delete(s Space, key []byte) error

	// Next is a number greater than zero and greater than every number that
	// an Update which took effect has received for s. Gaps are allowed. Between
	// writers at the same time only uniqueness is certain, not order of commit.
	Next(s Space) (uint64, error)
}

// Backend keeps rows in order and knows nothing of what they mean. It is safe
// for use by many goroutines. A function given to it must not call it again:
// with one writer that never ends.
type Backend interface {
	// View calls fn with one snapshot. Updates go on meanwhile and are not
	// seen. A long snapshot makes some engines grow, so fn stays under 50 ms
	// or 1,000 rows and then begins again after the last key. It returns the
	// error of fn unchanged, the error of ctx if ctx was done before fn was
	// called, or [ErrClosed]. A panic of fn goes through to the caller.
	View(ctx context.Context, fn func(Reader) error) error

	// Update calls fn and keeps all of its writes, or none if fn returns an
	// error or panics. When it returns nil the writes are durable; if nothing
	// was written, nothing is committed. Fn may run more than once, and on
	// another goroutine: it sets its results at its start and touches nothing
	// outside. Several calls may share one commit, but no call sees, and no
	// answer depends on, writes that did not become durable.
	//
	// The error of fn is returned unchanged and a panic as a [*Panic]. If ctx
	// is done before fn was started, fn is not run and the error of ctx is
	// returned; once started, the call waits for its true outcome. [ErrClosed]
	// and [ErrReadOnly] mean that nothing was kept. Any other error, such as
	// [ErrFull], comes from the commit and leaves open whether the writes were
	// kept: read before repeating, or make repeating harmless.
	Update(ctx context.Context, fn func(Writer) error) error

	// Close finishes the calls that are under way, lets go of the rows and
	// makes later calls return [ErrClosed]. It may be called twice.
	Close() error
}

// Errors of drivers. They arrive wrapped with the place they are about.
var (
	// ErrLocked means that another process holds the store. Nothing was read.
	ErrLocked = errors.New("the store is held by another process")

	// ErrNewer means that a newer version of this program wrote the store.
	// It was not touched.
	ErrNewer = errors.New("the store was written by a newer version of handoff: update handoff to open it")

	// ErrForeign means that what is found there is not a store of handoff.
	// It was not touched.
	ErrForeign = errors.New("not a store of handoff")

	// ErrCorrupt means that the store is damaged.
	ErrCorrupt = errors.New("the store is damaged: keep a copy of it and put the latest backup in its place")

	// ErrFull means that there is no space left to write to. Reading goes on,
	// and so does writing as soon as there is space.
	ErrFull = errors.New("no space left for the store")

	// ErrClosed means that the store was closed before the call began.
	ErrClosed = errors.New("the store is closed")

	// ErrReadOnly means that the store may not be written to: its permissions
	// or those of its directory, or a file system mounted read-only, forbid it.
	ErrReadOnly = errors.New("the store cannot be written to")
)

// Panic is the error of an Update whose function panicked. Its text tells
// nothing of the cause, which is for the log and not for users.
type Panic struct {
	Value any    // what was given to panic
	Stack []byte // where, as [runtime/debug.Stack] prints it
}

// Error implements error.
func (*Panic) Error() string { return "an unexpected fault stopped the operation: nothing was changed" }
