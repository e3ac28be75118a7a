package platform

import (
	"os"
	"runtime/debug"
)

// A server is small and allocates in bursts. A garbage collection at every doubling of a few megabytes would cost a
// third of its throughput, so the process collects garbage later than Go does by default, and as often as needed when
// its memory comes near the limit.
const (
	gcPercent  = 400       // percent
	smallLimit = 34 << 20  // bytes; a soft limit, which is exceeded when needed
	largeLimit = 512 << 20 // a thousand calls that wait need more than smallLimit: collecting would never end
)

// SetMemoryLimit trades memory for speed: up to 34 MiB in a process that serves one client, and up to 512 MiB in a
// process that serves many or ends soon, as most commands do. A server of one client calls it again when many calls
// of other processes are under way, and when they are few again; see [handoff/tools/relay.Config]. GOMEMLIMIT in the
// environment sets another limit.
func SetMemoryLimit(many bool) {
	debug.SetGCPercent(gcPercent)
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if many {
		debug.SetMemoryLimit(largeLimit)
	} else {
		debug.SetMemoryLimit(smallLimit)
	}
}
