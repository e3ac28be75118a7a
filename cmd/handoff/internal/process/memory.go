package process

import "runtime/debug"

// A server is small and allocates in bursts, so collecting garbage at every doubling of a few megabytes
// would cost it a third of its throughput. It collects later, and as often as needed near the limit.
const (
	growth = 400       // percent
	small  = 40 << 20  // bytes; a soft limit: more is used when more is needed
	large  = 512 << 20 // a thousand calls that wait have more than small: collecting would never end
)

// SpendMemory lets the process trade some memory for speed.
func SpendMemory() {
	debug.SetGCPercent(growth)
	debug.SetMemoryLimit(small)
}

// SpendMuchMemory does so for a process that serves many clients.
func SpendMuchMemory() {
	debug.SetGCPercent(growth)
	debug.SetMemoryLimit(large)
}

// Crowded does the one or the other, as long as many others are served too.
func Crowded(many bool) {
	if many {
		SpendMuchMemory()
	} else {
		SpendMemory()
	}
}
