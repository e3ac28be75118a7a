package relay

import (
	"errors"
	"io/fs"
	"strconv"

	"handoff/tools/relay/platform"
)

// Lives tells whether the process of a note is still there, since the same start of the system, and, where
// the system tells, runs the same program: numbers of processes are given again. One that ended and was not
// waited for yet runs none.
//
// A process in another container is not seen, though its socket may be reached.
func (n Note) Lives() bool {
	if n.rebooted() || !platform.Runs(n.PID) {
		return false
	}
	runs, err := platform.Program(strconv.Itoa(n.PID))
	return n.Program == "" || runs == n.Program || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// rebooted tells whether the note is from before the system started. Where nothing tells, it is not.
func (n Note) rebooted() bool {
	now := platform.BootID()
	return n.Boot != "" && now != "" && n.Boot != now
}
