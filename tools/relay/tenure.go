package relay

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"syscall"

	"handoff/schemas"
)

// An Election decides which process owns the store of one workspace, and leads other processes to the owner. The
// default is the election by a file lock, see fileelection.go. Each relay has its own Election, and calls it from one
// goroutine at a time.
type Election interface {
	// Prepare makes the election ready for this process. It is called before each search.
	Prepare() error

	// LastOwner returns the note of the process that was elected last, and false if no process was elected yet. The
	// process may have ended, which the caller checks.
	LastOwner(ctx context.Context) (Note, bool)

	// TryToWin tries to make this process the owner. It is called if the last owner has ended or does not answer. The
	// error is [ErrInUse] if another process may still be the owner.
	TryToWin(ctx context.Context) (Tenure, error)

	// UnservedError is the error of a call that found no owner, StalledError of a call whose owner does not answer, and
	// UnusableError of a call whose election failed. Each error tells a person what to do.
	UnservedError() *schemas.Error
	StalledError(owner Note) *schemas.Error
	UnusableError(err error) *schemas.Error

	// Close ends the use of the election by this process. It does not end the tenure of this process.
	Close() error
}

// A Tenure is the time during which a process owns the store.
type Tenure interface {
	// Serve begins to answer the requests of other processes with h. It adds the address to the note and publishes the
	// note, so that other processes find this one. The result alone says that no other process that stays uses the
	// workspace. Then no other process will announce connections.
	Serve(n Note, h http.Handler) (alone bool, err error)

	// CheckOwnership is called before each acknowledgement. The error is [ErrLost] if this process no longer owns the
	// store, and of code unavailable if the check failed.
	CheckOwnership(ctx context.Context) error

	// Restore is called once a second. It makes sure that other processes find this process.
	Restore() error

	// Stop ends the server that Serve began. Running requests may take [ShutdownLimit] more.
	Stop() error

	// Release lets another process become the owner. It may be called twice.
	Release() error
}

// ErrLost means that a process no longer owns the store.
var ErrLost = errors.New("another process owns the store")

// AnswerMoved answers a request about a workspace that this process does not own.
func AnswerMoved(w http.ResponseWriter) { w.WriteHeader(statusMoved) }

// IsReadOnly reports whether an error means that this process may not write to a file. A client may run its commands in
// a sandbox from which the files of the workspace can only be read.
func IsReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// readOnlyTenure is the tenure of a command that may only read the files of the workspace, while no process serves it.
// The command holds no lock and serves no other process. The lock on the store's file keeps other processes from
// writing to it meanwhile.
type readOnlyTenure struct{}

// Serve serves nothing. It never says that this process is alone, so that no claim counts as left.
func (readOnlyTenure) Serve(Note, http.Handler) (alone bool, err error) { return false, nil }
func (readOnlyTenure) CheckOwnership(context.Context) error             { return nil }
func (readOnlyTenure) Restore() error                                   { return nil }
func (readOnlyTenure) Stop() error                                      { return nil }
func (readOnlyTenure) Release() error                                   { return nil }
