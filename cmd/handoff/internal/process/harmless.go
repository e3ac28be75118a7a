package process

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Harmless has a process never end with status 2 that nobody chose. Clients take that status of a hook for an objection,
// and Go programs end with it on SIGQUIT and on a fatal error, as when there is no memory: the one does nothing then, and
// the other ends the process by a signal. A reader that is gone is no reason to be killed, either. What the process starts
// has its signals as ever.
func Harmless() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGQUIT, syscall.SIGPIPE) // nobody looks: ignored ones would be inherited
	debug.SetTraceback("crash")
}
