package relay

import (
	"os"
	"strings"
)

// bootID is different after each start of the system; empty if it does not tell.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
