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

// SetMemoryLimit lets the process use more memory to save time for garbage collection. The limit is 512 MiB if many is
// true, for a process that serves many clients or ends soon, and else 34 MiB. GOMEMLIMIT in the environment sets
// another limit.
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
