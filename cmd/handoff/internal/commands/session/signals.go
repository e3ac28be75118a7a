package session

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// preventStatus2 keeps a process from ending with status 2 by accident. Clients take status 2 of a hook for an
// objection, but a Go program also ends with this status on SIGQUIT and on a fatal error, for example when memory runs
// out. After this call, SIGQUIT does nothing, a fatal error ends the process by a signal, and SIGPIPE does not kill the
// process. Processes that it starts handle these signals as usual.
func preventStatus2() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGQUIT, syscall.SIGPIPE) // children would inherit ignored signals
	debug.SetTraceback("crash")
}
