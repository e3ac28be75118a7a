package doctor

import (
	"strconv"
	"time"

	"handoff/cmd/handoff/internal/terminal"
	"handoff/tools/relay"
)

// Owner examines the process that has a workspace open and serves the others. That process leaves a note in the
// directory.
func Owner(dir string, now time.Time, sh Shell) Finding {
	note, there := relay.ReadNote(dir)
	switch {
	case !there:
		return ok(aboutOwner, "nobody has the workspace open: the next who uses it does")
	case !note.Running():
		return warning(aboutOwner, "a note of process %d is left, which has ended: the next command replaces it", note.PID).
			try(sh.line("list"))
	case note.Version != sh.Program.Version:
		return warning(aboutOwner, "process %d is handoff %s, and this is %s: restart the client that started it",
			note.PID, note.Version, sh.Program.Version).
			try("ps -f -p " + strconv.Itoa(note.PID))
	}
	return ok(aboutOwner, "process %d, handoff %s, for %s", note.PID, note.Version, terminal.Age(now.Sub(note.Started)))
}
