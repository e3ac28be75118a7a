package store

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Space is one ordered set of rows, like a table. Keys of different spaces never mix. A space is never renamed and
// never removed, because files of older versions contain it.
type Space uint8

// The spaces. Their names, from [Space.String], are in files, and their numbers are in databases. Neither ever changes,
// so a new space is the last. The package comment lists the contents of each space.
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

// spaceList has the names of the spaces, in the order of their numbers.
//
//go:embed spaces.txt
var spaceList string

var spaceNames = strings.Fields(spaceList)

// String returns the name under which a driver keeps s on disk.
func (s Space) String() string {
	if s < Spaces {
		return spaceNames[s]
	}
	return fmt.Sprintf("space(%d)", uint8(s))
}

// MaxKey is the length of the longest key, in bytes, that every engine can keep in order.
const MaxKey = 2048

// Row is one key and its value. The value may be empty and is never nil. Both slices belong to the driver: the function
// that receives a row may read them until the function returns, and must not change them.
//
// A caller that needs a row for longer copies it with bytes.Clone. Reading the slices later may end the process,
// because a driver may pass bytes of a mapped file.
type Row struct{ Key, Value []byte }

// Range is a part of one space: the rows with From ≤ key < To, compared byte by byte. A nil From is the beginning of
// the space. A nil To is the end of the space.
//
// An empty To, unlike nil, comes before every key, so the range has no rows. A range whose From is not before its To
// has no rows either. The caller does not change From and To during a scan of the range.
type Range struct {
	Space    Space
	From, To []byte
	Reverse  bool // yield the same rows from the last to the first
}

// Prefix returns the range of all keys of s that begin with p.
func Prefix(s Space, p []byte) Range { return Range{Space: s, From: p, To: PrefixEnd(p)} }

// PrefixEnd returns the smallest key after all keys that begin with p, as a new slice. It returns nil if no key is
// greater: for an empty prefix, and for a prefix of 0xff bytes only.
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

// Reader reads the rows of one snapshot, or of the state inside Update. One goroutine at a time may use it, until the
// function that received the reader returns.
//
// Writes of other callers never make a read fail. A method returns [ErrCorrupt] for rows that the driver cannot read,
// or an error of the system. After an error, the caller returns the error from its function and stops reading.
type Reader interface {
	// Get returns the value of key in s, or nil if there is no row. An empty value is not nil. The value belongs to the
	// driver, as in a [Row]. Inside Update no other transaction changes the row before this Update ends.
	//
	// For an empty key, and for a key longer than [MaxKey], Get returns nil.
	Get(s Space, key []byte) ([]byte, error)

	// Scan yields the rows of r in the order of their keys, as they were when ranging began. The caller may write
	// meanwhile, and this scan does not yield those writes. An error is yielded once, at the end.
	//
	// Ranging must end before the function that received the reader returns. The same is true for an iterator of
	// [iter.Pull2].
	Scan(r Range) iter.Seq2[Row, error]
}

// Writer reads and writes rows inside Update. Get sees earlier writes of the same Update at once. A scan sees the
// writes made before the scan began. Other callers see the writes after the commit.
type Writer interface {
	Reader

	// Put sets the value of key in s, and keeps neither slice. A nil value is stored as an empty value. Put fails if
	// key is empty or longer than [MaxKey]. The caller returns the error, and Update then drops all writes.
	Put(s Space, key, value []byte) error

	// Delete removes key from s. A missing key is no error.
	Delete(s Space, key []byte) error

	// Next returns a new number for s. It is greater than all numbers that Next returned for s in committed
	// transactions. The first number is 1, and there may be gaps. Two writers at the same time get different numbers.
	//
	// After a transaction is undone, Next may return its numbers again. So a number proves nothing before the commit.
	Next(s Space) (uint64, error)

	// Size returns an upper bound of the written bytes, including deletions. It is zero only if nothing was written.
	Size() int
}

// Backend keeps rows in order and does not know their meaning. It is safe for use by many goroutines. A function that
// was given to a backend must not call the backend: if the engine has one writer, that call never returns.
//
// A driver promises the following. The tests in package storetest check each promise:
//
//   - Order: keys sort as bytes, separately in each space. A scan yields each row once, in order, in either direction.
//   - Isolation: a View sees one moment. An Update sees one moment and its own writes. Updates read the same rows as if
//     they had run one after another.
//   - Atomicity: all writes of one Update are kept or none, even if the process or the machine ends meanwhile.
//   - Durability: after Update returned nil, the rows survive the end of the process and of the machine. Package memory,
//     which is for tests and trials, does not promise this.
//   - Independence: a call that fails or panics changes nothing for other calls, even if they share its commit.
//
// A driver decides nothing about handoffs, knows no JSON and reads no clock for its rows. [Tx] knows the meaning of
// rows. So a new kind of row needs no change to a driver.
type Backend interface {
	// View calls fn once, with one snapshot, on the goroutine of the caller. Fn does not see later updates. The files
	// of some engines grow while a snapshot is open, so fn takes no more than 50 ms or 1,000 rows. To read more rows,
	// the caller calls View again and continues after the last key.
	//
	// View returns the error of fn unchanged, the error of ctx if ctx was done before fn was called, or [ErrClosed]. A
	// panic of fn passes through to the caller. The end of ctx does not stop fn. The caller may repeat View at any
	// time.
	View(ctx context.Context, fn func(Reader) error) error

	// Update calls fn and keeps all of its writes, or none of them if fn returns an error or panics. When Update
	// returns nil, the writes are durable. Fn may run more than once, and on another goroutine. So each run of fn sets
	// its results anew, without adding to earlier values, and fn changes no other variable. Several calls may share one
	// commit. A call that succeeds has seen only durable writes of other calls.
	//
	// Update returns the error of fn unchanged, and a panic of fn as a [*Panic]. If ctx is done before fn was started,
	// Update returns the error of ctx without running fn. Once fn was started, Update waits for the outcome, even if
	// ctx is done. [ErrClosed], [ErrReadOnly], [ErrFull], [ErrUnwritten] and [ErrFenced] mean that nothing was kept,
	// unless the error also wraps [ErrUncertain]. After any other error of the commit, the writes may have been kept.
	//
	// If the process dies before Update returned, the writes are kept as a whole or not at all, and the caller does not
	// know which. Therefore calls carry a request id, and its receipt is a row of the same transaction. If the writes
	// were kept, a repeated call finds the receipt. Otherwise it takes effect.
	//
	// The driver does not repeat a failed commit. All calls that shared the commit fail with the same error, even calls
	// that only read, because they may have read lost rows. Before the driver runs the next function, it finds out
	// which writes were kept. While it cannot find out (such as while the disk fails), Update returns the error of this
	// attempt.
	Update(ctx context.Context, fn func(Writer) error) error

	// Close waits for the running calls and releases the rows. Later calls return [ErrClosed]. Close may be called
	// twice. A queued call is run or gets [ErrClosed]. Acknowledged writes are durable even if Close returns an error.
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
	// Inspect returns the first faults that it finds, one sentence for each. It changes nothing. Updates may have to
	// wait for it.
	Inspect(ctx context.Context) ([]string, error)
}

// Errors of drivers. They arrive wrapped with the file or the row that they are about, so compare with [errors.Is].
var (
	// ErrLocked means that another process holds the store. Nothing was read.
	//
	// The caller may try again: the lock is free as soon as that process has closed the store or has ended.
	ErrLocked = errors.New("the store is held by another process")

	// ErrNewer means that a newer version of this program wrote the store. The store was not changed. Only a newer
	// program can open the store.
	ErrNewer = errors.New("the store was written by a newer version of handoff: update handoff to open it")

	// ErrForeign means that the file is not a store of handoff, or that the path is no regular file. The file was not
	// changed.
	ErrForeign = errors.New("not a store of handoff")

	// ErrCorrupt means that the store is damaged. Opening, and any read or write, may return it. Nothing is repaired:
	// the hint of [DamagedError] tells a person the next step. Package audit names the damaged rows.
	ErrCorrupt = errors.New("the store is damaged")

	// ErrFull means that there is no space left on the disk. None of the writes of the failed commit were kept, and
	// each call that shared the commit gets this error. Reading still works. Writing works again as soon as there is
	// space.
	ErrFull = errors.New("no space left for the store")

	// ErrUnwritten means that the disk refused a commit for another reason than space, and none of its writes were
	// kept.
	//
	// Every call that shared the commit gets this error. The caller may try again.
	ErrUnwritten = errors.New("the disk failed, and nothing was changed")

	// ErrUncertain means that the disk refused a commit, and that the server does not know whether the commit was kept.
	// Each call that shared the commit gets this error.
	//
	// Later reads and writes get the same error until the disk works again. Then a call that is repeated under its
	// request id finds its receipt if the commit was kept.
	ErrUncertain = errors.New("the commit was not confirmed, and it is not known whether this was kept")

	// ErrUnreachable means that the database cannot be reached, or that the database is stopping. The caller may try
	// again: the store works as soon as the database does.
	ErrUnreachable = errors.New("the database cannot be reached")

	// ErrFenced means that another process has become the owner of the store. Nothing was kept, and all later calls of
	// this store return this error. The caller repeats the call at the new owner.
	ErrFenced = errors.New("another process took the store over")

	// ErrClosed means that the store was closed before the call began.
	//
	// Fn was not run and nothing was changed. The caller may open the store again.
	ErrClosed = errors.New("the store is closed")

	// ErrReadOnly means that the store cannot be written to. Its permissions, the permissions of its directory or a
	// read-only file system forbid it.
	ErrReadOnly = errors.New("the store cannot be written to")
)

// Panic is the error of an Update whose function panicked. The writes of the function are undone, and the store
// continues with the next call. The text does not contain the cause, because the cause belongs into the log and not
// into results.
type Panic struct {
	Value any    // the argument of panic
	Stack []byte // as [runtime/debug.Stack] prints it
}

// Error implements error.
func (*Panic) Error() string { return "an unexpected fault stopped the operation: nothing was changed" }
