package relay

import (
	"context"
	"errors"
	"net/http"

	"handoff/schemas"
)

// An Election decides which process owns the store of one workspace, and tells the others where it is. A [Relay] without
// one uses the lock of a file: see fileelection.go. Each relay has its own, and uses it from one search at a time.
type Election interface {
	// Prepare makes the election ready for this process. It is called before each search.
	Prepare() error

	// Owner gives the note of who was elected last, if anybody was. Whether it lives is for the caller to find out.
	Owner(ctx context.Context) (Note, bool)

	// Is tells whether a note is of an owner of this workspace.
	Is(n Note) bool

	// Try elects this process. It is called when the owner of the last note is not there or does not answer. The error
	// is [ErrInUse] when that one, or another, may be the owner still.
	Try(ctx context.Context) (Tenure, error)

	// Unserved, Stalled and Unusable are the errors of a call that found no owner, whose owner does not answer, and for
	// which the election could not be held. Each says what a person can do.
	Unserved() *schemas.Error
	Stalled(owner Note) *schemas.Error
	Unusable(err error) *schemas.Error

	// Close ends the part of this process that does not own the store.
	Close() error
}

// queueElection is an election in which processes that stay wait to be the next owner.
type queueElection interface {
	// queue puts this process in line. Wait returns when it is its turn, and cannot be cancelled.
	queue() (wait func() (Tenure, error), err error)
}

// A Tenure is the time during which a process owns the store.
type Tenure interface {
	// Serve begins to answer the requests of other processes by h, and lets them find this process by the note, to which
	// it adds the address.
	Serve(n Note, h http.Handler) error

	// Alone tells whether no other process that stays uses the workspace, so that none will announce connections.
	Alone() (bool, error)

	// Opened is told that the store is open.
	Opened() error

	// Holds is asked before each acknowledgement whether this process owns the store still. The error is [ErrLost] when
	// it does not, and of code unavailable when that cannot be found out.
	Holds(ctx context.Context) error

	// Restore is called once a second. It sees to it that others find this process.
	Restore() error

	// Stop ends what Serve began; requests under way may take [ShutdownLimit] more.
	Stop() error

	// Release gives the store up to others. It may be called twice.
	Release() error
}

// ErrLost means that a process owns the store no more.
var ErrLost = errors.New("another process owns the store")

// NotHere answers a request about a workspace that this process does not own.
func NotHere(w http.ResponseWriter) { w.WriteHeader(statusMoved) }
