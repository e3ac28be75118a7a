package platform

import "errors"

// ErrLocked says that somebody else has a lock now: another process, or another open file of this one. A lock belongs
// to an open file and not to the process, so that closing another file of the same name lets go of nothing. The system
// takes it back when the process ends, however it ends.
var ErrLocked = errors.New("somebody else has the lock")
