package relay

import (
	"context"
	"errors"
	"net/http"

	"handoff/schemas"
)

// An Election decides which process owns the store of one workspace, and leads the others to it. A [Relay] without
// one uses the lock of a file: see fileelection.go. Each relay has its own, and uses it from one search at a time.
type Election interface {
	// Prepare makes the election ready for this process. It is called before each search.
	Prepare() error

	// Owner returns the note of the process that was elected last, if there was one. The caller checks whether it
	// lives.
	LastOwner(ctx context.Context) (Note, bool)

	// Is reports whether a note belongs to an owner of this workspace.
	IsNoteOfWorkspace(n Note) bool

	// Try elects this process. It is called if the owner of the last note is gone or does not answer. The error is
	// [ErrInUse] if that owner, or another process, may still be the owner.
	TryToWin(ctx context.Context) (Tenure, error)

	// Unserved is the error of a call that found no owner, Stalled of a call whose owner does not answer, and Unusable
	// of a call whose election failed. Each tells a person the way out.
	UnservedError() *schemas.Error
	StalledError(owner Note) *schemas.Error
	UnusableError(err error) *schemas.Error

	// Close ends the part of this process that does not own the store.
	Close() error
}

// queueElection is an election in which processes that stay wait to be the next owner.
type queueElection interface {
	// queue puts this process into the queue. Wait returns at its turn, and cannot be cancelled.
	joinQueue() (wait func() (Tenure, error), err error)
}

// A Tenure is the time during which a process owns the store.
type Tenure interface {
	// Serve begins to answer the requests of other processes by h. It adds the address to the note, and lets them find
	// this process by the note.
	Serve(n Note, h http.Handler) error

	// Alone reports whether no other process that stays uses the workspace, so that none will announce connections.
	IsAlone() (bool, error)

	// Opened is called after the store was opened.
	RecordOpened() error

	// Holds is called before each acknowledgement. It checks whether this process still owns the store. The error is
	// [ErrLost] if it does not, and of code unavailable if the check failed.
	CheckOwnership(ctx context.Context) error

	// Restore is called once a second. It makes sure that others find this process.
	Restore() error

	// Stop ends the server that Serve began; requests under way may take [ShutdownLimit] more.
	Stop() error

	// Release gives the store up to others. It may be called twice.
	Release() error
}

// ErrLost means that a process no longer owns the store.
var ErrLost = errors.New("another process owns the store")

// AnswerMoved answers a request about a workspace that this process does not own.
func AnswerMoved(w http.ResponseWriter) { w.WriteHeader(statusMoved) }
