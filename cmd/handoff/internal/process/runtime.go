package process

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Harmless keeps a process from ending with status 2 by accident. Clients take that status of a hook for an objection,
// and Go programs end with it on SIGQUIT and on a fatal error, as when there is no memory. After Harmless, SIGQUIT does
// nothing, a fatal error ends the process by a signal, and SIGPIPE does not kill it. Processes that it starts have
// their usual signals.
func Harmless() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGQUIT, syscall.SIGPIPE) // children would inherit ignored signals
	debug.SetTraceback("crash")
}

// A server is small and allocates in bursts. Collecting garbage at every doubling of a few megabytes would cost it a
// third of its throughput, so it collects later, and as often as needed near the limit.
const (
	growth = 400       // percent
	small  = 40 << 20  // bytes; a soft limit, which is exceeded when needed
	large  = 512 << 20 // a thousand calls that wait have more than small: collecting would never end
)

// SpendMemory trades memory for speed: up to 40 MiB in a process that serves one client, and up to 512 MiB where it
// serves many. A server of one client calls it again while many calls of other processes are under way, and when they
// are few again; see [handoff/tools/relay.Config].
func SpendMemory(many bool) {
	debug.SetGCPercent(growth)
	if many {
		debug.SetMemoryLimit(large)
	} else {
		debug.SetMemoryLimit(small)
	}
}
