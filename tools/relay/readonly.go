package relay

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"syscall"
)

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
