package platform

import "errors"

// ErrLocked means that another process, or another open file of this process, holds the lock. A lock belongs to an open
// file and not to the process, so closing another file of the same name releases nothing. The system takes the lock back
// when the process ends, however it ends.
var ErrLocked = errors.New("somebody else has the lock")
