package session

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// preventStatus2 keeps a process from ending with status 2 by accident. Clients take that status of a hook for an objection,
// and Go programs end with it on SIGQUIT and on a fatal error, as when there is no memory. After harmless, SIGQUIT does
// nothing, a fatal error ends the process by a signal, and SIGPIPE does not kill it. Processes that it starts have
// their usual signals.
func preventStatus2() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGQUIT, syscall.SIGPIPE) // children would inherit ignored signals
	debug.SetTraceback("crash")
}
