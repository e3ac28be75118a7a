package session

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// preventExitStatus2 keeps this process from ending with status 2, because clients take status 2 of a hook for an
// objection. A Go program ends with status 2 on SIGQUIT and on a fatal error. After this call, SIGQUIT does nothing, a
// fatal error ends the process by a signal, and SIGPIPE does not kill the process. Child processes handle these signals
// as usual.
func preventExitStatus2() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGQUIT, syscall.SIGPIPE) // children would inherit ignored signals
	debug.SetTraceback("crash")
}
