package platform

import (
	"os"
	"strings"
)

// BootID is different after each start of the system. It is empty where the system does not tell.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
