package platform

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// UsesTooMuchMemory reports whether processes use more than a share of the memory of the machine or of its container.
// Shared memory counts once, as far as the system reports it.
func UsesTooMuchMemory(pids []int, share float64) bool {
	most := readNumberAfter("/proc/meminfo", "MemTotal:")
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		most = min(most, cmp.Or(readNumberAfter(limit, "")>>10, most))
	}
	var used uint64 // in KiB, the unit of the system
	for _, pid := range pids {
		used += cmp.Or(readNumberAfter(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "\nPss:"), readNumberAfter(fmt.Sprintf("/proc/%d/status", pid), "\nVmRSS:"))
	}
	return float64(used) > share*float64(most)
}

// readNumberAfter reads the number behind a mark in a file of the system, or 0.
func readNumberAfter(file, mark string) uint64 {
	text, _ := os.ReadFile(file) // the process may have ended
	_, after, _ := strings.Cut(string(text), mark)
	first, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	n, _ := strconv.ParseUint(first, 10, 64) // "max" means no limit
	return n
}
