//go:build !unix

package process

import "io"

// LeaveGroup does nothing here: there are no process groups of that kind.
func LeaveGroup(io.Reader, func(stream any) bool) {}
