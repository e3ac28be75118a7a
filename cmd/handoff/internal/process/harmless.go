package process

import (
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Harmless has a process never end with status 2 that nobody chose. Clients take that status of a hook for an objection,
// and Go programs end with it on SIGQUIT and on a fatal error, as when there is no memory: the one is ignored then, and
// the other ends the process by a signal. A reader that is gone is no reason to be killed, either.
func Harmless() {
	signal.Ignore(syscall.SIGQUIT, syscall.SIGPIPE)
	debug.SetTraceback("crash")
}
